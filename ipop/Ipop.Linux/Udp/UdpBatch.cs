using System.Runtime.InteropServices;
using Brunet.Addressing;

namespace Ipop.Linux.Udp;

/// <summary>The arrays that recvmmsg and sendmmsg work on, in native memory, made once.</summary>
internal sealed unsafe class UdpBatch : IDisposable
{
    /// <summary>Bytes of UDP payload that a run may have together: what an IPv4 packet holds.</summary>
    private const int LongestRun = 65_507;

    private readonly Interop.Libc.mmsghdr* _messages;
    private readonly Interop.Libc.iovec* _vectors;
    private readonly Interop.Libc.iovec* _runs;
    private readonly Interop.Libc.sockaddr* _addresses;
    private readonly Interop.Libc.udp_cmsg* _controls;
    private readonly byte* _buffers;
    private readonly int[] _datagrams;
    private readonly int _slots;
    private readonly int _slotSize;
    private int _used;
    private TransportAddress _destination;

    /// <summary>Makes room.</summary>
    /// <param name="slots">Most datagrams, or runs of them when receiving.</param>
    /// <param name="slotSize">Bytes of each when receiving; when sending on average.</param>
    internal UdpBatch(int slots, int slotSize)
    {
        (_slots, _slotSize) = (slots, slotSize);
        var count = (nuint)slots;
        _messages = (Interop.Libc.mmsghdr*)NativeMemory.AllocZeroed(count, (nuint)sizeof(Interop.Libc.mmsghdr));
        _vectors = (Interop.Libc.iovec*)NativeMemory.AllocZeroed(count, (nuint)sizeof(Interop.Libc.iovec));
        _runs = (Interop.Libc.iovec*)NativeMemory.AllocZeroed(count, (nuint)sizeof(Interop.Libc.iovec));
        _datagrams = new int[slots];
        _addresses = (Interop.Libc.sockaddr*)NativeMemory.AllocZeroed(count, (nuint)sizeof(Interop.Libc.sockaddr));
        _controls = (Interop.Libc.udp_cmsg*)NativeMemory.AllocZeroed(count, (nuint)sizeof(Interop.Libc.udp_cmsg));
        _buffers = (byte*)NativeMemory.Alloc(count, (nuint)slotSize);
        for (int index = 0; index < slots; index++)
        {
            _vectors[index].iov_base = _buffers + (index * slotSize);
        }
    }

    internal int Count { get; private set; }

    /// <summary>Whether there is no room for one more datagram, or none in a run with those that wait: what is complete goes, so that runs begin where packets begin.</summary>
    internal bool IsFullFor(int length) => Count == _slots || (Count > 0 && _used + length > Math.Min(LongestRun, _slots * _slotSize));

    internal Interop.Libc.mmsghdr* Messages => _messages;

    internal int Slots => _slots;

    /// <summary>Makes the first slots ready to be written by the kernel.</summary>
    internal Interop.Libc.mmsghdr* PrepareToReceive(int slots)
    {
        for (int index = 0; index < slots; index++)
        {
            _vectors[index].iov_len = (nuint)_slotSize;
            ref Interop.Libc.msghdr message = ref _messages[index].msg_hdr;
            message.msg_iov = _vectors + index;
            message.msg_iovlen = 1;
            message.msg_name = _addresses + index;
            message.msg_namelen = (uint)sizeof(Interop.Libc.sockaddr);
            message.msg_control = _controls + index;
            message.msg_controllen = (nuint)sizeof(Interop.Libc.udp_cmsg);
        }

        return _messages;
    }

    /// <summary>What the kernel wrote into a slot; false if it was longer than the slot.</summary>
    /// <param name="index">Which slot.</param>
    /// <param name="source">Who sent it.</param>
    /// <param name="datagrams">One datagram, or several one behind the other.</param>
    /// <param name="size">Bytes of each but the last, which may be shorter.</param>
    internal bool TryRead(int index, out TransportAddress source, out ReadOnlySpan<byte> datagrams, out int size)
    {
        source = SocketAddress.Read(_addresses[index]);
        datagrams = new ReadOnlySpan<byte>(_vectors[index].iov_base, (int)_messages[index].msg_len);
        bool isRun = _messages[index].msg_hdr.msg_controllen >= (nuint)sizeof(nuint)
            && _controls[index] is { cmsg_level: Interop.Libc.SOL_UDP, cmsg_type: Interop.Libc.UDP_GRO, gro: > 0 };
        size = isRun ? _controls[index].gro : Math.Max(1, datagrams.Length);
        return (_messages[index].msg_hdr.msg_flags & Interop.Libc.MSG_TRUNC) == 0;
    }

    /// <summary>Where the next datagram is to be written. Datagrams stand close together, so a few large ones fit where many usual ones do.</summary>
    internal Span<byte> Room(int length) => new(_buffers + _used, length);

    /// <summary>Fills the next slot with a copy.</summary>
    internal void Add(TransportAddress destination, bool isDual, ReadOnlySpan<byte> datagram)
    {
        datagram.CopyTo(Room(datagram.Length));
        Add(destination, isDual, datagram.Length);
    }

    /// <summary>Fills the next slot with what was written into its <see cref="Room"/>.</summary>
    internal void Add(TransportAddress destination, bool isDual, int length)
    {
        _addresses[Count] = Count > 0 && destination == _destination ? _addresses[Count - 1] : SocketAddress.Write(destination, isDual);
        _destination = destination;
        _vectors[Count] = new Interop.Libc.iovec { iov_base = _buffers + _used, iov_len = (nuint)length };
        _used += length;
        Count++;
    }

    /// <summary>
    /// Makes messages of what waits from a slot on: with runs, neighbours of one size to one destination are one message, which the kernel or the card
    /// cuts again (UDP_SEGMENT of udp(7)); a shorter one ends its run. They stand close together, so a run is one piece of memory.
    /// </summary>
    /// <returns>How many messages there are; <see cref="DatagramsOf"/> says what each holds.</returns>
    internal int Gather(int first, bool isDual, bool inRuns)
    {
        int messages = 0;
        for (int index = first; index < Count;)
        {
            nuint bytes = _vectors[index].iov_len;
            int length = inRuns ? RunAt(index, ref bytes) : 1;
            _datagrams[messages] = length;
            _runs[messages] = new Interop.Libc.iovec { iov_base = _vectors[index].iov_base, iov_len = bytes };
            ref Interop.Libc.msghdr message = ref _messages[messages].msg_hdr;
            message = new Interop.Libc.msghdr
            {
                msg_iov = _runs + messages,
                msg_iovlen = 1,
                msg_name = _addresses + index,
                msg_namelen = isDual ? 28u : 16u,
            };
            if (length > 1)
            {
                _controls[messages] = new Interop.Libc.udp_cmsg
                {
                    cmsg_len = Interop.Libc.udp_cmsg.SegmentLength,
                    cmsg_level = Interop.Libc.SOL_UDP,
                    cmsg_type = Interop.Libc.UDP_SEGMENT,
                    segment = (ushort)_vectors[index].iov_len,
                };
                message.msg_control = _controls + messages;
                message.msg_controllen = (nuint)sizeof(Interop.Libc.udp_cmsg);
            }

            index += length;
            messages++;
        }

        return messages;
    }

    /// <summary>How many slots a message of <see cref="Gather"/> holds.</summary>
    internal int DatagramsOf(int message) => _datagrams[message];

    internal void Clear() => (Count, _used) = (0, 0);

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_messages);
        NativeMemory.Free(_vectors);
        NativeMemory.Free(_runs);
        NativeMemory.Free(_addresses);
        NativeMemory.Free(_controls);
        NativeMemory.Free(_buffers);
    }

    private int RunAt(int first, ref nuint sum)
    {
        nuint size = _vectors[first].iov_len;
        int end = first + 1;
        while (end < Count && _vectors[end].iov_len <= size && sum + _vectors[end].iov_len <= LongestRun && IsSameAddress(first, end))
        {
            sum += _vectors[end].iov_len;
            if (_vectors[end++].iov_len < size)
            {
                break;
            }
        }

        return end - first;
    }

    private bool IsSameAddress(int one, int other) =>
        new ReadOnlySpan<byte>(_addresses + one, sizeof(Interop.Libc.sockaddr)).SequenceEqual(
            new ReadOnlySpan<byte>(_addresses + other, sizeof(Interop.Libc.sockaddr)));
}
