using System.Net.Sockets;
using CaService.Layers;

namespace CaService.Admin;

/// <summary>
/// Layers by an administrator's connection, at whose other end is <see cref="LayerSender"/>: the CA says which it lacks, in a line, and gets their bytes one after
/// the other. Their sizes stand in the stack.
/// </summary>
/// <param name="client">The connection.</param>
/// <param name="silence">How long it may say nothing.</param>
/// <param name="end">The server ends.</param>
internal sealed class AdminUpload(Socket client, TimeSpan silence, CancellationToken end) : ILayerSource
{
    private const int Piece = 1 << 16;

    public async Task BeginAsync(IReadOnlyList<StackLayer> lacking)
    {
        if (lacking.Count == 0)
        {
            return;
        }

        using CancellationTokenSource limit = Limit();
        await SocketWriter.WriteAsync(client, AdminMessage.Lacks(lacking.Select(layer => layer.Digest)), limit.Token);
    }

    public async Task CopyAsync(StackLayer layer, Func<ReadOnlyMemory<byte>, ValueTask> take)
    {
        byte[] piece = new byte[Piece];
        for (long left = layer.Size; left > 0;)
        {
            using CancellationTokenSource limit = Limit();
            int read = await client.ReceiveAsync(piece.AsMemory(0, (int)Math.Min(left, Piece)), limit.Token);
            if (read == 0)
            {
                throw new IOException($"{layer.Name} was cut off.");
            }

            await take(piece.AsMemory(0, read));
            left -= read;
        }
    }

    private CancellationTokenSource Limit()
    {
        var limit = CancellationTokenSource.CreateLinkedTokenSource(end);
        limit.CancelAfter(silence);
        return limit;
    }
}
