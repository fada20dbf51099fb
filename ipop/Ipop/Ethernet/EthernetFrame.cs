using System.Buffers.Binary;

namespace Ipop.Ethernet;

/// <summary>Reads an Ethernet II header over a borrowed frame (without frame check sequence).</summary>
public readonly ref struct EthernetFrame
{
    /// <summary>Length of the header, in bytes.</summary>
    public const int HeaderSize = 14;

    /// <summary>EtherType of IPv4.</summary>
    public const ushort IPv4 = 0x0800;

    /// <summary>EtherType of ARP.</summary>
    public const ushort Arp = 0x0806;

    private EthernetFrame(ReadOnlySpan<byte> frame)
    {
        Destination = MacAddress.Read(frame);
        Source = MacAddress.Read(frame[6..]);
        EtherType = BinaryPrimitives.ReadUInt16BigEndian(frame[12..]);
        Payload = frame[HeaderSize..];
    }

    /// <summary>To whom.</summary>
    public MacAddress Destination { get; }

    /// <summary>From whom.</summary>
    public MacAddress Source { get; }

    /// <summary>What the payload is.</summary>
    public ushort EtherType { get; }

    /// <summary>Everything after the header, padding included.</summary>
    public ReadOnlySpan<byte> Payload { get; }

    /// <summary>Reads a frame; false if it is shorter than its header.</summary>
    public static bool TryRead(ReadOnlySpan<byte> source, out EthernetFrame frame)
    {
        if (source.Length < HeaderSize)
        {
            frame = default;
            return false;
        }

        frame = new EthernetFrame(source);
        return true;
    }

    /// <summary>Writes a header.</summary>
    public static void WriteHeader(Span<byte> frame, MacAddress destination, MacAddress source, ushort etherType)
    {
        destination.Write(frame);
        source.Write(frame[6..]);
        BinaryPrimitives.WriteUInt16BigEndian(frame[12..], etherType);
    }
}
