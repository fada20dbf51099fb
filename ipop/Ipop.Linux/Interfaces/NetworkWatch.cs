using System.Runtime.InteropServices;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Interfaces;

/// <summary>Hears from the kernel that interfaces, addresses or routes of this machine have changed (rtnetlink(7)). Not thread-safe.</summary>
public sealed unsafe class NetworkWatch : IDisposable
{
    private const int LargestMessage = 8192;

    private readonly FileDescriptor _socket;
    private readonly byte[] _buffer = new byte[LargestMessage];

    private NetworkWatch(FileDescriptor socket) => _socket = socket;

    /// <summary>For <see cref="PollLoop.Add"/>.</summary>
    public int Descriptor => _socket.Value;

    /// <summary>Begins to listen.</summary>
    /// <exception cref="IOException">The kernel refuses.</exception>
    public static NetworkWatch Open()
    {
        var socket = new FileDescriptor(Interop.Libc.socket(
            Interop.Libc.AF_NETLINK, Interop.Libc.SOCK_RAW | Interop.Libc.SOCK_NONBLOCK | Interop.Libc.SOCK_CLOEXEC, Interop.Libc.NETLINK_ROUTE));
        var address = new Interop.Libc.sockaddr_nl
        {
            nl_family = Interop.Libc.AF_NETLINK,
            nl_groups = Interop.Libc.RTMGRP_LINK | Interop.Libc.RTMGRP_IPV4_IFADDR | Interop.Libc.RTMGRP_IPV4_ROUTE
                | Interop.Libc.RTMGRP_IPV6_IFADDR | Interop.Libc.RTMGRP_IPV6_ROUTE,
        };
        if (socket.IsInvalid || Interop.Libc.bind_netlink(socket.Value, &address, (uint)sizeof(Interop.Libc.sockaddr_nl)) != 0)
        {
            string why = FileDescriptor.LastError();
            socket.Dispose();
            throw new IOException($"changes of this machine's networks can't be heard ({why}); a unit of systemd needs AF_NETLINK in RestrictAddressFamilies=");
        }

        return new NetworkWatch(socket);
    }

    /// <summary>Reads what waits.</summary>
    /// <returns>Whether anything changed; also if so much did that the kernel could not tell all of it.</returns>
    public bool Receive()
    {
        bool hasChanged = false;
        fixed (byte* buffer = _buffer)
        {
            while (true)
            {
                nint count = Interop.Libc.read(_socket.Value, buffer, LargestMessage);
                if (count > 0)
                {
                    hasChanged = true;
                    continue;
                }

                switch (Marshal.GetLastPInvokeError())
                {
                    case Interop.Libc.EINTR when count < 0:
                        continue;
                    case Interop.Libc.ENOBUFS when count < 0:
                        hasChanged = true;
                        continue;
                    default:
                        return hasChanged;
                }
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();
}
