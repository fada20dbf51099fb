using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Meet me by TCP: where the sender's connections come from as others see them, so that both ends can connect to each other at the same time.
/// <code>type(1) flags(1) endpoints(1) endpoint(18)*</code>
/// </summary>
internal sealed class MeetMessage
{
    public const int MaxSize = 3 + (ProtocolConstants.MaxMeetings * TransportAddress.Size);

    private const byte WantsAnswerFlag = 1;

    /// <summary>Whether the receiver shall send its own endpoints back.</summary>
    public bool WantsAnswer { get; init; }

    /// <summary>Where the sender's NAT will let the receiver in, once the sender has connected to the receiver.</summary>
    [field: Bounded(nameof(ProtocolConstants.MaxMeetings), On = typeof(ProtocolConstants))]
    public List<TransportAddress> Endpoints { get; } = [];

    /// <summary>Writes the message, at most <see cref="MaxSize"/> bytes; endpoints beyond the limit are left out.</summary>
    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Meet);
        writer.Byte(WantsAnswer ? WantsAnswerFlag : (byte)0);
        int count = Math.Min(Endpoints.Count, ProtocolConstants.MaxMeetings);
        writer.Byte((byte)count);
        for (int i = 0; i < count; i++)
        {
            writer.Endpoint(Endpoints[i]);
        }

        return writer.Position;
    }

    /// <summary>Reads a message; null if it has too few bytes, too many, or too many endpoints.</summary>
    public static MeetMessage? Read(ReadOnlySpan<byte> message)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        var result = new MeetMessage { WantsAnswer = (reader.Byte() & WantsAnswerFlag) != 0 };
        int count = reader.Byte();
        for (int i = 0; i < count && i < ProtocolConstants.MaxMeetings; i++)
        {
            result.Endpoints.Add(reader.Endpoint() with { Protocol = TransportProtocol.TcpMet });
        }

        return reader.IsComplete && count <= ProtocolConstants.MaxMeetings ? result : null;
    }
}
