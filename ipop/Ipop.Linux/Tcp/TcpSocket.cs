using System.Runtime.InteropServices;
using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Tcp;

/// <summary>Non-blocking TCP sockets of the kernel. Whatever fails closes what it had opened.</summary>
internal static unsafe class TcpSocket
{
    private const int Backlog = 128;

    /// <summary>Bytes that the kernel holds unsent at most: what waits there can't be overtaken by what is newer.</summary>
    private const int LargestUnsent = 32 * 1024;

    /// <summary>How long data, or a call, may stay unacknowledged before the kernel ends the connection (RFC 5482).</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>Bytes of the kernel's struct tcp_info (linux/tcp.h) up to what is read of it, and where that stands.</summary>
    private const int InfoSize = 60, UnacknowledgedAt = 24, LastAcknowledgedAt = 56;

    /// <summary>What came of a read or a write.</summary>
    internal enum Outcome
    {
        /// <summary>Some bytes went through.</summary>
        Done,

        /// <summary>Not now.</summary>
        Later,

        /// <summary>Never again.</summary>
        Ended,
    }

    /// <summary>Listens on all addresses of the machine, IPv4 alone where the kernel has no IPv6.</summary>
    /// <exception cref="IOException">The port is taken, or may not be used.</exception>
    internal static FileDescriptor Listen(int port)
    {
        FileDescriptor fd = Create(Interop.Libc.AF_INET6, Interop.Libc.AF_INET);
        var address = new Interop.Libc.sockaddr { family = Interop.Libc.AF_INET6 };
        if (fd.IsInvalid)
        {
            address.family = Interop.Libc.AF_INET;
            fd = Create(Interop.Libc.AF_INET, Interop.Libc.AF_INET);
        }
        else
        {
            Set(fd, Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_V6ONLY, 0);
        }

        address.port = System.Buffers.Binary.BinaryPrimitives.ReverseEndianness((ushort)port);
        Set(fd, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEADDR, 1);
        if (Interop.Libc.bind(fd.Value, &address, (uint)sizeof(Interop.Libc.sockaddr)) < 0 || Interop.Libc.listen(fd.Value, Backlog) < 0)
        {
            string error = FileDescriptor.LastError();
            fd.Dispose();
            throw new IOException($"TCP port {port} can't be used: {error}");
        }

        // Only now, so that the port was nobody else's: from here on our own connections may come from it.
        Set(fd, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEPORT, 1);
        return fd;
    }

    /// <summary>Begins to connect; null if there is no way there.</summary>
    /// <param name="remote">Where to.</param>
    /// <param name="from">From which port; 0 for any. One that is listened on may serve many connections, but only one to each endpoint.</param>
    internal static FileDescriptor? Connect(TransportAddress remote, int from)
    {
        int family = remote.IsIPv4 ? Interop.Libc.AF_INET : Interop.Libc.AF_INET6;
        FileDescriptor fd = Create(family, family);
        Interop.Libc.sockaddr address = SocketAddress.Write(remote, isDual: !remote.IsIPv4);
        if (!fd.IsInvalid && Bind(fd, remote.IsIPv4, from)
            && (Interop.Libc.connect(fd.Value, &address, (uint)sizeof(Interop.Libc.sockaddr)) == 0
                || Marshal.GetLastPInvokeError() == Interop.Libc.EINPROGRESS))
        {
            return fd;
        }

        fd.Dispose();
        return null;
    }

    /// <summary>Takes a connection that somebody made; null if there is none, or the kernel is short of what it takes (<see cref="Shortages"/>).</summary>
    internal static FileDescriptor? Accept(FileDescriptor listener, out TransportAddress remote, out bool isShort)
    {
        Interop.Libc.sockaddr address;
        uint length = (uint)sizeof(Interop.Libc.sockaddr);
        var fd = new FileDescriptor(Interop.Libc.accept4(
            listener.Value, &address, &length, Interop.Libc.SOCK_NONBLOCK | Interop.Libc.SOCK_CLOEXEC));
        isShort = fd.IsInvalid && Shortages.IsOne(Marshal.GetLastPInvokeError());
        if (fd.IsInvalid)
        {
            fd.Dispose();
            remote = default;
            return null;
        }

        Tune(fd);
        remote = SocketAddress.Read(address) with { Protocol = TransportProtocol.TcpAccepted };
        return fd;
    }

    /// <summary>Whether a connection that was begun stands, once the kernel says that it can be written.</summary>
    internal static bool IsConnected(FileDescriptor fd)
    {
        int error = 0;
        uint length = sizeof(int);
        return Interop.Libc.getsockopt(fd.Value, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_ERROR, &error, &length) == 0 && error == 0;
    }

    /// <summary>Whether the other end's kernel has not acknowledged what was sent, and has acknowledged nothing for a time.</summary>
    internal static bool IsUnheard(FileDescriptor fd, TimeSpan time)
    {
        byte* info = stackalloc byte[InfoSize];
        uint length = InfoSize;
        return Interop.Libc.getsockopt(fd.Value, Interop.Libc.IPPROTO_TCP, Interop.Libc.TCP_INFO, info, &length) == 0 && length == InfoSize
            && *(uint*)(info + UnacknowledgedAt) > 0 && *(uint*)(info + LastAcknowledgedAt) >= time.TotalMilliseconds;
    }

    /// <summary>Lets the descriptor's end reset the connection, so that neither kernel keeps anything of it, nor its ports.</summary>
    internal static void ResetAtEnd(FileDescriptor fd)
    {
        int* linger = stackalloc int[2] { 1, 0 };
        _ = Interop.Libc.setsockopt(fd.Value, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_LINGER, linger, 2 * sizeof(int));
    }

    /// <summary>Ends a connection, or the call for one, at once, so that its ports are free before its descriptor is closed (connect(2), AF_UNSPEC).</summary>
    internal static void Disconnect(FileDescriptor fd)
    {
        var nobody = new Interop.Libc.sockaddr { family = Interop.Libc.AF_UNSPEC };
        _ = Interop.Libc.connect(fd.Value, &nobody, (uint)sizeof(Interop.Libc.sockaddr));
    }

    /// <summary>Sets another <see cref="Patience"/>.</summary>
    internal static void SetPatience(FileDescriptor fd, TimeSpan patience) =>
        Set(fd, Interop.Libc.IPPROTO_TCP, Interop.Libc.TCP_USER_TIMEOUT, (int)patience.TotalMilliseconds);

    internal static Outcome Read(FileDescriptor fd, Span<byte> buffer, out int count)
    {
        fixed (byte* bytes = buffer)
        {
            nint got = Interop.Libc.recv(fd.Value, bytes, (nuint)buffer.Length, Interop.Libc.MSG_DONTWAIT);
            count = (int)Math.Max(0, got);
            return got > 0 ? Outcome.Done : got == 0 ? Outcome.Ended : Trouble();
        }
    }

    internal static Outcome Write(FileDescriptor fd, ReadOnlySpan<byte> bytes, out int count)
    {
        fixed (byte* first = bytes)
        {
            nint sent = Interop.Libc.send(fd.Value, first, (nuint)bytes.Length, Interop.Libc.MSG_DONTWAIT | Interop.Libc.MSG_NOSIGNAL);
            count = (int)Math.Max(0, sent);
            return sent >= 0 ? Outcome.Done : Trouble();
        }
    }

    private static bool Bind(FileDescriptor fd, bool isIPv4, int port)
    {
        var address = new Interop.Libc.sockaddr
        {
            family = (ushort)(isIPv4 ? Interop.Libc.AF_INET : Interop.Libc.AF_INET6),
            port = System.Buffers.Binary.BinaryPrimitives.ReverseEndianness((ushort)port),
        };
        Set(fd, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEADDR, 1);
        Set(fd, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEPORT, 1);
        return port == 0 || Interop.Libc.bind(fd.Value, &address, (uint)sizeof(Interop.Libc.sockaddr)) == 0;
    }

    private static Outcome Trouble() =>
        Marshal.GetLastPInvokeError() is Interop.Libc.EAGAIN or Interop.Libc.EINTR ? Outcome.Later : Outcome.Ended;

    private static FileDescriptor Create(int family, int covered)
    {
        var fd = new FileDescriptor(Interop.Libc.socket(
            family, Interop.Libc.SOCK_STREAM | Interop.Libc.SOCK_NONBLOCK | Interop.Libc.SOCK_CLOEXEC, 0));
        if (!fd.IsInvalid)
        {
            Tune(fd);
            SocketMark.Set(fd);
            SocketBypass.Set(fd, family, covered);
        }

        return fd;
    }

    private static void Tune(FileDescriptor fd)
    {
        Set(fd, Interop.Libc.IPPROTO_TCP, Interop.Libc.TCP_NODELAY, 1);
        Set(fd, Interop.Libc.IPPROTO_TCP, Interop.Libc.TCP_NOTSENT_LOWAT, LargestUnsent);
        SetPatience(fd, Patience);
    }

    private static void Set(FileDescriptor fd, int level, int option, int value) =>
        _ = Interop.Libc.setsockopt(fd.Value, level, option, &value, sizeof(int));
}
