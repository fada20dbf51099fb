using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>
/// Asks a neighbour for the records that the sender should hold: <code>type(1) token(4) after(20)</code> Those whose first replica
/// stands at or before <c>after</c> are not asked for; zero asks from the beginning.
/// </summary>
internal readonly record struct CollectMessage(uint Token, NodeAddress After)
{
    public const int Size = 5 + NodeAddress.Size;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Collect);
        writer.UInt32(Token);
        writer.Address(After);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out CollectMessage collect)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        collect = new CollectMessage(reader.UInt32(), reader.Address());
        return reader.IsComplete;
    }
}

/// <summary>
/// Ends one part of the answer: <code>type(1) token(4) copies(1) next(20)</code> So many copies with this token went before it; next is
/// what the next part is to be asked after, zero at the end.
/// </summary>
internal readonly record struct CollectedMessage(uint Token, byte Copies, NodeAddress Next)
{
    public const int Size = 6 + NodeAddress.Size;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Collected);
        writer.UInt32(Token);
        writer.Byte(Copies);
        writer.Address(Next);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out CollectedMessage collected)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        collected = new CollectedMessage(reader.UInt32(), reader.Byte(), reader.Address());
        return reader.IsComplete;
    }
}

/// <summary>
/// A record that the receiver should hold: <code>type(1) token(4) life(2) record</code> The token is that of the collect that it answers, or 0.
/// </summary>
internal readonly ref struct CopyMessage(uint token, ushort life, ReadOnlySpan<byte> record)
{
    public const int HeaderSize = 7;

    public uint Token { get; } = token;

    public ushort Life { get; } = life;

    public ReadOnlySpan<byte> Record { get; } = record;

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Copy);
        writer.UInt32(Token);
        writer.UInt16(Life);
        writer.Bytes(Record);
        return writer.Position;
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out CopyMessage copy)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        copy = new CopyMessage(reader.UInt32(), reader.UInt16(), reader.Rest());
        return reader.IsComplete;
    }
}
