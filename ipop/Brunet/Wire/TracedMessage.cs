using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Body of what a hop answers to a trace: <code>token(4) hops(1) flags(1) next(20) round-trip(4)</code> Flag 1: the answerer is the destination;
/// 2: the trace ends here, for nobody is nearer; 4: the next one is reached straight, else over a relay. Next is zero where there is none; the round
/// trip to it is in microseconds, 0 if not known.
/// </summary>
internal readonly record struct TracedMessage(uint Token, byte Hops, byte Flags, NodeAddress Next, uint RoundTrip)
{
    public const int Size = 10 + NodeAddress.Size;

    public const byte ArrivedFlag = 1;

    public const byte EndedFlag = 2;

    public const byte StraightFlag = 4;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.UInt32(Token);
        writer.Byte(Hops);
        writer.Byte(Flags);
        writer.Address(Next);
        writer.UInt32(RoundTrip);
    }

    public static bool TryRead(ReadOnlySpan<byte> body, out TracedMessage message)
    {
        var reader = new ByteReader(body);
        message = new TracedMessage(reader.UInt32(), reader.Byte(), reader.Byte(), reader.Address(), reader.UInt32());
        return reader.IsComplete;
    }
}
