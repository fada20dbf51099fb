using Brunet.Addressing;

namespace Brunet.Wire;

/// <summary>
/// Connect to me: where the sender may be reached, straight and over relays.
/// <code>type(1) flags(1) mapping(1) step(1) endpoints(1) endpoint(18)* tcp-endpoints(1) endpoint(18)* relays(1) address(20)*</code>
/// </summary>
internal sealed class CandidatesMessage
{
    public const int MaxSize = 7 + (ProtocolConstants.MaxCandidates * ((2 * TransportAddress.Size) + NodeAddress.Size));

    private const byte WantsAnswerFlag = 1;
    private const byte SpreadFlag = 2;

    /// <summary>Whether the receiver shall send its own candidates back.</summary>
    public bool WantsAnswer { get; set; }

    /// <summary>Whether the sender has opened many ports towards the receiver, who shall guess them.</summary>
    public bool IsSpread { get; set; }

    /// <summary>What the sender found out about its NAT.</summary>
    public NatProfile Nat { get; set; }

    /// <summary>Where it may be reached by UDP.</summary>
    [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
    public List<TransportAddress> Endpoints { get; } = [];

    /// <summary>Where it listens for TCP.</summary>
    [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
    public List<TransportAddress> TcpEndpoints { get; } = [];

    [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
    public List<NodeAddress> Relays { get; } = [];

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Candidates);
        writer.Byte((byte)((WantsAnswer ? WantsAnswerFlag : 0) | (IsSpread ? SpreadFlag : 0)));
        writer.Byte((byte)Nat.Mapping);
        writer.Byte(Nat.Step);
        WriteEndpoints(ref writer, Endpoints);
        WriteEndpoints(ref writer, TcpEndpoints);
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
        byte flags = reader.Byte();
        var result = new CandidatesMessage
        {
            WantsAnswer = (flags & WantsAnswerFlag) != 0,
            IsSpread = (flags & SpreadFlag) != 0,
            Nat = NatProfile.FromWire(reader.Byte(), reader.Byte()),
        };
        bool isWithinLimits = ReadEndpoints(ref reader, result.Endpoints, TransportProtocol.Udp)
            & ReadEndpoints(ref reader, result.TcpEndpoints, TransportProtocol.Tcp);
        int relays = reader.Byte();
        for (int i = 0; i < relays && i < ProtocolConstants.MaxCandidates; i++)
        {
            result.Relays.Add(reader.Address());
        }

        return reader.IsComplete && isWithinLimits && relays <= ProtocolConstants.MaxCandidates ? result : null;
    }

    private static void WriteEndpoints(ref ByteWriter writer, List<TransportAddress> endpoints)
    {
        int count = Math.Min(endpoints.Count, ProtocolConstants.MaxCandidates);
        writer.Byte((byte)count);
        for (int i = 0; i < count; i++)
        {
            writer.Endpoint(endpoints[i]);
        }
    }

    private static bool ReadEndpoints(ref ByteReader reader, List<TransportAddress> endpoints, TransportProtocol protocol)
    {
        int count = reader.Byte();
        for (int i = 0; i < count && i < ProtocolConstants.MaxCandidates; i++)
        {
            endpoints.Add(reader.Endpoint() with { Protocol = protocol });
        }

        return count <= ProtocolConstants.MaxCandidates;
    }
}
