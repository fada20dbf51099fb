using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Answers a ping on the path that it came by: <code>type(1) flags(1) nonce(8) observed(18)</code> Flags as in a ping. Observed is the ping's source as the
/// answerer saw it, zero unless it came straight: so nodes learn their outside addresses without a server.
/// </summary>
internal readonly record struct PongMessage(ulong Nonce, TransportAddress Observed, bool Wanted, bool TakesEsp = false)
{
    public const int Size = 10 + TransportAddress.Size;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Pong);
        writer.Byte(PingMessage.Flags(Wanted, TakesEsp));
        writer.UInt64(Nonce);
        writer.Endpoint(Observed);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out PongMessage pong)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        byte flags = reader.Byte();
        pong = new PongMessage(
            reader.UInt64(), reader.Endpoint(), (flags & PingMessage.WantedFlag) != 0, (flags & PingMessage.TakesEspFlag) != 0);
        return reader.IsComplete;
    }
}
