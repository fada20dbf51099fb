using System.Runtime.InteropServices;
using Brunet.Addressing;

namespace Ipop.Linux.Udp;

/// <summary>The arrays that recvmmsg and sendmmsg work on, in native memory, made once.</summary>
internal sealed unsafe class UdpBatch : IDisposable
{
    private readonly Interop.Libc.mmsghdr* _messages;
    private readonly Interop.Libc.iovec* _vectors;
    private readonly Interop.Libc.sockaddr* _addresses;
    private readonly byte* _buffers;

    internal UdpBatch()
    {
        const nuint Count = UdpSocket.BatchSize;
        _messages = (Interop.Libc.mmsghdr*)NativeMemory.AllocZeroed(Count, (nuint)sizeof(Interop.Libc.mmsghdr));
        _vectors = (Interop.Libc.iovec*)NativeMemory.AllocZeroed(Count, (nuint)sizeof(Interop.Libc.iovec));
        _addresses = (Interop.Libc.sockaddr*)NativeMemory.AllocZeroed(Count, (nuint)sizeof(Interop.Libc.sockaddr));
        _buffers = (byte*)NativeMemory.Alloc(Count, UdpSocket.LargestDatagram);
        for (int index = 0; index < UdpSocket.BatchSize; index++)
        {
            _vectors[index].iov_base = _buffers + (index * UdpSocket.LargestDatagram);
            _messages[index].msg_hdr.msg_iov = _vectors + index;
            _messages[index].msg_hdr.msg_iovlen = 1;
            _messages[index].msg_hdr.msg_name = _addresses + index;
        }
    }

    internal int Count { get; private set; }

    internal Interop.Libc.mmsghdr* Messages => _messages;

    /// <summary>Makes every slot ready to be written by the kernel.</summary>
    internal Interop.Libc.mmsghdr* PrepareToReceive()
    {
        for (int index = 0; index < UdpSocket.BatchSize; index++)
        {
            _vectors[index].iov_len = UdpSocket.LargestDatagram;
            _messages[index].msg_hdr.msg_namelen = (uint)sizeof(Interop.Libc.sockaddr);
        }

        return _messages;
    }

    /// <summary>What the kernel wrote into a slot; false if it was longer than the slot.</summary>
    internal bool TryRead(int index, out TransportAddress source, out ReadOnlySpan<byte> datagram)
    {
        source = SocketAddress.Read(_addresses[index]);
        datagram = new ReadOnlySpan<byte>(_vectors[index].iov_base, (int)_messages[index].msg_len);
        return (_messages[index].msg_hdr.msg_flags & Interop.Libc.MSG_TRUNC) == 0;
    }

    /// <summary>Fills the next slot.</summary>
    internal void Add(TransportAddress destination, bool isDual, ReadOnlySpan<byte> datagram)
    {
        _addresses[Count] = SocketAddress.Write(destination, isDual);
        _messages[Count].msg_hdr.msg_namelen = isDual ? 28u : 16u;
        datagram.CopyTo(new Span<byte>(_vectors[Count].iov_base, UdpSocket.LargestDatagram));
        _vectors[Count].iov_len = (nuint)datagram.Length;
        Count++;
    }

    internal void Clear() => Count = 0;

    /// <inheritdoc/>
    public void Dispose()
    {
        NativeMemory.Free(_messages);
        NativeMemory.Free(_vectors);
        NativeMemory.Free(_addresses);
        NativeMemory.Free(_buffers);
    }
}
