using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Udp;

/// <summary>
/// Marks the overlay's sockets (SO_MARK, socket(7)), so that a firewall tells them from the rest of the machine, whatever ports they use.
/// Needs CAP_NET_ADMIN; without it there is no mark, and no tap either.
/// </summary>
internal static unsafe class SocketMark
{
    /// <summary>Marks what a socket sends, and what the connections that it accepts send.</summary>
    internal static void Set(FileDescriptor fd)
    {
        int mark = Agreed.OverlayMark;
        _ = Interop.Libc.setsockopt(fd.Value, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_MARK, &mark, sizeof(int));
    }

    /// <inheritdoc cref="Set(FileDescriptor)"/>
    internal static void Set(Socket socket)
    {
        int mark = Agreed.OverlayMark;
        _ = Interop.Libc.setsockopt((int)socket.Handle, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_MARK, &mark, sizeof(int));
    }
}
