using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Tests.Offload;

/// <summary>Makes UDP packets that differ in what may keep them from being joined.</summary>
internal static class UdpPackets
{
    /// <summary>A packet whose payload's bytes follow from <paramref name="number"/>.</summary>
    public static byte[] Make(
        int number, int payload = 100, ushort port = 5001, bool isAtomic = true, ushort identification = 0, byte timeToLive = 64, byte service = 0)
    {
        byte[] bytes = new byte[payload];
        new Random(number).NextBytes(bytes);
        byte[] packet = TestPackets.Udp(TcpPackets.Left, 40000, TcpPackets.Right, port, bytes);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(4), identification);
        (packet[1], packet[6], packet[8]) = (service, isAtomic ? (byte)0x40 : (byte)0, timeToLive);
        IPv4Packet.Finish(packet, IPv4Packet.MinimumHeaderSize);
        return packet;
    }
}
