using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Cuts a UDP packet that a kernel left whole into the datagrams that its program sent at once (UDP_SEGMENT, udp(7)), checksums included.</summary>
internal readonly ref struct UdpDatagrams
{
    private readonly ReadOnlySpan<byte> _packet;
    private readonly int _size;

    private UdpDatagrams(ReadOnlySpan<byte> packet, int size)
    {
        _packet = packet;
        _size = size;
        Count = (packet.Length - UdpHeader.Size + size - 1) / size;
    }

    /// <summary>How many there are.</summary>
    public int Count { get; }

    /// <summary>False if it is no UDP packet with payload, or would be cut into nothing.</summary>
    /// <param name="packet">The whole.</param>
    /// <param name="size">Payload of each but the last, in bytes.</param>
    /// <param name="datagrams">For <see cref="Write"/>.</param>
    public static bool TryRead(IPv4Packet packet, int size, out UdpDatagrams datagrams)
    {
        bool isUdp = size > 0 && UdpHeader.IsWhole(packet);
        datagrams = isUdp ? new UdpDatagrams(packet.Bytes, size) : default;
        return isUdp;
    }

    /// <summary>Writes the packet of one of them; returns its length in bytes.</summary>
    public int Write(int index, Span<byte> destination)
    {
        int start = index * _size;
        int length = Math.Min(_size, _packet.Length - UdpHeader.Size - start);
        Span<byte> packet = destination[..(UdpHeader.Size + length)];
        _packet[..UdpHeader.Size].CopyTo(packet);
        _packet.Slice(UdpHeader.Size + start, length).CopyTo(packet[UdpHeader.Size..]);
        UdpHeader.Finish(packet, index);
        UdpHeader.FillChecksum(packet);
        return packet.Length;
    }
}
