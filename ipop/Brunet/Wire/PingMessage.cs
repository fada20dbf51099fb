namespace Brunet.Wire;

/// <summary>Asks whether a path works both ways: <code>type(1) flags(1) nonce(8)</code> Flag 1: the sender has a use for the link; 2: it takes frames of ESP.</summary>
internal readonly record struct PingMessage(ulong Nonce, bool Wanted, bool TakesEsp = false)
{
    public const int Size = 10;

    /// <summary>Set by a sender that has a use for the link.</summary>
    public const byte WantedFlag = 1;

    /// <summary>Set by a sender that takes frames of ESP in this session.</summary>
    public const byte TakesEspFlag = 2;

    /// <summary>The flags of a ping or pong.</summary>
    public static byte Flags(bool wanted, bool takesEsp) => (byte)((wanted ? WantedFlag : 0) | (takesEsp ? TakesEspFlag : 0));

    /// <summary>Whether a ping or pong, which may be malformed, says that its sender takes frames of ESP.</summary>
    public static bool TakesEspIn(ReadOnlySpan<byte> message) => message.Length > 1 && (message[1] & TakesEspFlag) != 0;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Ping);
        writer.Byte(Flags(Wanted, TakesEsp));
        writer.UInt64(Nonce);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out PingMessage ping)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        byte flags = reader.Byte();
        ping = new PingMessage(reader.UInt64(), (flags & WantedFlag) != 0, (flags & TakesEspFlag) != 0);
        return reader.IsComplete;
    }
}
