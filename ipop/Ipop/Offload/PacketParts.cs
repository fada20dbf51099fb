using System.Buffers.Binary;
using Ipop.Ethernet;

namespace Ipop.Offload;

/// <summary>Cuts an IPv4 packet into fragments (RFC 791 section 3.2), for a path that is narrower than its sender knew.</summary>
internal readonly ref struct PacketParts
{
    private const int Unit = 8;
    private const ushort DontFragment = 0x4000, MoreFragments = 0x2000, OffsetMask = 0x1fff;

    private readonly IPv4Packet _packet;
    private readonly int _size;

    private PacketParts(IPv4Packet packet, int size)
    {
        _packet = packet;
        _size = size;
        Count = (packet.Payload.Length + size - 1) / size;
    }

    /// <summary>How many there are.</summary>
    public int Count { get; }

    /// <summary>Whether a packet's sender allows it to be cut.</summary>
    public static bool MayCut(IPv4Packet packet) => (BinaryPrimitives.ReadUInt16BigEndian(packet.Bytes[6..]) & DontFragment) == 0;

    /// <summary>Cuts a packet into parts of at most so many bytes; false if its sender forbids it, or its parts would hold nothing.</summary>
    public static bool TryCut(IPv4Packet packet, int mtu, out PacketParts parts)
    {
        int size = (mtu - packet.HeaderSize) / Unit * Unit;
        bool isCut = MayCut(packet) && size >= Unit;
        parts = isCut ? new PacketParts(packet, size) : default;
        return isCut;
    }

    /// <summary>Writes one of them; returns its length in bytes.</summary>
    public int Write(int index, Span<byte> destination)
    {
        int start = index * _size;
        int header = _packet.HeaderSize;
        int length = Math.Min(_size, _packet.Payload.Length - start);
        Span<byte> part = destination[..(header + length)];
        _packet.Bytes[..header].CopyTo(part);
        _packet.Payload.Slice(start, length).CopyTo(part[header..]);
        ushort field = BinaryPrimitives.ReadUInt16BigEndian(part[6..]);
        int offset = (field & OffsetMask) + (start / Unit);
        bool isLast = index == Count - 1 && (field & MoreFragments) == 0;
        BinaryPrimitives.WriteUInt16BigEndian(part[6..], (ushort)(offset | (isLast ? 0 : MoreFragments)));
        if (index > 0)
        {
            KeepCopiedOptions(part[IPv4Packet.MinimumHeaderSize..header]);
        }

        IPv4Packet.Finish(part, header);
        return part.Length;
    }

    // An option that is not to be copied stands in the first part alone; "no operation" keeps its place, so that all headers are equally long.
    private static void KeepCopiedOptions(Span<byte> options)
    {
        const byte End = 0, NoOperation = 1, Copied = 0x80;
        for (int at = 0; at < options.Length && options[at] != End;)
        {
            int length = options[at] == NoOperation || at + 1 == options.Length ? 1 : Math.Clamp((int)options[at + 1], 1, options.Length - at);
            if ((options[at] & Copied) == 0)
            {
                options.Slice(at, length).Fill(NoOperation);
            }

            at += length;
        }
    }
}
