using System.Net.Sockets;

namespace CaService.Admin;

/// <summary>Reads one line from a socket, however it comes.</summary>
internal static class LineReader
{
    private const int Piece = 4096;

    /// <summary>Reads until the end of the line, which is left out, or of what the other side says.</summary>
    /// <param name="socket">A connection.</param>
    /// <param name="most">Bytes of a line at most.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <returns>The line; null if it is longer, or was cut off.</returns>
    public static async Task<ReadOnlyMemory<byte>?> ReadAsync(Socket socket, int most, CancellationToken cancellation)
    {
        byte[] buffer = new byte[Piece];
        int length = 0;
        while (true)
        {
            int read = await socket.ReceiveAsync(buffer.AsMemory(length), cancellation);
            int end = buffer.AsSpan(length, read).IndexOf((byte)'\n');
            if (end >= 0)
            {
                return buffer.AsMemory(0, length + end);
            }

            length += read;
            if (read == 0 || length > most)
            {
                return null;
            }

            if (length == buffer.Length)
            {
                Array.Resize(ref buffer, Math.Min(2 * length, most + 1));
            }
        }
    }
}
