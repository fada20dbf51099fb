using System.Buffers.Binary;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Tests.Sessions;

/// <summary>Makes packets as IPsec does, whose ciphertext is noise.</summary>
internal static class EspPackets
{
    public static byte[] Make(int length, uint spi = 0xc0ffee01, uint sequence = 1)
    {
        byte[] packet = new byte[length];
        new Random(length).NextBytes(packet);
        packet[0] = 0x45;
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(2), (ushort)length);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), 0x4000);
        packet[9] = 50;
        BinaryPrimitives.WriteUInt32BigEndian(packet.AsSpan(20), spi);
        BinaryPrimitives.WriteUInt32BigEndian(packet.AsSpan(24), sequence);
        return packet;
    }

    public static byte[] Message(byte[] packet) => [(byte)MessageType.Packet, .. packet];

    /// <summary>The part that is not sealed.</summary>
    public static byte[] Rest(byte[] packet) => packet[EspSeal.HeadSize..];
}
