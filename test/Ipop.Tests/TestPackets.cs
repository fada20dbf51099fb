using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Tests;

/// <summary>Makes IPv4 packets.</summary>
internal static class TestPackets
{
    public const byte Syn = 0x02;
    public const byte Ack = 0x10;

    public static byte[] Raw(IPv4Address source, IPv4Address destination, byte protocol, ReadOnlySpan<byte> payload)
    {
        byte[] packet = new byte[IPv4Packet.MinimumHeaderSize + payload.Length];
        IPv4Packet.WriteHeader(packet, packet.Length, protocol, source, destination);
        payload.CopyTo(packet.AsSpan(IPv4Packet.MinimumHeaderSize));
        return packet;
    }

    public static byte[] Tcp(IPv4Address source, ushort sourcePort, IPv4Address destination, ushort destinationPort, byte flags)
    {
        byte[] segment = new byte[20];
        BinaryPrimitives.WriteUInt16BigEndian(segment, sourcePort);
        BinaryPrimitives.WriteUInt16BigEndian(segment.AsSpan(2), destinationPort);
        segment[12] = 0x50;
        segment[13] = flags;
        return Raw(source, destination, IPv4Packet.Tcp, segment);
    }

    public static byte[] Udp(IPv4Address source, ushort sourcePort, IPv4Address destination, ushort destinationPort, ReadOnlySpan<byte> payload)
    {
        byte[] datagram = new byte[UdpDatagram.HeaderSize + payload.Length];
        payload.CopyTo(datagram.AsSpan(UdpDatagram.HeaderSize));
        UdpDatagram.WriteHeader(datagram, source, sourcePort, destination, destinationPort);
        return Raw(source, destination, IPv4Packet.Udp, datagram);
    }
}
