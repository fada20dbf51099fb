using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>From where a knock shall come.</summary>
internal enum KnockFrom : byte
{
    /// <summary>The port that the sender has spoken to.</summary>
    SamePort = 1,

    /// <summary>Another port of the same machine.</summary>
    OtherPort = 2,

    /// <summary>Another node, whom the receiver asks.</summary>
    OtherNode = 3,

    /// <summary>The receiver, for the one who asked the sender for <see cref="OtherNode"/>.</summary>
    ForOther = 4,
}

/// <summary>Asks for one knock: <code>type(1) from(1) token(8) endpoint(18)</code></summary>
internal readonly record struct KnockAskMessage(KnockFrom From, ulong Token, TransportAddress Endpoint)
{
    public const int Size = 10 + TransportAddress.Size;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.KnockAsk);
        writer.Byte((byte)From);
        writer.UInt64(Token);
        writer.Endpoint(Endpoint);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out KnockAskMessage ask)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        ask = new KnockAskMessage((KnockFrom)reader.Byte(), reader.UInt64(), reader.Endpoint());
        return reader.IsComplete && ask.From is >= KnockFrom.SamePort and <= KnockFrom.ForOther;
    }
}

/// <summary>Answers a <see cref="KnockAskMessage"/>: <code>type(1) sent(1) token(8)</code> Sent is 1 if there is a knock on its way, else 0.</summary>
internal readonly record struct KnockDoneMessage(bool IsSent, ulong Token)
{
    public const int Size = 10;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.KnockDone);
        writer.Byte(IsSent ? (byte)1 : (byte)0);
        writer.UInt64(Token);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out KnockDoneMessage done)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        done = new KnockDoneMessage(reader.Byte() == 1, reader.UInt64());
        return reader.IsComplete;
    }
}
