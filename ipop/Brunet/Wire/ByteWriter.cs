using System.Buffers.Binary;
using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>Writes big-endian fields into a buffer that the caller made large enough.</summary>
internal ref struct ByteWriter(Span<byte> buffer)
{
    private readonly Span<byte> _buffer = buffer;

    public int Position { get; private set; }

    public readonly Span<byte> Written => _buffer[..Position];

    public void Byte(byte value) => _buffer[Position++] = value;

    public void UInt16(ushort value)
    {
        BinaryPrimitives.WriteUInt16BigEndian(_buffer[Position..], value);
        Position += 2;
    }

    public void UInt32(uint value)
    {
        BinaryPrimitives.WriteUInt32BigEndian(_buffer[Position..], value);
        Position += 4;
    }

    public void UInt64(ulong value)
    {
        BinaryPrimitives.WriteUInt64BigEndian(_buffer[Position..], value);
        Position += 8;
    }

    public void Address(NodeAddress value)
    {
        value.Write(_buffer[Position..]);
        Position += NodeAddress.Size;
    }

    public void Endpoint(TransportAddress value)
    {
        value.Write(_buffer[Position..]);
        Position += TransportAddress.Size;
    }

    public void Bytes(ReadOnlySpan<byte> value)
    {
        value.CopyTo(_buffer[Position..]);
        Position += value.Length;
    }
}
