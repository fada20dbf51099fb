using Brunet.Addressing;

namespace Brunet.Diagnosis;

/// <summary>One way to a peer that does not go over the ring, for people.</summary>
/// <param name="Kind">Straight or over a relay.</param>
/// <param name="Endpoint">Where, if straight.</param>
/// <param name="Relay">Over which node, if over a relay.</param>
/// <param name="IsUsed">Whether packets go this way now.</param>
/// <param name="IsAlive">Whether it worked both ways not long ago.</param>
/// <param name="RoundTrip">Smoothed; null if no ping came back yet.</param>
/// <param name="Loss">Share of the last pings that were not answered, 0 to 1; null while there is none to judge by.</param>
/// <param name="SinceHeard">Since something last came by it; null if nothing ever did.</param>
public sealed record PathStatus(
    PathKind Kind, TransportAddress? Endpoint, NodeAddress? Relay, bool IsUsed, bool IsAlive, TimeSpan? RoundTrip, double? Loss, TimeSpan? SinceHeard);
