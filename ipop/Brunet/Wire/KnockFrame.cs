using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// A datagram that shows what a NAT lets through: <code>type(1) version(1) zero(1) kind(1) mac(16) token(8) endpoint(18)</code> The MAC is that of a
/// handshake frame. A question has no endpoint; its answer and a knock are as long and name the endpoint that they are sent to.
/// </summary>
internal readonly record struct KnockFrame(bool IsQuestion, ulong Token, TransportAddress Endpoint)
{
    public const int Size = PoolMac.End + 8 + TransportAddress.Size;

    private const byte Question = 1;
    private const byte Knock = 2;

    public void Write(Span<byte> destination, ReadOnlySpan<byte> poolSecret)
    {
        destination = destination[..Size];
        destination.Clear();
        destination[0] = (byte)FrameType.Knock;
        destination[1] = ProtocolConstants.Version;
        destination[3] = IsQuestion ? Question : Knock;
        var writer = new ByteWriter(destination[PoolMac.End..]);
        writer.UInt64(Token);
        writer.Endpoint(Endpoint);
        PoolMac.Write(destination, poolSecret);
    }

    /// <summary>Reads a frame; false if it is malformed, of another version, or its MAC is not the pool's.</summary>
    public static bool TryRead(ReadOnlySpan<byte> source, ReadOnlySpan<byte> poolSecret, out KnockFrame frame)
    {
        frame = default;
        if (source.Length != Size || source[0] != (byte)FrameType.Knock || source[1] != ProtocolConstants.Version || source[2] != 0
            || source[3] is not (Question or Knock) || !PoolMac.IsRight(source, poolSecret))
        {
            return false;
        }

        var reader = new ByteReader(source[PoolMac.End..]);
        frame = new KnockFrame(source[3] == Question, reader.UInt64(), reader.Endpoint());
        return frame.IsQuestion == (frame.Endpoint == default);
    }
}
