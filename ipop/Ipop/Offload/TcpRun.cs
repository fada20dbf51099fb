using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>
/// Segments of one TCP connection that follow each other, put together to the packet that their sender's kernel left whole. They differ in nothing but
/// sequence number, identification and length, so a kernel may cut the packet into the very same again.
/// </summary>
internal sealed class TcpRun
{
    private readonly byte[] _frame = new byte[EthernetFrame.HeaderSize + ushort.MaxValue];
    private MacAddress _station;
    private TcpHeader _header;
    private int _length;
    private int _segment;
    private uint _next;
    private bool _isClosed;

    /// <summary>Whether nothing is in it.</summary>
    public bool IsEmpty => _length == 0;

    private Span<byte> Packet => _frame.AsSpan(EthernetFrame.HeaderSize, _length);

    /// <summary>Whether a packet is of the same connection and direction.</summary>
    public bool IsOf(IPv4Packet packet, TcpHeader header) =>
        !IsEmpty && Packet.Slice(12, 8).SequenceEqual(packet.Bytes.Slice(12, 8))
        && Packet.Slice(_header.IpSize, 4).SequenceEqual(packet.Bytes.Slice(header.IpSize, 4));

    /// <summary>Begins with a packet for a station.</summary>
    public void Begin(MacAddress station, IPv4Packet packet, TcpHeader header)
    {
        _station = station;
        _header = header;
        _length = packet.Bytes.Length;
        packet.Bytes.CopyTo(Packet);
        _segment = _length - header.Size;
        _next = header.Sequence(packet.Bytes) + (uint)_segment;
        _isClosed = _segment == 0 || (header.Flags(packet.Bytes) & ~TcpHeader.WindowReduced) != TcpHeader.Ack;
    }

    /// <summary>Appends a packet of the same connection; false if it doesn't follow what is there.</summary>
    public bool TryAppend(IPv4Packet packet, TcpHeader header)
    {
        ReadOnlySpan<byte> bytes = packet.Bytes;
        int payload = bytes.Length - header.Size;
        byte flags = header.Flags(bytes);
        if (_isClosed || payload == 0 || payload > _segment || _length + payload > ushort.MaxValue || header != _header
            || header.Sequence(bytes) != _next || (flags & ~(TcpHeader.Push | TcpHeader.Fin)) != TcpHeader.Ack || !HasSameHead(bytes))
        {
            return false;
        }

        bytes[header.Size..].CopyTo(_frame.AsSpan(EthernetFrame.HeaderSize + _length));
        _length += payload;
        _next += (uint)payload;
        _frame[EthernetFrame.HeaderSize + _header.IpSize + 13] |= flags;
        _isClosed = payload < _segment || flags != TcpHeader.Ack;
        return true;
    }

    /// <summary>Gives the frame for the tap, and what its kernel is to do; empties the run.</summary>
    public ReadOnlySpan<byte> Take(out FrameOffload offload)
    {
        Span<byte> packet = Packet;
        EthernetFrame.WriteHeader(_frame, _station, MacAddress.Gateway, EthernetFrame.IPv4);
        _header.Finish(packet, 0, _header.Sequence(packet), _header.Flags(packet));
        _header.WritePseudoSum(packet);
        bool isWhole = _length - _header.Size <= _segment;
        offload = new FrameOffload(
            true, (ushort)(EthernetFrame.HeaderSize + _header.IpSize), FrameOffload.TcpChecksum, isWhole ? (ushort)0 : (ushort)_segment);
        ReadOnlySpan<byte> frame = _frame.AsSpan(0, EthernetFrame.HeaderSize + _length);
        _length = 0;
        return frame;
    }

    // Service class, fragmentation flags, time to live and options of IPv4; acknowledgement, window, urgent pointer and options of TCP.
    private bool HasSameHead(ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<byte> head = Packet;
        int tcp = _header.IpSize;
        return head[1] == bytes[1] && head.Slice(6, 3).SequenceEqual(bytes.Slice(6, 3)) && head[20..tcp].SequenceEqual(bytes[20..tcp])
            && BinaryPrimitives.ReadUInt32BigEndian(head[(tcp + 8)..]) == BinaryPrimitives.ReadUInt32BigEndian(bytes[(tcp + 8)..])
            && head.Slice(tcp + 14, 2).SequenceEqual(bytes.Slice(tcp + 14, 2))
            && head[(tcp + 18).._header.Size].SequenceEqual(bytes[(tcp + 18).._header.Size]);
    }
}
