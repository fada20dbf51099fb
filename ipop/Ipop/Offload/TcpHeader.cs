using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Where things stand in a whole IPv4 packet with TCP (RFC 9293 section 3.1).</summary>
/// <param name="IpSize">Bytes of the IPv4 header.</param>
/// <param name="Size">Bytes of both headers.</param>
internal readonly record struct TcpHeader(int IpSize, int Size)
{
    /// <summary>No more data comes.</summary>
    public const byte Fin = 0x01;

    /// <summary>Hand on to the program.</summary>
    public const byte Push = 0x08;

    /// <summary>Acknowledges.</summary>
    public const byte Ack = 0x10;

    /// <summary>The congestion window was reduced (RFC 3168).</summary>
    public const byte WindowReduced = 0x80;

    private const int MinimumSize = 20;

    /// <summary>Finds the header; false if the packet is a fragment, not TCP, or shorter than its headers say.</summary>
    public static bool TryRead(IPv4Packet packet, out TcpHeader header)
    {
        header = default;
        ReadOnlySpan<byte> segment = packet.Payload;
        if (packet.Protocol != IPv4Packet.Tcp || packet.IsFragment || segment.Length < MinimumSize)
        {
            return false;
        }

        int size = (segment[12] >> 4) * 4;
        header = new TcpHeader(packet.HeaderSize, packet.HeaderSize + size);
        return size >= MinimumSize && size <= segment.Length;
    }

    /// <summary>Number of the first byte of payload.</summary>
    public uint Sequence(ReadOnlySpan<byte> packet) => BinaryPrimitives.ReadUInt32BigEndian(packet[(IpSize + 4)..]);

    /// <summary>The flags of <see cref="Fin"/> and its like.</summary>
    public byte Flags(ReadOnlySpan<byte> packet) => packet[IpSize + 13];

    /// <summary>
    /// Finishes a packet of which only its head is another one's: total length, identification and checksum of IPv4, sequence number, flags. The
    /// checksum of TCP is left out.
    /// </summary>
    public void Finish(Span<byte> packet, int step, uint sequence, byte flags)
    {
        IPv4Packet.Finish(packet, IpSize, step);
        BinaryPrimitives.WriteUInt32BigEndian(packet[(IpSize + 4)..], sequence);
        packet[IpSize + 13] = flags;
    }

    /// <summary>Writes the sum of the pseudo-header where the checksum will stand: what a kernel expects that makes the checksum itself.</summary>
    public void WritePseudoSum(Span<byte> packet) =>
        BinaryPrimitives.WriteUInt16BigEndian(
            packet[(IpSize + FrameOffload.TcpChecksum)..], (ushort)~InternetChecksum.Finish(IPv4Packet.PseudoSum(packet, IpSize)));
}
