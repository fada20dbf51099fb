using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>
/// Datagrams of one UDP flow, each as long as the first and the last perhaps shorter, put together to a packet that a kernel cuts into the very same again
/// (UDP_SEGMENT, udp(7)). Only datagrams with the right checksum are: what was wrong before it came to us must stay wrong, and the kernel makes it anew.
/// </summary>
internal sealed class UdpRun : JoinedRun
{
    private int _payload;
    private int _count;
    private bool _isClosed;

    /// <summary>Begins with a packet for a station.</summary>
    public new void Begin(MacAddress station, IPv4Packet packet)
    {
        base.Begin(station, packet);
        (_payload, _count, _isClosed) = (packet.Bytes.Length - UdpHeader.Size, 1, false);
    }

    /// <summary>Appends a packet of the same flow; false if it is not like those that are there.</summary>
    public bool TryAppend(IPv4Packet packet)
    {
        ReadOnlySpan<byte> bytes = packet.Bytes;
        int payload = bytes.Length - UdpHeader.Size;
        if (_isClosed || _count == UdpHeader.MostDatagrams || payload > _payload || !HasSameHead(packet)
            || !UdpHeader.HasRightChecksum(bytes) || (_count == 1 && !UdpHeader.HasRightChecksum(Packet)) || !TryAppend(bytes[UdpHeader.Size..]))
        {
            return false;
        }

        _count++;
        _isClosed = payload < _payload;
        return true;
    }

    /// <inheritdoc/>
    protected override FrameOffload Finish(Span<byte> packet)
    {
        if (_count == 1)
        {
            return default;
        }

        UdpHeader.Finish(packet, 0);
        return new FrameOffload(true, EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize, FrameOffload.UdpChecksum, (ushort)_payload);
    }

    // Service class, fragmentation flags and time to live. The kernel counts identifications on, which matters only where routers may cut (RFC 6864).
    private bool HasSameHead(IPv4Packet packet)
    {
        ReadOnlySpan<byte> head = Packet, bytes = packet.Bytes;
        int step = (ushort)(BinaryPrimitives.ReadUInt16BigEndian(bytes[4..]) - BinaryPrimitives.ReadUInt16BigEndian(head[4..]));
        return head[1] == bytes[1] && head.Slice(6, 3).SequenceEqual(bytes.Slice(6, 3)) && (!PacketParts.MayCut(packet) || step == _count);
    }
}
