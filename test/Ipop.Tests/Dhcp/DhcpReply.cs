using System.Buffers.Binary;
using System.Text;
using Ipop.Dhcp;
using Ipop.Ethernet;

namespace Ipop.Tests;

/// <summary>A reply as a client sees it.</summary>
internal sealed record DhcpReply(
    DhcpMessageType Type, uint Transaction, IPv4Address Assigned, MacAddress Mac, IPv4Address Destination, IPv4Address Source,
    Dictionary<byte, byte[]> Options)
{
    public IPv4Address Address(byte code) => IPv4Address.Read(Options[code]);

    public uint Number(byte code) => Options[code].Length == 2
        ? BinaryPrimitives.ReadUInt16BigEndian(Options[code])
        : BinaryPrimitives.ReadUInt32BigEndian(Options[code]);

    public string Text(byte code) => Encoding.ASCII.GetString(Options[code]);

    public static DhcpReply Read(byte[] frame)
    {
        Assert.True(EthernetFrame.TryRead(frame, out EthernetFrame ethernet));
        Assert.True(IPv4Packet.TryRead(ethernet.Payload, out IPv4Packet packet));
        Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(packet.Bytes[..20])));
        AssertUdpChecksum(packet);
        Assert.True(UdpDatagram.TryRead(packet, out UdpDatagram datagram));
        Assert.Equal((67, 68), (datagram.SourcePort, datagram.DestinationPort));
        ReadOnlySpan<byte> bootp = datagram.Payload;
        Assert.True(bootp.Length is >= 300 and <= 576, "BOOTP clients take 300 to 576 bytes.");
        Assert.Equal(2, bootp[0]);
        var options = new Dictionary<byte, byte[]>();
        for (int i = 240; bootp[i] != DhcpOption.End; i += 2 + bootp[i + 1])
        {
            options.Add(bootp[i], bootp.Slice(i + 2, bootp[i + 1]).ToArray());
        }

        return new DhcpReply(
            (DhcpMessageType)options[DhcpOption.MessageType][0],
            BinaryPrimitives.ReadUInt32BigEndian(bootp[4..]),
            IPv4Address.Read(bootp[16..]),
            ethernet.Destination,
            packet.Destination,
            packet.Source,
            options);
    }

    private static void AssertUdpChecksum(IPv4Packet packet)
    {
        byte[] pseudo = [.. packet.Bytes[12..20], 0, 17, (byte)(packet.Payload.Length >> 8), (byte)packet.Payload.Length, .. packet.Payload];
        Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(pseudo)));
    }
}
