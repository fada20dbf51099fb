namespace Ipop.Offload;

/// <summary>
/// What a kernel left to be done on a frame of the tap, as its virtio_net_hdr says (virtio 1.2 section 5.1.6): the transport's checksum, and
/// cutting a TCP packet that is larger than the network's into segments, or a UDP packet of several datagrams into those. The default value: nothing.
/// </summary>
/// <param name="LacksChecksum">Whether the checksum at <see cref="ChecksumStart"/> + <see cref="ChecksumOffset"/> is still to be made.</param>
/// <param name="ChecksumStart">Where in the frame the checksum's sum begins, in bytes.</param>
/// <param name="ChecksumOffset">Where from there the checksum stands, in bytes.</param>
/// <param name="SegmentSize">Payload of each segment or datagram, in bytes; 0 if the packet is one.</param>
public readonly record struct FrameOffload(bool LacksChecksum, ushort ChecksumStart, ushort ChecksumOffset, ushort SegmentSize)
{
    /// <summary>Where in a TCP header its checksum stands (RFC 9293 section 3.1).</summary>
    internal const ushort TcpChecksum = 16;

    /// <summary>Where in a UDP header its checksum stands (RFC 768).</summary>
    internal const ushort UdpChecksum = 6;

    /// <summary>Whether it is a UDP packet of several datagrams; with a <see cref="SegmentSize"/> and not so it is a TCP packet of several segments.</summary>
    public bool IsDatagrams => SegmentSize > 0 && ChecksumOffset == UdpChecksum;
}
