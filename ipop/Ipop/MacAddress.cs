using System.Buffers.Binary;
using System.Globalization;

namespace Ipop;

/// <summary>An Ethernet address as a value.</summary>
/// <param name="Value">The 48 bits, first byte most significant.</param>
public readonly record struct MacAddress(ulong Value)
{
    /// <summary>Length on the wire, in bytes.</summary>
    public const int Size = 6;

    /// <summary>What the guest sees as everybody else: locally administered, so it clashes with no hardware.</summary>
    public static MacAddress Gateway => new(0x02_57_4f_57_00_01);

    /// <summary>All stations.</summary>
    public static MacAddress Broadcast => new(0xffff_ffff_ffff);

    /// <summary>Whether this names a group of stations.</summary>
    public bool IsGroup => (Value >> 40 & 1) != 0;

    /// <summary>Reads the first <see cref="Size"/> bytes.</summary>
    public static MacAddress Read(ReadOnlySpan<byte> source) =>
        new((ulong)BinaryPrimitives.ReadUInt16BigEndian(source) << 32 | BinaryPrimitives.ReadUInt32BigEndian(source[2..]));

    /// <summary>Writes <see cref="Size"/> bytes.</summary>
    public void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt16BigEndian(destination, (ushort)(Value >> 32));
        BinaryPrimitives.WriteUInt32BigEndian(destination[2..], (uint)Value);
    }

    /// <summary>Six hexadecimal pairs between colons.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Value >> 40 & 255:x2}:{Value >> 32 & 255:x2}:{Value >> 24 & 255:x2}:{Value >> 16 & 255:x2}:{Value >> 8 & 255:x2}:{Value & 255:x2}");
}
