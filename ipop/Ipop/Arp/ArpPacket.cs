using System.Buffers.Binary;

namespace Ipop.Arp;

/// <summary>An ARP packet for IPv4 over Ethernet (RFC 826).</summary>
/// <param name="Operation">1 is a request, 2 a reply.</param>
/// <param name="SenderMac">Who speaks.</param>
/// <param name="Sender">The address that the speaker says it has; 0.0.0.0 in a probe (RFC 5227 section 1.1).</param>
/// <param name="Target">The address that is asked for.</param>
internal readonly record struct ArpPacket(ushort Operation, MacAddress SenderMac, IPv4Address Sender, IPv4Address Target)
{
    /// <summary>Length, in bytes.</summary>
    public const int Size = 28;

    /// <summary>Operation of a request.</summary>
    public const ushort Request = 1;

    /// <summary>Operation of a reply.</summary>
    public const ushort Reply = 2;

    /// <summary>Hardware type Ethernet, protocol type IPv4, address lengths 6 and 4.</summary>
    private const ulong EthernetIPv4 = 0x0001_0800_06_04;

    /// <summary>Reads a packet; false if it is too short or not for IPv4 over Ethernet.</summary>
    public static bool TryRead(ReadOnlySpan<byte> source, out ArpPacket packet)
    {
        packet = default;
        if (source.Length < Size || BinaryPrimitives.ReadUInt64BigEndian(source) >> 16 != EthernetIPv4)
        {
            return false;
        }

        packet = new ArpPacket(
            BinaryPrimitives.ReadUInt16BigEndian(source[6..]),
            MacAddress.Read(source[8..]),
            IPv4Address.Read(source[14..]),
            IPv4Address.Read(source[24..]));
        return true;
    }

    /// <summary>Writes the reply that says <paramref name="mac"/> has what this request asks for.</summary>
    public void WriteReply(Span<byte> destination, MacAddress mac) => Write(destination, Reply, mac, Target, SenderMac, Sender);

    /// <summary>Writes a packet.</summary>
    public static void Write(
        Span<byte> destination, ushort operation, MacAddress senderMac, IPv4Address sender, MacAddress targetMac, IPv4Address target)
    {
        BinaryPrimitives.WriteUInt64BigEndian(destination, (EthernetIPv4 << 16) | operation);
        senderMac.Write(destination[8..]);
        sender.Write(destination[14..]);
        targetMac.Write(destination[18..]);
        target.Write(destination[24..]);
    }
}
