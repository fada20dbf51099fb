namespace Brunet.Wire;

/// <summary>
/// Asks whether a datagram of this length passes the path in one piece: <code>type(1) token(8) filling</code> It looks like data from outside.
/// </summary>
internal static class MtuProbeMessage
{
    /// <summary>Bytes without filling.</summary>
    public const int SmallestSize = 9;

    /// <summary>Writes a probe that fills the whole span.</summary>
    public static void Write(Span<byte> message, ulong token)
    {
        var writer = new ByteWriter(message);
        writer.Byte((byte)MessageType.MtuProbe);
        writer.UInt64(token);
        message[SmallestSize..].Clear();
    }

    /// <summary>Reads a probe; what it is filled with means nothing.</summary>
    public static bool TryRead(ReadOnlySpan<byte> message, out ulong token)
    {
        bool isWhole = message.Length >= SmallestSize;
        var reader = new ByteReader(isWhole ? message[..SmallestSize] : message);
        reader.Byte();
        token = reader.UInt64();
        return isWhole;
    }
}

/// <summary>Says that a probe arrived: <code>type(1) token(8)</code></summary>
internal static class MtuAnswerMessage
{
    /// <summary>Bytes of the message.</summary>
    public const int Size = 9;

    /// <summary>Writes an answer.</summary>
    public static void Write(Span<byte> message, ulong token)
    {
        var writer = new ByteWriter(message);
        writer.Byte((byte)MessageType.MtuAnswer);
        writer.UInt64(token);
    }

    /// <summary>Reads an answer.</summary>
    public static bool TryRead(ReadOnlySpan<byte> message, out ulong token)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        token = reader.UInt64();
        return reader.IsComplete;
    }
}
