namespace Brunet.Wire;

/// <summary>
/// Body of a trace: <code>token(4) filling(26)</code> The filling makes it as long as an answer, so that no hop answers with more than came; nobody
/// looks at it.
/// </summary>
internal readonly record struct TraceMessage(uint Token)
{
    public const int Size = TracedMessage.Size;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.UInt32(Token);
        destination[writer.Position..Size].Clear();
    }

    public static bool TryRead(ReadOnlySpan<byte> body, out TraceMessage message)
    {
        var reader = new ByteReader(body);
        message = new TraceMessage(reader.UInt32());
        reader.Bytes(Size - sizeof(uint));
        return reader.IsComplete;
    }
}
