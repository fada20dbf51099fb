using System.Buffers.Binary;
using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>
/// Packets of IPsec's ESP (RFC 4303) are encrypted and proven from end to end already. Only their heads are sealed: the IPv4 header and ESP's SPI and sequence number.
/// The rest is appended as it is, and whoever changes it on the way has changed it for IPsec, which notices.
/// </summary>
internal static class EspSeal
{
    /// <summary>Bytes that are sealed: an IPv4 header without options, SPI, sequence number.</summary>
    public const int HeadSize = IPv4HeaderSize + 8;

    /// <summary>Bytes of a frame before the head: header, tag. The head stands before what follows it in the packet, so one who may write in the frame can open it where it is.</summary>
    public const int HeadAt = ProtocolConstants.DataHeaderSize + ProtocolConstants.TagSize;

    /// <summary>Bytes of a frame before the rest: header, tag, head.</summary>
    public const int Overhead = HeadAt + HeadSize;

    /// <summary>Largest packet that travels so: what a message may hold beside its type.</summary>
    public const int LargestPacket = ProtocolConstants.MaxMessageSize - 1;

    /// <summary>Least that ESP has behind its sequence number: padding to four bytes and a proof of twelve, which is no less in any suite of RFC 8221.</summary>
    public const int SmallestRest = 16;

    private const int IPv4HeaderSize = 20;
    private const byte VersionAndSize = 0x45;
    private const byte Protocol = 50;
    private const ushort FragmentBits = 0x3fff;

    /// <summary>SPIs below are reserved (RFC 4303 section 2.1): no association has them.</summary>
    private const uint FirstSpi = 256;

    /// <summary>Whether a packet is one of ESP, whole and of the form that IPsec gives it. Nothing else may go with its payload unsealed.</summary>
    public static bool Fits(ReadOnlySpan<byte> packet) =>
        packet.Length is >= HeadSize + SmallestRest and <= LargestPacket && IsHead(packet[..HeadSize], packet.Length);

    /// <summary>Whether 28 bytes are the head of a packet of ESP of that length.</summary>
    public static bool IsHead(ReadOnlySpan<byte> head, int packetLength) =>
        head[0] == VersionAndSize
        && head[9] == Protocol
        && BinaryPrimitives.ReadUInt16BigEndian(head[2..]) == packetLength
        && (BinaryPrimitives.ReadUInt16BigEndian(head[6..]) & FragmentBits) == 0
        && BinaryPrimitives.ReadUInt32BigEndian(head[IPv4HeaderSize..]) >= FirstSpi
        && (packetLength - IPv4HeaderSize) % 4 == 0;
}
