using System.Buffers.Binary;
using Ipop.Ethernet;
using Ipop.Offload;

namespace Ipop.Tests.Offload;

/// <summary>Makes TCP packets with payload.</summary>
internal static class TcpPackets
{
    public const byte Fin = 0x01, Push = 0x08, Ack = 0x10, WindowReduced = 0x80;
    public const ushort Identification = 0xfffe;

    public static readonly IPv4Address Left = Machine.Ip("10.128.0.7");
    public static readonly IPv4Address Right = Machine.Ip("10.128.0.8");

    /// <summary>A packet whose payload's bytes follow from where they stand in the stream.</summary>
    public static byte[] Make(uint sequence, int payload, byte flags = Ack, ushort port = 5001, uint acknowledged = 77, int options = 12, byte timeToLive = 64)
    {
        byte[] segment = new byte[20 + options + payload];
        BinaryPrimitives.WriteUInt16BigEndian(segment, 40000);
        BinaryPrimitives.WriteUInt16BigEndian(segment.AsSpan(2), port);
        BinaryPrimitives.WriteUInt32BigEndian(segment.AsSpan(4), sequence);
        BinaryPrimitives.WriteUInt32BigEndian(segment.AsSpan(8), acknowledged);
        segment[12] = (byte)((20 + options) / 4 << 4);
        segment[13] = flags;
        segment.AsSpan(20, options).Fill(1);
        for (int index = 0; index < payload; index++)
        {
            segment[20 + options + index] = (byte)((sequence + (uint)index) * 31 >> 3);
        }

        byte[] packet = TestPackets.Raw(Left, Right, IPv4Packet.Tcp, segment);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(4), Identification);
        packet[8] = timeToLive;
        IPv4Packet.Finish(packet, IPv4Packet.MinimumHeaderSize);
        return packet;
    }

    public static IPv4Packet Read(ReadOnlySpan<byte> bytes)
    {
        Assert.True(IPv4Packet.TryRead(bytes, out IPv4Packet packet));
        return packet;
    }

    /// <summary>The segments of a packet.</summary>
    public static List<byte[]> Cut(byte[] packet, int size)
    {
        Assert.True(TcpSegments.TryRead(Read(packet), size, out TcpSegments segments));
        var result = new List<byte[]>();
        for (int index = 0; index < segments.Count; index++)
        {
            byte[] buffer = new byte[segments.Longest];
            result.Add(buffer[..segments.Write(index, buffer)]);
        }

        return result;
    }
}
