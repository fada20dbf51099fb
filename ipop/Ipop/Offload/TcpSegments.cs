using Brunet;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Cuts a TCP packet that a kernel left whole into the segments that it would have sent (their checksums are left out).</summary>
internal readonly ref struct TcpSegments : IPacketRun
{
    private readonly ReadOnlySpan<byte> _packet;
    private readonly TcpHeader _header;
    private readonly int _size;

    private TcpSegments(ReadOnlySpan<byte> packet, TcpHeader header, int size)
    {
        _packet = packet;
        _header = header;
        _size = size;
        Count = Math.Max(1, (packet.Length - header.Size + size - 1) / size);
    }

    /// <inheritdoc/>
    public int Count { get; }

    /// <inheritdoc/>
    public int Longest => Math.Min(_packet.Length, _header.Size + _size);

    /// <summary>False if it is no TCP packet, or would be cut into nothing.</summary>
    public static bool TryRead(IPv4Packet packet, int segmentSize, out TcpSegments segments)
    {
        bool isTcp = TcpHeader.TryRead(packet, out TcpHeader header) && segmentSize > 0;
        segments = isTcp ? new TcpSegments(packet.Bytes, header, segmentSize) : default;
        return isTcp;
    }

    /// <inheritdoc/>
    public int Write(int index, Span<byte> destination)
    {
        int start = index * _size;
        int length = Math.Min(_size, _packet.Length - _header.Size - start);
        _packet[.._header.Size].CopyTo(destination);
        _packet.Slice(_header.Size + start, length).CopyTo(destination[_header.Size..]);
        byte flags = _header.Flags(_packet);
        flags &= (byte)~(index == 0 ? 0 : TcpHeader.WindowReduced);
        flags &= (byte)~(index == Count - 1 ? 0 : TcpHeader.Fin | TcpHeader.Push);
        Span<byte> segment = destination[..(_header.Size + length)];
        _header.Finish(segment, index, _header.Sequence(_packet) + (uint)start, flags);
        return segment.Length;
    }
}
