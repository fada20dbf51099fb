using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Udp;

/// <summary>What the kernel believes to pass to an endpoint in one piece.</summary>
public static unsafe class MtuHint
{
    /// <summary>Asks by a socket of its own, connected for this moment; nothing is sent.</summary>
    /// <returns>Bytes of an IP packet: the interface's MTU, or less if a router told so (ip(7), IP_MTU). 0 if the kernel doesn't know the way.</returns>
    public static int Of(TransportAddress destination)
    {
        bool isIPv6 = !destination.IsIPv4;
        using var socket = new FileDescriptor(Interop.Libc.socket(
            isIPv6 ? Interop.Libc.AF_INET6 : Interop.Libc.AF_INET, Interop.Libc.SOCK_DGRAM | Interop.Libc.SOCK_CLOEXEC, 0));
        Interop.Libc.sockaddr address = SocketAddress.Write(destination, isDual: isIPv6);
        if (socket.IsInvalid || Interop.Libc.connect(socket.Value, &address, isIPv6 ? 28u : 16u) != 0)
        {
            return 0;
        }

        int mtu = 0;
        uint length = sizeof(int);
        int refused = isIPv6
            ? Interop.Libc.getsockopt(socket.Value, Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MTU, &mtu, &length)
            : Interop.Libc.getsockopt(socket.Value, Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MTU, &mtu, &length);
        return refused == 0 ? mtu : 0;
    }
}
