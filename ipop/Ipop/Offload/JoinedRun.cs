using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Packets of one flow, one after the other, that go to the local kernel as one: their head once, and all of their payloads.</summary>
internal abstract class JoinedRun
{
    private readonly byte[] _frame = new byte[EthernetFrame.HeaderSize + ushort.MaxValue];
    private MacAddress _station;
    private int _length;

    /// <summary>Whether nothing is in it.</summary>
    public bool IsEmpty => _length == 0;

    /// <summary>The first one's headers and all payloads.</summary>
    protected Span<byte> Packet => _frame.AsSpan(EthernetFrame.HeaderSize, _length);

    /// <summary>Bytes of the IPv4 header.</summary>
    protected int IpSize { get; private set; }

    /// <summary>Whether a packet, not a fragment, is of the same flow and direction: the protocol is one anyway.</summary>
    public bool IsOf(IPv4Packet packet)
    {
        // As numbers: this is asked for each packet, and a comparison of spans is a call.
        ReadOnlySpan<byte> head = Packet;
        return !IsEmpty && BinaryPrimitives.ReadUInt64LittleEndian(head[12..]) == BinaryPrimitives.ReadUInt64LittleEndian(packet.Bytes[12..])
            && BinaryPrimitives.ReadUInt32LittleEndian(head[IpSize..]) == BinaryPrimitives.ReadUInt32LittleEndian(packet.Payload);
    }

    /// <summary>Gives the frame for the tap, and what its kernel is to do; empties the run.</summary>
    public ReadOnlySpan<byte> Take(out FrameOffload offload)
    {
        EthernetFrame.WriteHeader(_frame, _station, MacAddress.Gateway, EthernetFrame.IPv4);
        offload = Finish(Packet);
        ReadOnlySpan<byte> frame = _frame.AsSpan(0, EthernetFrame.HeaderSize + _length);
        _length = 0;
        return frame;
    }

    /// <summary>Makes the whole a packet that a kernel cuts into what came.</summary>
    protected abstract FrameOffload Finish(Span<byte> packet);

    /// <summary>Begins with a packet for a station.</summary>
    protected void Begin(MacAddress station, IPv4Packet packet)
    {
        (_station, IpSize, _length) = (station, packet.HeaderSize, packet.Bytes.Length);
        packet.Bytes.CopyTo(Packet);
    }

    /// <summary>Appends payload; false if the whole would be longer than IPv4 can say.</summary>
    protected bool TryAppend(ReadOnlySpan<byte> payload)
    {
        if (_length + payload.Length > ushort.MaxValue)
        {
            return false;
        }

        payload.CopyTo(_frame.AsSpan(EthernetFrame.HeaderSize + _length));
        _length += payload.Length;
        return true;
    }
}
