using System.Runtime.InteropServices;
using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Udp;

/// <summary>
/// One UDP socket for IPv4 and IPv6 that receives and sends in batches (recvmmsg, sendmmsg). Not thread-safe.
/// </summary>
public sealed unsafe class UdpSocket : IDisposable
{
    /// <summary>Most datagrams in a system call.</summary>
    public const int BatchSize = 32;

    /// <summary>Longest datagram in bytes. Longer ones are not sent.</summary>
    public const int LargestDatagram = Brunet.Wire.StreamFraming.MaxFrameSize;

    /// <summary>Bytes after which no more is received at once: with the 8 MB that the batches could hold, everything else would wait for 20 ms.</summary>
    private const int BytesAtOnce = 200_000;

    /// <summary>Bytes of each that a call brought, on average, from which on the next one brings one alone.</summary>
    private const int LongRun = 1 << 14;

    /// <summary>Of the batch's slots that may be filled before something else has its turn.</summary>
    private const int BatchesAtOnce = 4;

    private readonly FileDescriptor _fd;
    private readonly bool _isDual;
    private readonly UdpBatches _batches;
    private readonly bool _isShared;
    private bool _sendsRuns, _areLong;
    private KernelCounter _overflowed;

    private UdpSocket(FileDescriptor fd, bool isDual, UdpBatches? shared, bool sendsRuns, bool receivesRuns)
    {
        _fd = fd;
        _isDual = isDual;
        _isShared = shared is not null;
        _batches = shared ?? new UdpBatches(sendsRuns, receivesRuns);

        // A size of 0 changes nothing, but an old kernel does not know the option. It goes on datagram by datagram.
        _sendsRuns = sendsRuns && Set(Interop.Libc.SOL_UDP, Interop.Libc.UDP_SEGMENT, 0);
        ReceivesRuns = receivesRuns && Set(Interop.Libc.SOL_UDP, Interop.Libc.UDP_GRO, 1);
    }

    /// <summary>Takes a datagram; the span is lent until the call returns.</summary>
    public delegate void Receiver(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagram);

    /// <summary>Takes datagrams of one source that the kernel joined, lent until the call returns: all of <paramref name="size"/> bytes but the last, which may be shorter.</summary>
    public delegate void RunReceiver(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagrams, int size);

    /// <summary>For <see cref="PollLoop.Add"/>.</summary>
    public int Descriptor => _fd.Value;

    /// <summary>Whether it serves IPv6 beside IPv4.</summary>
    public bool IsDual => _isDual;

    /// <summary>Whether datagrams of one size to one destination go as one; false once the kernel said that they can't.</summary>
    public bool SendsRuns => _sendsRuns;

    /// <summary>Whether the kernel joins what comes.</summary>
    public bool ReceivesRuns { get; }

    /// <summary>Whether IPsec policies of the machine leave its IPv4 datagrams alone.</summary>
    public bool IsPastIpsec { get; private set; }

    /// <inheritdoc cref="UdpBatches.Refused"/>
    public long Refused => _batches.Refused;

    /// <summary>What the kernel dropped before it was received, because the socket's queue was full (SO_MEMINFO, Linux 4.12; 32 bits there).</summary>
    public long Overflowed
    {
        get
        {
            const int Drops = 8;
            uint* figures = stackalloc uint[Drops + 1];
            uint length = (Drops + 1) * sizeof(uint);
            if (Interop.Libc.getsockopt(_fd.Value, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_MEMINFO, figures, &length) == 0)
            {
                _overflowed.See(figures[Drops]);
            }

            return _overflowed.Total;
        }
    }

    /// <summary>The port that the socket has.</summary>
    public int LocalPort
    {
        get
        {
            Interop.Libc.sockaddr address;
            uint length = (uint)sizeof(Interop.Libc.sockaddr);
            _ = Interop.Libc.getsockname(_fd.Value, &address, &length);
            return System.Buffers.Binary.BinaryPrimitives.ReverseEndianness(address.port);
        }
    }

    /// <summary>Opens a socket on all addresses of the machine, IPv4 alone where the kernel has no IPv6.</summary>
    /// <param name="port">0 for any free one.</param>
    /// <param name="shared">Buffers that it has in common with others, whose owner disposes of them; null for its own.</param>
    /// <exception cref="IOException">The port is taken, or may not be used.</exception>
    public static UdpSocket OpenAny(int port, UdpBatches? shared = null) => OpenAny(port, shared, sendsRuns: false, receivesRuns: false);

    /// <summary>As <see cref="OpenAny(int, UdpBatches?)"/>, for a socket that carries much.</summary>
    /// <param name="port">0 for any free one.</param>
    /// <param name="sendsRuns">Whether datagrams of one size to one destination go as one.</param>
    /// <param name="receivesRuns">Whether such datagrams come as one.</param>
    /// <exception cref="IOException">The port is taken, or may not be used.</exception>
    public static UdpSocket OpenFast(int port, bool sendsRuns = true, bool receivesRuns = true) =>
        OpenAny(port, shared: null, sendsRuns, receivesRuns);

    private static UdpSocket OpenAny(int port, UdpBatches? shared, bool sendsRuns, bool receivesRuns)
    {
        var address = new Interop.Libc.sockaddr { family = Interop.Libc.AF_INET6 };
        FileDescriptor fd = Create(Interop.Libc.AF_INET6);
        bool isDual = !fd.IsInvalid;
        if (!isDual)
        {
            address.family = Interop.Libc.AF_INET;
            fd = Create(Interop.Libc.AF_INET);
        }
        else
        {
            Set(fd, Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_V6ONLY, 0);
            Set(fd, Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MTU_DISCOVER, Interop.Libc.IP_PMTUDISC_DONT);
        }

        SocketMark.Set(fd);
        address.port = System.Buffers.Binary.BinaryPrimitives.ReverseEndianness((ushort)port);
        UdpSocket socket = Bind(fd, address, isDual, $"UDP port {port}", shared, sendsRuns, receivesRuns);
        socket.IsPastIpsec = SocketBypass.Set(fd, address.family, Interop.Libc.AF_INET);
        return socket;
    }

    /// <summary>Opens a socket on one IPv4 address.</summary>
    /// <exception cref="IOException">The port is taken, or the address is not this machine's.</exception>
    public static UdpSocket Open(TransportAddress local)
    {
        FileDescriptor fd = Create(Interop.Libc.AF_INET);
        return Bind(fd, SocketAddress.Write(local, isDual: false), isDual: false, $"UDP {local}");
    }

    /// <summary>Opens a socket on a multicast group, whose port a socket on all addresses may have.</summary>
    /// <exception cref="IOException">Another program has the port, or the kernel has no IPv6.</exception>
    internal static UdpSocket OpenBeside(UdpSocket other, TransportAddress group)
    {
        int family = group.IsIPv4 ? Interop.Libc.AF_INET : Interop.Libc.AF_INET6;
        FileDescriptor fd = Create(family);
        Set(fd, Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEADDR, 1);
        SocketMark.Set(fd);
        SocketBypass.Set(fd, family, family);

        // The other one shares its port for this moment only: later somebody else could take its datagrams away.
        other.Set(Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEADDR, 1);
        try
        {
            return Bind(fd, SocketAddress.Write(group, isDual: !group.IsIPv4), isDual: !group.IsIPv4, $"multicast to UDP {group}");
        }
        finally
        {
            other.Set(Interop.Libc.SOL_SOCKET, Interop.Libc.SO_REUSEADDR, 0);
        }
    }

    /// <summary>Sets an option; false if the kernel refuses.</summary>
    internal bool Set(int level, int option, int value) => Set(_fd, level, option, value);

    /// <summary>Hands over what has arrived, at most a few batches, so that one sender can't starve the rest.</summary>
    public void Receive(TimeSpan now, Receiver receiver)
    {
        ArgumentNullException.ThrowIfNull(receiver);
        Receive(now, receiver, null);
    }

    /// <summary>The same, and leaves joined what the kernel joined.</summary>
    public void ReceiveRuns(TimeSpan now, RunReceiver receiver)
    {
        ArgumentNullException.ThrowIfNull(receiver);
        Receive(now, null, receiver);
    }

    private void Receive(TimeSpan now, Receiver? one, RunReceiver? run)
    {
        UdpBatch received = _batches.Received;
        for (int slots = 0, bytes = 0; slots < BatchesAtOnce * received.Slots && bytes < BytesAtOnce;)
        {
            // One long run is a third of what may come at once, and all slots full of them are a megabyte.
            int most = _areLong ? 1 : received.Slots, before = bytes;
            int count = Interop.Libc.recvmmsg(_fd.Value, received.PrepareToReceive(most), (uint)most, Interop.Libc.MSG_DONTWAIT, null);
            for (int index = 0; index < count; index++)
            {
                if (received.TryRead(index, out TransportAddress source, out ReadOnlySpan<byte> datagrams, out int size))
                {
                    bytes += datagrams.Length;
                    run?.Invoke(now, source, datagrams, size);
                    for (; one is not null && datagrams.Length > size; datagrams = datagrams[size..])
                    {
                        one(now, source, datagrams[..size]);
                    }

                    one?.Invoke(now, source, datagrams);
                }
            }

            _areLong = count > 0 ? bytes - before >= count * LongRun : _areLong;
            if (count < most)
            {
                return;
            }

            slots += most;
        }
    }

    /// <summary>Queues one datagram; it leaves when the batch is full or at <see cref="Flush"/>.</summary>
    public void Send(TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        Span<byte> room = RoomFor(destination, datagram.Length);
        if (!room.IsEmpty)
        {
            datagram.CopyTo(room);
            SendWritten(destination, datagram.Length);
        }
    }

    /// <summary>Room for a datagram that <see cref="SendWritten"/> queues; empty if it can't be sent.</summary>
    public Span<byte> RoomFor(TransportAddress destination, int length)
    {
        if (length > LargestDatagram || (!_isDual && !destination.IsIPv4))
        {
            return default;
        }

        if (_batches.Sender != this)
        {
            // What another socket has queued in the same buffers goes first.
            _batches.Sender?.Flush();
        }
        else if (_batches.Waiting.IsFullFor(length))
        {
            Flush();
        }

        return _batches.Waiting.Room(length);
    }

    /// <summary>Queues what was written into the room that was given last.</summary>
    public void SendWritten(TransportAddress destination, int length)
    {
        _batches.Sender = this;
        _batches.Waiting.Add(destination, _isDual, length);
    }

    /// <summary>Sends one datagram at once, with the order that nobody may fragment it: a probe of what the path carries.</summary>
    /// <returns>False if the machine's own interface is too narrow. What else keeps it from leaving is a loss like others.</returns>
    public bool SendWhole(TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        if (datagram.Length > LargestDatagram || (!_isDual && !destination.IsIPv4))
        {
            return false;
        }

        _batches.Sender?.Flush();
        UdpBatch waiting = _batches.Waiting;
        waiting.Add(destination, _isDual, datagram);
        waiting.Gather(0, _isDual, inRuns: false);
        (int level, int option) = destination.IsIPv4
            ? (Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MTU_DISCOVER)
            : (Interop.Libc.IPPROTO_IPV6, Interop.Libc.IPV6_MTU_DISCOVER);

        // PROBE looks at nothing but the interface: what a router once told the kernel may be out of date, or a lie.
        Set(level, option, Interop.Libc.IP_PMTUDISC_PROBE);
        int count = Interop.Libc.sendmmsg(_fd.Value, waiting.Messages, 1, Interop.Libc.MSG_DONTWAIT);
        bool isTooLong = count <= 0 && Marshal.GetLastPInvokeError() == Interop.Libc.EMSGSIZE;
        Set(level, option, Interop.Libc.IP_PMTUDISC_DONT);
        _batches.Refused += count <= 0 && !isTooLong ? 1 : 0;
        waiting.Clear();
        return !isTooLong;
    }

    /// <summary>Sends what is queued. What the kernel doesn't take (no route, buffer full) is lost, as on a wire.</summary>
    public void Flush()
    {
        if (_batches.Sender != this)
        {
            return;
        }

        UdpBatch waiting = _batches.Waiting;
        for (int done = 0; done < waiting.Count;)
        {
            done += SendFrom(waiting, done, _sendsRuns, out bool isRunRefused);
            if (isRunRefused)
            {
                done += SendFrom(waiting, done, inRuns: false, out _);
            }
        }

        waiting.Clear();
        _batches.Sender = null;
    }

    /// <summary>Sends what waits from a slot on, up to a run that the kernel refuses; returns how many slots are done with.</summary>
    private int SendFrom(UdpBatch waiting, int first, bool inRuns, out bool isRunRefused)
    {
        int messages = waiting.Gather(first, _isDual, inRuns);
        int sent = 0, slots = 0;
        isRunRefused = false;
        while (sent < messages)
        {
            int count = Interop.Libc.sendmmsg(_fd.Value, waiting.Messages + sent, (uint)(messages - sent), Interop.Libc.MSG_DONTWAIT);
            if (count <= 0 && waiting.DatagramsOf(sent) > 1 && IsRefusal(Marshal.GetLastPInvokeError()))
            {
                isRunRefused = true;
                return slots;
            }

            _batches.Refused += count <= 0 ? waiting.DatagramsOf(sent) : 0;

            // An error concerns the first message only; the rest may have other destinations.
            for (int end = sent + Math.Max(1, count); sent < end; sent++)
            {
                slots += waiting.DatagramsOf(sent);
            }
        }

        return slots;
    }

    // EIO: the card can't sum what is cut (udp(7)), so it never will. The others: these datagrams are too long for the way, and must be fragmented.
    internal bool IsRefusal(int error)
    {
        _sendsRuns &= error != Interop.Libc.EIO;
        return error is Interop.Libc.EIO or Interop.Libc.EINVAL or Interop.Libc.EMSGSIZE;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isShared)
        {
            Flush();
        }
        else
        {
            _batches.Dispose();
        }

        _fd.Dispose();
    }

    private static FileDescriptor Create(int family)
    {
        var fd = new FileDescriptor(Interop.Libc.socket(
            family, Interop.Libc.SOCK_DGRAM | Interop.Libc.SOCK_NONBLOCK | Interop.Libc.SOCK_CLOEXEC, 0));
        if (fd.IsInvalid && !(family == Interop.Libc.AF_INET6 && Marshal.GetLastPInvokeError() == Interop.Libc.EAFNOSUPPORT))
        {
            throw new IOException($"no UDP socket: {FileDescriptor.LastError()}");
        }

        return fd;
    }

    private static UdpSocket Bind(
        FileDescriptor fd, Interop.Libc.sockaddr address, bool isDual, string what, UdpBatches? shared = null, bool sendsRuns = false, bool receivesRuns = false)
    {
        // Overlay datagrams may be cut on the way where a link is narrow; that beats a black hole.
        Set(fd, Interop.Libc.IPPROTO_IP, Interop.Libc.IP_MTU_DISCOVER, Interop.Libc.IP_PMTUDISC_DONT);
        GrowBuffer(fd, Interop.Libc.SO_RCVBUFFORCE, Interop.Libc.SO_RCVBUF);
        GrowBuffer(fd, Interop.Libc.SO_SNDBUFFORCE, Interop.Libc.SO_SNDBUF);
        if (Interop.Libc.bind(fd.Value, &address, (uint)sizeof(Interop.Libc.sockaddr)) < 0)
        {
            string error = FileDescriptor.LastError();
            fd.Dispose();
            throw new IOException($"{what} can't be used: {error}");
        }

        return new UdpSocket(fd, isDual, shared, sendsRuns, receivesRuns);
    }

    private static void GrowBuffer(FileDescriptor fd, int forced, int polite)
    {
        const int Bytes = 4 << 20;
        if (!Set(fd, Interop.Libc.SOL_SOCKET, forced, Bytes))
        {
            Set(fd, Interop.Libc.SOL_SOCKET, polite, Bytes);
        }
    }

    private static bool Set(FileDescriptor fd, int level, int option, int value) =>
        Interop.Libc.setsockopt(fd.Value, level, option, &value, sizeof(int)) == 0;
}
