namespace Brunet.Wire;

/// <summary>Asks whether a path works both ways: <code>type(1) nonce(8)</code></summary>
internal readonly record struct PingMessage(ulong Nonce)
{
    public const int Size = 9;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Ping);
        writer.UInt64(Nonce);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out PingMessage ping)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        ping = new PingMessage(reader.UInt64());
        return reader.IsComplete;
    }
}
