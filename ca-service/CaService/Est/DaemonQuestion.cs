using System.Net.Sockets;
using System.Text;
using System.Text.Json;

namespace CaService.Est;

/// <summary>Asks the ipopd beside the CA, by its control socket.</summary>
internal static class DaemonQuestion
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>Sends a line, and reads the answer.</summary>
    /// <exception cref="IOException">It does not answer.</exception>
    public static async Task<JsonDocument> AskAsync(string path, string line)
    {
        using var limit = new CancellationTokenSource(Patience);
        try
        {
            using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), limit.Token);
            await SocketWriter.WriteAsync(socket, Encoding.UTF8.GetBytes(line + "\n"), limit.Token);
            using var stream = new NetworkStream(socket);
            using var reader = new StreamReader(stream);
            return JsonDocument.Parse(await reader.ReadLineAsync(limit.Token) ?? "{}");
        }
        catch (Exception e) when (e is SocketException or IOException or JsonException or OperationCanceledException)
        {
            throw new IOException($"{path}: {e.Message} Is ipopd running?", e);
        }
    }
}
