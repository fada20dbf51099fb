using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Reads and finishes the headers of a whole IPv4 packet with UDP (RFC 768) and without options, for those that cut and join them.</summary>
internal static class UdpHeader
{
    /// <summary>Bytes of both headers.</summary>
    public const int Size = IPv4Packet.MinimumHeaderSize + UdpDatagram.HeaderSize;

    /// <summary>
    /// Datagrams of one packet at most: what every kernel that cuts them allows (UDP_MAX_SEGMENTS of linux/udp.h, 128 from Linux 6.10 on).
    /// </summary>
    public const int MostDatagrams = 64;

    private const int Checksum = IPv4Packet.MinimumHeaderSize + FrameOffload.UdpChecksum;

    /// <summary>Whether a packet is such a one with payload, and its lengths agree.</summary>
    public static bool IsWhole(IPv4Packet packet) =>
        packet.Protocol == IPv4Packet.Udp && !packet.IsFragment && packet.HeaderSize == IPv4Packet.MinimumHeaderSize && packet.Bytes.Length > Size
        && BinaryPrimitives.ReadUInt16BigEndian(packet.Payload[4..]) == packet.Payload.Length;

    /// <summary>Whether it has a checksum, and the right one.</summary>
    public static bool HasRightChecksum(ReadOnlySpan<byte> packet) =>
        BinaryPrimitives.ReadUInt16BigEndian(packet[Checksum..]) != 0
        && InternetChecksum.Finish(InternetChecksum.Sum(packet[IPv4Packet.MinimumHeaderSize..], PseudoSum(packet))) == 0;

    /// <summary>
    /// Finishes a packet of which only its head is another one's: lengths, identification and checksum of IPv4; in the place of the datagram's checksum the
    /// pseudo-header's sum, as a kernel expects it that makes the checksum itself.
    /// </summary>
    public static void Finish(Span<byte> packet, int step)
    {
        IPv4Packet.Finish(packet, IPv4Packet.MinimumHeaderSize, step);
        BinaryPrimitives.WriteUInt16BigEndian(packet[(IPv4Packet.MinimumHeaderSize + 4)..], (ushort)(packet.Length - IPv4Packet.MinimumHeaderSize));
        BinaryPrimitives.WriteUInt16BigEndian(packet[Checksum..], (ushort)~InternetChecksum.Finish(PseudoSum(packet)));
    }

    /// <summary>Makes the checksum of a packet that <see cref="Finish"/> left without.</summary>
    public static void FillChecksum(Span<byte> packet) =>
        BinaryPrimitives.WriteUInt16BigEndian(
            packet[Checksum..], InternetChecksum.FinishNonZero(InternetChecksum.Sum(packet[IPv4Packet.MinimumHeaderSize..])));

    private static uint PseudoSum(ReadOnlySpan<byte> packet) => IPv4Packet.PseudoSum(packet, IPv4Packet.MinimumHeaderSize);
}
