using System.Buffers.Binary;
using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Reads big-endian fields of a message that a stranger may have written. Reading past the end gives zeros and makes
/// <see cref="IsValid"/> false; readers look at it once, at the end.
/// </summary>
internal ref struct ByteReader(ReadOnlySpan<byte> source)
{
    private readonly ReadOnlySpan<byte> _source = source;
    private int _position;

    /// <summary>Whether every field so far lay inside the message.</summary>
    public bool IsValid { get; private set; } = true;

    /// <summary>Whether every field was there and nothing is left over.</summary>
    public readonly bool IsComplete => IsValid && _position == _source.Length;

    public byte Byte()
    {
        ReadOnlySpan<byte> field = Bytes(1);
        return field.IsEmpty ? (byte)0 : field[0];
    }

    public ushort UInt16()
    {
        ReadOnlySpan<byte> field = Bytes(2);
        return field.IsEmpty ? (ushort)0 : BinaryPrimitives.ReadUInt16BigEndian(field);
    }

    public uint UInt32()
    {
        ReadOnlySpan<byte> field = Bytes(4);
        return field.IsEmpty ? 0 : BinaryPrimitives.ReadUInt32BigEndian(field);
    }

    public ulong UInt64()
    {
        ReadOnlySpan<byte> field = Bytes(8);
        return field.IsEmpty ? 0 : BinaryPrimitives.ReadUInt64BigEndian(field);
    }

    public NodeAddress Address()
    {
        ReadOnlySpan<byte> field = Bytes(NodeAddress.Size);
        return field.IsEmpty ? default : NodeAddress.Read(field);
    }

    public TransportAddress Endpoint()
    {
        ReadOnlySpan<byte> field = Bytes(TransportAddress.Size);
        return field.IsEmpty ? default : TransportAddress.Read(field);
    }

    /// <summary>All bytes that are left.</summary>
    public ReadOnlySpan<byte> Rest() => Bytes(_source.Length - _position);

    /// <summary>The next <paramref name="length"/> bytes; empty if they are not there.</summary>
    public ReadOnlySpan<byte> Bytes(int length)
    {
        if (!IsValid || length < 0 || length > _source.Length - _position)
        {
            IsValid = false;
            return [];
        }

        ReadOnlySpan<byte> field = _source.Slice(_position, length);
        _position += length;
        return field;
    }
}
