using System.Net.Sockets;
using CaService.Layers;

namespace CaService.Admin;

/// <summary>Has the <c>wow-ca serve</c> of this machine publish a stack, and sends it the layers that it lacks. It may not read people's homes, so it is sent them.</summary>
internal static class LayerSender
{
    /// <summary>What the CA may take for the last answer: what it got is brought to the disk first.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(10);

    /// <summary>Asks, and sends.</summary>
    /// <param name="path">The socket.</param>
    /// <param name="words">The command line, without the folder.</param>
    /// <param name="stack">What is published.</param>
    /// <param name="source">Has its layers.</param>
    /// <param name="sent">Called for each that was sent.</param>
    /// <returns>As of <see cref="AdminClient.AskAsync"/>.</returns>
    public static async Task<(int Code, string Output, string Error)> PublishAsync(
        string path, string[] words, PoolLayers stack, ILayerSource source, Action<StackLayer> sent)
    {
        using Socket socket = await AdminClient.ConnectAsync(path);
        await using var stream = new NetworkStream(socket);
        using var reader = new StreamReader(stream);
        await SocketWriter.WriteAsync(socket, AdminMessage.Request(words, stack.Write()), CancellationToken.None);
        string line = await ReadLineAsync(reader);
        if (AdminMessage.ReadLacks(line) is { } digests)
        {
            StackLayer[] lacking = [.. stack.Files.Where(layer => digests.Contains(layer.Digest))];
            await source.BeginAsync(lacking);
            await SendAsync(socket, lacking, source, sent);
            line = await ReadLineAsync(reader);
        }

        return AdminMessage.ReadAnswer(line);
    }

    private static async Task SendAsync(Socket socket, StackLayer[] lacking, ILayerSource source, Action<StackLayer> sent)
    {
        try
        {
            foreach (StackLayer layer in lacking)
            {
                await source.CopyAsync(layer, piece => new ValueTask(SocketWriter.WriteAsync(socket, piece, CancellationToken.None)));
                sent(layer);
            }
        }
        catch (SocketException)
        {
            // It takes no more, and its answer says why.
        }
    }

    private static async Task<string> ReadLineAsync(StreamReader reader)
    {
        using var limit = new CancellationTokenSource(Patience);
        try
        {
            return await reader.ReadLineAsync(limit.Token) ?? string.Empty;
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            throw new UserError("The wow-ca that serves here ended before it answered: look with wow doctor, or as root with journalctl -u wow-ca, and publish again. It goes on with what it lacks.");
        }
    }
}
