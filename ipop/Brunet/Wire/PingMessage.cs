namespace Brunet.Wire;

/// <summary>Asks whether a path works both ways: <code>type(1) flags(1) nonce(8)</code> Flag 1: the sender has a use for the link.</summary>
internal readonly record struct PingMessage(ulong Nonce, bool Wanted)
{
    public const int Size = 10;

    /// <summary>Set by a sender that has a use for the link.</summary>
    public const byte WantedFlag = 1;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Ping);
        writer.Byte(Wanted ? WantedFlag : (byte)0);
        writer.UInt64(Nonce);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out PingMessage ping)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        bool wanted = (reader.Byte() & WantedFlag) != 0;
        ping = new PingMessage(reader.UInt64(), wanted);
        return reader.IsComplete;
    }
}
