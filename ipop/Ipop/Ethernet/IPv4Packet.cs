using System.Buffers.Binary;

namespace Ipop.Ethernet;

/// <summary>Reads an IPv4 header (RFC 791) over a borrowed packet. Checksums are not looked at: the tap may leave them to the card.</summary>
public readonly ref struct IPv4Packet
{
    /// <summary>Length of a header without options, in bytes.</summary>
    public const int MinimumHeaderSize = 20;

    /// <summary>Protocol number of ICMP.</summary>
    public const byte Icmp = 1;

    /// <summary>Protocol number of TCP.</summary>
    public const byte Tcp = 6;

    /// <summary>Protocol number of UDP.</summary>
    public const byte Udp = 17;

    private const byte EndOfOptions = 0;
    private const byte NoOperation = 1;
    private const byte LooseSourceRoute = 131;
    private const byte StrictSourceRoute = 137;

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

    /// <summary>Whether the payload's beginning is in here: not a fragment, or the first one.</summary>
    public bool IsFirstPart => (BinaryPrimitives.ReadUInt16BigEndian(Bytes[6..]) & 0x1fff) == 0;

    /// <summary>What is to say of the header's options.</summary>
    internal IPv4Options Options
    {
        get
        {
            ReadOnlySpan<byte> rest = Bytes[MinimumHeaderSize..HeaderSize];
            while (!rest.IsEmpty && rest[0] != EndOfOptions)
            {
                int length = rest[0] == NoOperation ? 1 : rest.Length < 2 ? 0 : rest[1];
                if (length < (rest[0] == NoOperation ? 1 : 2) || length > rest.Length)
                {
                    return IPv4Options.Malformed;
                }

                if (rest[0] is LooseSourceRoute or StrictSourceRoute)
                {
                    return IPv4Options.SourceRoute;
                }

                rest = rest[length..];
            }

            return IPv4Options.Harmless;
        }
    }

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
        packet[8] = 64;
        packet[9] = protocol;
        source.Write(packet[12..]);
        destination.Write(packet[16..]);
        Finish(packet[..totalLength], MinimumHeaderSize);
    }

    /// <summary>Finishes a header that was changed, or is a copy of another packet's: total length, identification, checksum.</summary>
    /// <param name="packet">The whole packet.</param>
    /// <param name="headerSize">Bytes of the header with its options.</param>
    /// <param name="step">How many packets after the one whose identification stands there.</param>
    internal static void Finish(Span<byte> packet, int headerSize, int step = 0)
    {
        BinaryPrimitives.WriteUInt16BigEndian(packet[2..], (ushort)packet.Length);
        BinaryPrimitives.WriteUInt16BigEndian(packet[4..], (ushort)(BinaryPrimitives.ReadUInt16BigEndian(packet[4..]) + step));
        packet[10..12].Clear();
        BinaryPrimitives.WriteUInt16BigEndian(packet[10..], InternetChecksum.Finish(InternetChecksum.Sum(packet[..headerSize])));
    }

    /// <summary>The unfolded sum of the pseudo-header that a checksum of UDP (RFC 768) or TCP (RFC 9293 section 3.1) begins with.</summary>
    /// <param name="packet">The whole packet.</param>
    /// <param name="headerSize">Bytes of the header with its options.</param>
    internal static uint PseudoSum(ReadOnlySpan<byte> packet, int headerSize) =>
        InternetChecksum.Sum(packet[12..MinimumHeaderSize], packet[9] + (uint)(packet.Length - headerSize));
}
