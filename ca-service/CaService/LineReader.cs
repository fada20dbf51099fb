using System.Net.Sockets;

namespace CaService;

/// <summary>Reads one line from a socket, however it comes.</summary>
internal static class LineReader
{
    private const int Piece = 4096;

    /// <summary>Reads until the end of the line, of what the other side says, or of what may be read.</summary>
    /// <param name="socket">A connection.</param>
    /// <param name="most">Bytes that are read at most.</param>
    /// <param name="cancellation">Ends it.</param>
    /// <returns>All that came: the line, its end, and what came along with that.</returns>
    public static async Task<ReadOnlyMemory<byte>> ReadAsync(Socket socket, int most, CancellationToken cancellation)
    {
        byte[] buffer = new byte[Math.Min(Piece, most)];
        int length = 0;
        for (bool isWhole = false; !isWhole && length < most;)
        {
            if (length == buffer.Length)
            {
                Array.Resize(ref buffer, (int)Math.Min(2L * length, most));
            }

            int read = await socket.ReceiveAsync(buffer.AsMemory(length), cancellation);
            if (read == 0)
            {
                break;
            }

            isWhole = buffer.AsSpan(length, read).Contains((byte)'\n');
            length += read;
        }

        return buffer.AsMemory(0, length);
    }
}
