using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>
/// Segments of one TCP connection that follow each other, put together to the packet that their sender's kernel left whole. They differ in nothing but
/// sequence number, identification and length, so a kernel may cut the packet into the very same again.
/// </summary>
internal sealed class TcpRun : JoinedRun
{
    private TcpHeader _header;
    private int _segment;
    private uint _next;
    private bool _isClosed;

    /// <summary>Begins with a packet for a station.</summary>
    public void Begin(MacAddress station, IPv4Packet packet, TcpHeader header)
    {
        Begin(station, packet);
        _header = header;
        _segment = packet.Bytes.Length - header.Size;
        _next = header.Sequence(packet.Bytes) + (uint)_segment;
        _isClosed = _segment == 0 || (header.Flags(packet.Bytes) & ~TcpHeader.WindowReduced) != TcpHeader.Ack;
    }

    /// <summary>Appends a packet of the same connection; false if it doesn't follow what is there.</summary>
    public bool TryAppend(IPv4Packet packet, TcpHeader header)
    {
        ReadOnlySpan<byte> bytes = packet.Bytes;
        int payload = bytes.Length - header.Size;
        byte flags = header.Flags(bytes);
        if (_isClosed || payload == 0 || payload > _segment || header != _header || header.Sequence(bytes) != _next
            || (flags & ~(TcpHeader.Push | TcpHeader.Fin)) != TcpHeader.Ack || !HasSameHead(bytes) || !TryAppend(bytes[header.Size..]))
        {
            return false;
        }

        _next += (uint)payload;
        Packet[_header.IpSize + 13] |= flags;
        _isClosed = payload < _segment || flags != TcpHeader.Ack;
        return true;
    }

    /// <inheritdoc/>
    protected override FrameOffload Finish(Span<byte> packet)
    {
        _header.Finish(packet, 0, _header.Sequence(packet), _header.Flags(packet));
        _header.WritePseudoSum(packet);
        bool isWhole = packet.Length - _header.Size <= _segment;
        return new FrameOffload(
            true, (ushort)(EthernetFrame.HeaderSize + _header.IpSize), FrameOffload.TcpChecksum, isWhole ? (ushort)0 : (ushort)_segment);
    }

    private static ushort Word(ReadOnlySpan<byte> bytes, int at) => BinaryPrimitives.ReadUInt16LittleEndian(bytes[at..]);

    // Service class, fragmentation flags, time to live and options of IPv4; acknowledgement, reserved bits (one of them is RFC 9768's), window, urgent pointer and options of TCP.
    private bool HasSameHead(ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> head = Packet;
        int tcp = _header.IpSize;
        return head[1] == bytes[1] && head[8] == bytes[8] && Word(head, 6) == Word(bytes, 6) && head[20..tcp].SequenceEqual(bytes[20..tcp])
            && BinaryPrimitives.ReadUInt32LittleEndian(head[(tcp + 8)..]) == BinaryPrimitives.ReadUInt32LittleEndian(bytes[(tcp + 8)..])
            && head[tcp + 12] == bytes[tcp + 12] && Word(head, tcp + 14) == Word(bytes, tcp + 14)
            && head[(tcp + 18).._header.Size].SequenceEqual(bytes[(tcp + 18).._header.Size]);
    }
}
