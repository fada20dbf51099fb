using System.Buffers.Binary;
using System.Text;
using Ipop;
using Ipop.Arp;
using Ipop.Dhcp;
using Ipop.Ethernet;

namespace Fuzz.Targets;

/// <summary>Valid frames and packets.</summary>
internal static class PacketSamples
{
    public static readonly Subnet Subnet = Subnet.Parse("10.128.0.0/16");
    public static readonly MacAddress TapMac = new(0x02_00_00_00_00_77);
    public static readonly IPv4Address Local = new(0x0a800101);
    public static readonly IPv4Address Remote = new(0x0a800202);

    public static byte[] Frame(ushort etherType, byte[] payload)
    {
        byte[] frame = new byte[EthernetFrame.HeaderSize + payload.Length];
        EthernetFrame.WriteHeader(frame, MacAddress.Gateway, TapMac, etherType);
        payload.CopyTo(frame, EthernetFrame.HeaderSize);
        return frame;
    }

    public static byte[] Packet(IPv4Address source, IPv4Address destination, byte protocol, byte[] payload)
    {
        byte[] packet = new byte[IPv4Packet.MinimumHeaderSize + payload.Length];
        IPv4Packet.WriteHeader(packet, packet.Length, protocol, source, destination);
        payload.CopyTo(packet, IPv4Packet.MinimumHeaderSize);
        return packet;
    }

    public static byte[] Udp(IPv4Address source, ushort from, IPv4Address destination, ushort to, byte[] payload)
    {
        byte[] datagram = new byte[UdpDatagram.HeaderSize + payload.Length];
        payload.CopyTo(datagram, UdpDatagram.HeaderSize);
        UdpDatagram.WriteHeader(datagram, source, from, destination, to);
        return Packet(source, destination, IPv4Packet.Udp, datagram);
    }

    public static byte[] Tcp(IPv4Address source, IPv4Address destination, ushort port)
    {
        byte[] segment = new byte[20];
        BinaryPrimitives.WriteUInt16BigEndian(segment, 40000);
        BinaryPrimitives.WriteUInt16BigEndian(segment.AsSpan(2), port);
        (segment[12], segment[13]) = (0x50, 2);
        return Packet(source, destination, IPv4Packet.Tcp, segment);
    }

    public static byte[] Arp(IPv4Address sender, IPv4Address target, ushort operation = ArpPacket.Request)
    {
        byte[] packet = new byte[ArpPacket.Size];
        new ArpPacket(operation, MacAddress.Gateway, target, sender).WriteReply(packet, TapMac);
        packet[7] = (byte)operation;
        return packet;
    }

    public static byte[] Dhcp(DhcpMessageType type, IPv4Address client, params (byte Code, byte[] Value)[] options)
    {
        List<byte> bytes = [.. new byte[DhcpRequest.HeaderSize]];
        (bytes[0], bytes[1], bytes[2], bytes[7]) = (1, 1, 6, 42);
        (bytes[236], bytes[237], bytes[238], bytes[239]) = (0x63, 0x82, 0x53, 0x63);
        bytes.AddRange([DhcpOption.MessageType, 1, (byte)type]);
        foreach ((byte code, byte[] value) in options)
        {
            // Padding has no length (RFC 2132 section 3.1).
            bytes.AddRange(code == DhcpOption.Pad ? [code] : [code, (byte)value.Length, .. value]);
        }

        bytes.Add(DhcpOption.End);
        byte[] message = [.. bytes];
        client.Write(message.AsSpan(12));
        TapMac.Write(message.AsSpan(28));
        return message;
    }

    public static IEnumerable<Sample> DhcpMessages()
    {
        byte[] wanted = [10, 128, 1, 1];
        byte[] server = [10, 128, 255, 254];
        yield return new("discover", Dhcp(DhcpMessageType.Discover, default, (DhcpOption.ClientIdentifier, [1, 2, 3])));
        yield return new("request", Dhcp(DhcpMessageType.Request, default, (DhcpOption.RequestedAddress, wanted), (DhcpOption.ServerIdentifier, server)));
        yield return new("overload", Dhcp(DhcpMessageType.Request, default, (DhcpOption.Overload, [3]), (DhcpOption.RequestedAddress, wanted)));
        yield return new("renew", Dhcp(DhcpMessageType.Request, Local, (DhcpOption.ClientIdentifier, new byte[255])));
        yield return new("decline", Dhcp(DhcpMessageType.Decline, default, (DhcpOption.RequestedAddress, wanted), (DhcpOption.ServerIdentifier, server)));
        yield return new("release", Dhcp(DhcpMessageType.Release, Local, (DhcpOption.ServerIdentifier, server)));
        yield return new("inform", Dhcp(DhcpMessageType.Inform, Local));
        yield return new("wishes", Dhcp(
            DhcpMessageType.Discover, default, (DhcpOption.LeaseTime, [0, 0, 14, 16]), (DhcpOption.LargestMessage, [5, 192]), (DhcpOption.ParameterList, [1, 3, 6, 26]),
            (DhcpOption.RapidCommit, [])));
    }

    public static byte[] DnsQuery(string name, ushort type, bool hasEdns)
    {
        List<byte> bytes = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, hasEdns ? (byte)1 : (byte)0];
        foreach (string label in name.Split('.'))
        {
            bytes.AddRange([(byte)label.Length, .. Encoding.ASCII.GetBytes(label)]);
        }

        bytes.AddRange([0, (byte)(type >> 8), (byte)type, 0, 1]);
        if (hasEdns)
        {
            bytes.AddRange([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]);
        }

        return [.. bytes];
    }

    public static IEnumerable<Sample> DnsQueries()
    {
        yield return new("host", DnsQuery("boss.demo.internal", 1, hasEdns: true));
        yield return new("dashed", DnsQuery("10-128-1-1.demo.internal", 1, hasEdns: false));
        yield return new("service", DnsQuery("_condor._tcp.demo.internal", 33, hasEdns: false));
        yield return new("manager", DnsQuery("manager.demo.internal", 255, hasEdns: true));
        yield return new("apex", DnsQuery("demo.internal", 6, hasEdns: false));
        yield return new("reverse", DnsQuery("1.1.128.10.in-addr.arpa", 12, hasEdns: true));
        yield return new("foreign", DnsQuery("www.example.org", 28, hasEdns: false));
        yield return new("longest-name", DnsQuery(string.Join('.', Enumerable.Repeat(new string('a', 59), 4)) + ".demo.internal", 1, hasEdns: true));
        yield return new("pointer-to-itself", [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1]);
        yield return new("65535-records", [.. DnsQuery("demo.internal", 1, hasEdns: false)[..6], 255, 255, 255, 255, 255, 255, .. DnsQuery("demo.internal", 1, hasEdns: false)[12..]]);
    }

    public static IEnumerable<Sample> Frames()
    {
        foreach (Sample dhcp in DhcpMessages())
        {
            yield return new($"dhcp-{dhcp.Name}", Frame(EthernetFrame.IPv4, Udp(default, 68, IPv4Address.Broadcast, 67, dhcp.Bytes)));
        }

        yield return new("arp", Frame(EthernetFrame.Arp, Arp(Local, Remote)));
        yield return new("arp-probe", Frame(EthernetFrame.Arp, Arp(default, Local)));
        yield return new("arp-gateway", Frame(EthernetFrame.Arp, Arp(Local, Subnet.Gateway)));
        yield return new("arp-claim", Frame(EthernetFrame.Arp, Arp(Remote, Remote)));
        yield return new("arp-reply", Frame(EthernetFrame.Arp, Arp(Remote, Local, ArpPacket.Reply)));
        yield return new("tcp", Frame(EthernetFrame.IPv4, Tcp(Local, Remote, 8443)));
        yield return new("icmp", Frame(EthernetFrame.IPv4, Packet(Local, Remote, 1, [8, 0, 0, 0, 0, 1, 0, 1])));
        yield return new("fragment", Frame(EthernetFrame.IPv4, [.. Tcp(Local, Remote, 8443)[..6], 0x20, 1, .. Tcp(Local, Remote, 8443)[8..]]));
        yield return new("multicast", Frame(EthernetFrame.IPv4, Udp(Local, 5353, new IPv4Address(0xe00000fb), 5353, [1, 2, 3])));
        yield return new("ipv6", Frame(0x86dd, new byte[40]));
    }
}
