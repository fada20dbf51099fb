using System.Net.Sockets;

namespace CaService;

/// <summary>Writes to a socket all that is to be said: of a send the kernel may take a part.</summary>
internal static class SocketWriter
{
    /// <summary>Writes some bytes.</summary>
    /// <param name="socket">A connection.</param>
    /// <param name="bytes">What to say.</param>
    /// <param name="cancellation">Ends it.</param>
    public static async Task WriteAsync(Socket socket, ReadOnlyMemory<byte> bytes, CancellationToken cancellation)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await socket.SendAsync(bytes, cancellation)..];
        }
    }
}
