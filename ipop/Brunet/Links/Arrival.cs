using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>How a frame came, and so how an answer goes back.</summary>
/// <param name="Kind">Straight, over a relay, over the ring.</param>
/// <param name="Endpoint">Source of the datagram; only if straight.</param>
/// <param name="Via">The relay; over the ring the source's via, if it named one.</param>
internal readonly record struct Arrival(PathKind Kind, TransportAddress Endpoint, NodeAddress Via)
{
    public static Arrival Direct(TransportAddress endpoint) => new(PathKind.Direct, endpoint, default);

    public static Arrival Relay(NodeAddress relay) => new(PathKind.Relay, default, relay);

    public static Arrival Ring(NodeAddress via) => new(PathKind.Ring, default, via);
}
