using System.Buffers.Binary;

namespace Ipop.Ethernet;

/// <summary>Reads a UDP header (RFC 768) over a borrowed payload of IPv4.</summary>
public readonly ref struct UdpDatagram
{
    /// <summary>Length of the header, in bytes.</summary>
    public const int HeaderSize = 8;

    private UdpDatagram(ushort sourcePort, ushort destinationPort, ReadOnlySpan<byte> payload)
    {
        SourcePort = sourcePort;
        DestinationPort = destinationPort;
        Payload = payload;
    }

    /// <summary>From which port.</summary>
    public ushort SourcePort { get; }

    /// <summary>To which port.</summary>
    public ushort DestinationPort { get; }

    /// <summary>Everything after the header.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Reads the datagram of a packet; false if it is a fragment, not UDP, or its lengths contradict each other.</summary>
    public static bool TryRead(IPv4Packet packet, out UdpDatagram datagram)
    {
        datagram = default;
        if (packet.Protocol != IPv4Packet.Udp || packet.IsFragment)
        {
            return false;
        }

        ReadOnlySpan<byte> bytes = packet.Payload;
        if (bytes.Length < HeaderSize)
        {
            return false;
        }

        int length = BinaryPrimitives.ReadUInt16BigEndian(bytes[4..]);
        if (length < HeaderSize || length > bytes.Length)
        {
            return false;
        }

        datagram = new UdpDatagram(
            BinaryPrimitives.ReadUInt16BigEndian(bytes), BinaryPrimitives.ReadUInt16BigEndian(bytes[2..]), bytes[HeaderSize..length]);
        return true;
    }

    /// <summary>Writes the header before a payload that stands in <paramref name="datagram"/> already, checksum included.</summary>
    public static void WriteHeader(Span<byte> datagram, IPv4Address source, ushort sourcePort, IPv4Address destination, ushort destinationPort)
    {
        BinaryPrimitives.WriteUInt16BigEndian(datagram, sourcePort);
        BinaryPrimitives.WriteUInt16BigEndian(datagram[2..], destinationPort);
        BinaryPrimitives.WriteUInt16BigEndian(datagram[4..], (ushort)datagram.Length);
        datagram[6..8].Clear();
        uint pseudo = (source.Value >> 16) + (source.Value & 0xffff) + (destination.Value >> 16) + (destination.Value & 0xffff)
            + IPv4Packet.Udp + (uint)datagram.Length;
        BinaryPrimitives.WriteUInt16BigEndian(datagram[6..], InternetChecksum.FinishNonZero(InternetChecksum.Sum(datagram, pseudo)));
    }
}
