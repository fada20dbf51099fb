namespace Brunet.Wire;

/// <summary>Asks what time it is: <code>type(1) token(8)</code></summary>
internal static class ClockAskMessage
{
    /// <summary>Bytes of the message.</summary>
    public const int Size = 9;

    /// <summary>Writes a question.</summary>
    public static void Write(Span<byte> message, ulong token)
    {
        var writer = new ByteWriter(message);
        writer.Byte((byte)MessageType.ClockAsk);
        writer.UInt64(token);
    }

    /// <summary>Reads a question.</summary>
    public static bool TryRead(ReadOnlySpan<byte> message, out ulong token)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        token = reader.UInt64();
        return reader.IsComplete;
    }
}

/// <summary>Says what time it is: <code>type(1) token(8) milliseconds(8)</code> Milliseconds since 1970 without leap seconds (POSIX).</summary>
internal static class ClockAnswerMessage
{
    /// <summary>Bytes of the message.</summary>
    public const int Size = 17;

    /// <summary>The end of the year 9999, the last moment that can be said.</summary>
    private const ulong Last = 253402300799999;

    /// <summary>Writes an answer.</summary>
    public static void Write(Span<byte> message, ulong token, DateTimeOffset time)
    {
        var writer = new ByteWriter(message);
        writer.Byte((byte)MessageType.ClockAnswer);
        writer.UInt64(token);
        writer.UInt64((ulong)Math.Max(0, time.ToUnixTimeMilliseconds()));
    }

    /// <summary>Reads an answer; false if it says no time.</summary>
    public static bool TryRead(ReadOnlySpan<byte> message, out ulong token, out DateTimeOffset time)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        token = reader.UInt64();
        ulong milliseconds = reader.UInt64();
        time = milliseconds <= Last ? DateTimeOffset.FromUnixTimeMilliseconds((long)milliseconds) : default;
        return reader.IsComplete && milliseconds <= Last;
    }
}
