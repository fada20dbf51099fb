using System.Buffers.Binary;

namespace Ipop.Ethernet;

/// <summary>Reads an IPv4 header (RFC 791) over a borrowed packet. Checksums are not looked at: the tap may leave them to the card.</summary>
public readonly ref struct IPv4Packet
{
    /// <summary>Length of a header without options, in bytes.</summary>
    public const int MinimumHeaderSize = 20;

    /// <summary>Protocol number of TCP.</summary>
    public const byte Tcp = 6;

    /// <summary>Protocol number of UDP.</summary>
    public const byte Udp = 17;

    private IPv4Packet(ReadOnlySpan<byte> bytes, int headerSize)
    {
        Bytes = bytes;
        HeaderSize = headerSize;
    }

    /// <summary>Header and payload, without the padding that Ethernet adds to short frames.</summary>
    public ReadOnlySpan<byte> Bytes { get; }

    /// <summary>Length of the header with its options, in bytes.</summary>
    public int HeaderSize { get; }

    /// <summary>From whom.</summary>
    public IPv4Address Source => IPv4Address.Read(Bytes[12..]);

    /// <summary>To whom.</summary>
    public IPv4Address Destination => IPv4Address.Read(Bytes[16..]);

    /// <summary>What the payload is.</summary>
    public byte Protocol => Bytes[9];

    /// <summary>Whether this is a part of a larger packet, the first part included.</summary>
    public bool IsFragment => (BinaryPrimitives.ReadUInt16BigEndian(Bytes[6..]) & 0x3fff) != 0;

    /// <summary>Everything after the header.</summary>
    public ReadOnlySpan<byte> Payload => Bytes[HeaderSize..];

    /// <summary>Reads a packet; false if its lengths contradict each other or it is not IPv4.</summary>
    public static bool TryRead(ReadOnlySpan<byte> source, out IPv4Packet packet)
    {
        packet = default;
        if (source.Length < MinimumHeaderSize || source[0] >> 4 != 4)
        {
            return false;
        }

        int headerSize = (source[0] & 15) * 4;
        int totalLength = BinaryPrimitives.ReadUInt16BigEndian(source[2..]);
        if (headerSize < MinimumHeaderSize || totalLength < headerSize || totalLength > source.Length)
        {
            return false;
        }

        packet = new IPv4Packet(source[..totalLength], headerSize);
        return true;
    }

    /// <summary>Writes a header without options for <paramref name="totalLength"/> bytes, checksum included.</summary>
    public static void WriteHeader(Span<byte> packet, int totalLength, byte protocol, IPv4Address source, IPv4Address destination)
    {
        packet[..MinimumHeaderSize].Clear();
        packet[0] = 0x45;
        BinaryPrimitives.WriteUInt16BigEndian(packet[2..], (ushort)totalLength);
        packet[8] = 64;
        packet[9] = protocol;
        source.Write(packet[12..]);
        destination.Write(packet[16..]);
        BinaryPrimitives.WriteUInt16BigEndian(packet[10..], InternetChecksum.Finish(InternetChecksum.Sum(packet[..MinimumHeaderSize])));
    }
}
