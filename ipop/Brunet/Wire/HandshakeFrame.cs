using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// A piece of the handshake's byte stream with its acknowledgement:
/// <code>
/// type(1) version(1) zero(2) mac(16) sender-index(4) receiver-index(4) sender(20) target(20) offset(4) ack(4) cookie(16) data
/// </code>
/// The MAC covers the whole frame with the MAC itself zero; its key is the pool's secret. A zero target means "whoever is there", a
/// zero receiver index "I don't know yours yet". A cookie beside a receiver's index asks that receiver to show it; without one it is shown.
/// </summary>
internal readonly ref struct HandshakeFrame
{
    public const int HeaderSize = 4 + ProtocolConstants.MacSize + 4 + 4 + (2 * NodeAddress.Size) + 4 + 4 + ProtocolConstants.CookieSize;

    public const int MaxSize = HeaderSize + ProtocolConstants.MaxHandshakeChunk;

    private static ReadOnlySpan<byte> NoMac => new byte[ProtocolConstants.MacSize];

    private static ReadOnlySpan<byte> NoCookie => new byte[ProtocolConstants.CookieSize];

    public required uint SenderIndex { get; init; }

    public required uint ReceiverIndex { get; init; }

    public required NodeAddress Sender { get; init; }

    public required NodeAddress Target { get; init; }

    public required uint Offset { get; init; }

    public required uint Acknowledged { get; init; }

    /// <summary>Empty or zeros: none.</summary>
    public ReadOnlySpan<byte> Cookie { get; init; }

    /// <summary>Whether there is a cookie.</summary>
    public bool HasCookie => Cookie.ContainsAnyExcept((byte)0);

    public required ReadOnlySpan<byte> Data { get; init; }

    /// <summary>Writes the frame and returns its length.</summary>
    public int Write(Span<byte> destination, ReadOnlySpan<byte> poolSecret)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)FrameType.Handshake);
        writer.Byte(ProtocolConstants.Version);
        writer.UInt16(0);
        writer.Bytes(NoMac);
        writer.UInt32(SenderIndex);
        writer.UInt32(ReceiverIndex);
        writer.Address(Sender);
        writer.Address(Target);
        writer.UInt32(Offset);
        writer.UInt32(Acknowledged);
        writer.Bytes(Cookie.IsEmpty ? NoCookie : Cookie);
        writer.Bytes(Data);
        PoolMac.Write(writer.Written, poolSecret);
        return writer.Position;
    }

    /// <summary>Reads a frame; false if it is malformed, of another version, or its MAC is not the pool's.</summary>
    public static bool TryRead(ReadOnlySpan<byte> source, ReadOnlySpan<byte> poolSecret, out HandshakeFrame frame)
    {
        frame = default;
        if (source.Length < HeaderSize || source.Length > MaxSize
            || source[0] != (byte)FrameType.Handshake || source[1] != ProtocolConstants.Version || !PoolMac.IsRight(source, poolSecret))
        {
            return false;
        }

        var reader = new ByteReader(source[PoolMac.End..]);
        frame = new HandshakeFrame
        {
            SenderIndex = reader.UInt32(),
            ReceiverIndex = reader.UInt32(),
            Sender = reader.Address(),
            Target = reader.Address(),
            Offset = reader.UInt32(),
            Acknowledged = reader.UInt32(),
            Cookie = reader.Bytes(ProtocolConstants.CookieSize),
            Data = reader.Rest(),
        };
        return reader.IsComplete && frame.SenderIndex != 0;
    }
}
