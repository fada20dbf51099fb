using System.Globalization;
using System.Net;
using System.Text;
using CaService.Layers;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;
using Microsoft.Win32.SafeHandles;

namespace CaService.Est;

/// <summary>
/// Hands out the layers of the stack that is published, to machines of the pool: the fence lets nobody else so far. So many at a time, each for so long and no
/// slower than so, that all come to their turn; who was cut goes on by Range. Machines say which they have whole, and are named to others that ask.
/// </summary>
internal sealed class LayerHandler(StackFolder folder, ServeSettings settings, TimeProvider time)
{
    private const int Piece = 1 << 16;
    private const string Bytes = "bytes=";

    private readonly SourcePlaces _places = new(settings.MostDownloads, ServeSettings.MostDownloadsOfOne);
    private readonly Seeders _seeders = new(time, new Random());

    /// <summary>Answers one request.</summary>
    public async Task HandleAsync(HttpContext context)
    {
        IPAddress source = context.Connection.RemoteIpAddress!.MapToIPv4();
        bool asks = HttpMethods.IsGet(context.Request.Method);
        if ((asks || HttpMethods.IsPost(context.Request.Method)) && Find(context.Request, Agreed.SeedersPath) is { } held)
        {
            await (asks ? NameAsync(context, held.File, source) : NoteAsync(context, held.File, source, held.Stack));
        }
        else if (!asks || Find(context.Request, Agreed.LayersPath) is not { File: { } layer })
        {
            await HttpAnswer.SendTextAsync(context, 404, $"Nothing is here but {Agreed.LayersPath} with the SHA-256 of a layer that is published.");
        }
        else if (!_places.TryTake(source))
        {
            context.Response.Headers.RetryAfter = settings.DownloadAgainAfter.TotalSeconds.ToString("0", CultureInfo.InvariantCulture);
            await HttpAnswer.SendTextAsync(context, 503, "Too many machines fetch layers at this moment: try again later.");
        }
        else
        {
            try
            {
                await SendAsync(context, layer);
            }
            finally
            {
                _places.Give(source);
            }
        }
    }

    /// <summary>The first byte that is asked for; 0 where no rest of a file is. Other ranges get the whole, as RFC 9110 section 14.2 allows.</summary>
    internal static long ReadRange(string? header) =>
        header is not null && header.StartsWith(Bytes, StringComparison.Ordinal) && header.EndsWith('-')
            && Digits.TryRead(header.AsSpan(Bytes.Length, header.Length - Bytes.Length - 1), long.MaxValue, out ulong first)
            ? (long)first
            : 0;

    /// <summary>The file of the published stack that a path below this one names, and that stack.</summary>
    private (StackLayer File, PoolLayers Stack)? Find(HttpRequest request, string below)
    {
        string path = request.Path.Value ?? string.Empty;
        if (!path.StartsWith(below, StringComparison.Ordinal))
        {
            return null;
        }

        string digest = path[below.Length..];
        try
        {
            PoolLayers stack = folder.Read().Stack;
            return stack.Files.FirstOrDefault(layer => layer.Digest == digest && folder.Has(layer)) is { } found ? (found, stack) : null;
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException)
        {
            // Who spreads it says so, again and again.
            return null;
        }
    }

    private Task NameAsync(HttpContext context, StackLayer layer, IPAddress asker) =>
        HttpAnswer.SendAsync(context, 200, "text/plain", Encoding.ASCII.GetBytes(string.Concat(_seeders.Some(layer.Digest, asker).Select(one => $"{one}\n"))));

    private Task NoteAsync(HttpContext context, StackLayer layer, IPAddress source, PoolLayers stack)
    {
        // Of this machine itself nothing is noted: it is its line that others are to spare.
        if (!source.Equals(settings.Listen.Address))
        {
            _seeders.Note(layer.Digest, source, stack.Files);
        }

        return HttpAnswer.SendTextAsync(context, 200, "Noted.");
    }

    private async Task SendAsync(HttpContext context, StackLayer layer)
    {
        long first = ReadRange(context.Request.Headers.Range);
        if (first >= layer.Size)
        {
            context.Response.Headers.ContentRange = $"bytes */{layer.Size}";
            await HttpAnswer.SendTextAsync(context, 416, $"The layer has {layer.Size} bytes.");
            return;
        }

        // It stays whole while it is read, though another stack is published meanwhile and its name goes.
        using SafeFileHandle file = File.OpenHandle(folder.PathOf(layer), FileMode.Open, FileAccess.Read, FileShare.Read | FileShare.Delete);
        context.Response.StatusCode = first > 0 ? 206 : 200;
        context.Response.ContentType = "application/octet-stream";
        context.Response.ContentLength = layer.Size - first;
        if (first > 0)
        {
            context.Response.Headers.ContentRange = $"bytes {first}-{layer.Size - 1}/{layer.Size}";
        }

        if (context.Features.Get<IHttpMinResponseDataRateFeature>() is { } rate)
        {
            rate.MinDataRate = new MinDataRate(ServeSettings.SlowestDownload, ServeSettings.DownloadGrace);
        }

        using var limit = new CancellationTokenSource(settings.LongestDownload, time);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, context.RequestAborted);
        try
        {
            await CopyAsync(file, first, context.Response.Body, end.Token);
        }
        catch (OperationCanceledException)
        {
            context.Abort();
        }
    }

    private static async Task CopyAsync(SafeFileHandle file, long from, Stream body, CancellationToken end)
    {
        byte[] piece = new byte[Piece];
        for (int read; (read = RandomAccess.Read(file, piece, from)) > 0; from += read)
        {
            await body.WriteAsync(piece.AsMemory(0, read), end);
        }
    }
}
