using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Connect to me: where the sender may be reached, straight and over relays.
/// <code>type(1) flags(1) endpoints(1) endpoint(18)* relays(1) address(20)*</code>
/// </summary>
internal sealed class CandidatesMessage
{
    public const int MaxSize = 4 + (ProtocolConstants.MaxCandidates * (TransportAddress.Size + NodeAddress.Size));

    private const byte WantsAnswerFlag = 1;

    /// <summary>Whether the receiver shall send its own candidates back.</summary>
    public bool WantsAnswer { get; set; }

    public List<TransportAddress> Endpoints { get; } = [];

    public List<NodeAddress> Relays { get; } = [];

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Candidates);
        writer.Byte(WantsAnswer ? WantsAnswerFlag : (byte)0);
        int endpoints = Math.Min(Endpoints.Count, ProtocolConstants.MaxCandidates);
        writer.Byte((byte)endpoints);
        for (int i = 0; i < endpoints; i++)
        {
            writer.Endpoint(Endpoints[i]);
        }

        int relays = Math.Min(Relays.Count, ProtocolConstants.MaxCandidates);
        writer.Byte((byte)relays);
        for (int i = 0; i < relays; i++)
        {
            writer.Address(Relays[i]);
        }

        return writer.Position;
    }

    public static CandidatesMessage? Read(ReadOnlySpan<byte> message)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        var result = new CandidatesMessage { WantsAnswer = (reader.Byte() & WantsAnswerFlag) != 0 };
        int endpoints = reader.Byte();
        for (int i = 0; i < endpoints && i < ProtocolConstants.MaxCandidates; i++)
        {
            result.Endpoints.Add(reader.Endpoint());
        }

        int relays = reader.Byte();
        for (int i = 0; i < relays && i < ProtocolConstants.MaxCandidates; i++)
        {
            result.Relays.Add(reader.Address());
        }

        bool isWithinLimits = endpoints <= ProtocolConstants.MaxCandidates && relays <= ProtocolConstants.MaxCandidates;
        return reader.IsComplete && isWithinLimits ? result : null;
    }
}
