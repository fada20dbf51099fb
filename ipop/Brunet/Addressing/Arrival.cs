namespace Brunet.Addressing;

/// <summary>How a frame came, and so how an answer goes back.</summary>
/// <param name="Kind">Straight, over a relay, over the ring.</param>
/// <param name="Endpoint">Source of the datagram; only if straight.</param>
/// <param name="Via">The relay; over the ring the source's via, if it named one.</param>
/// <param name="Socket">Which of our sockets it came to: 0 is the node's own, others were opened to search for a way through a NAT.</param>
/// <remarks>Compared by its own code, once a packet and more, for the reason that <see cref="TransportAddress"/> gives.</remarks>
internal readonly record struct Arrival(PathKind Kind, TransportAddress Endpoint, NodeAddress Via, int Socket = 0)
{
    public static Arrival Direct(TransportAddress endpoint, int socket = 0) => new(PathKind.Direct, endpoint, default, socket);

    public static Arrival Relay(NodeAddress relay) => new(PathKind.Relay, default, relay);

    public static Arrival Ring(NodeAddress via) => new(PathKind.Ring, default, via);

    /// <summary>Whether it is straight and by UDP, the best there is: on TCP a lost segment holds up all that follows.</summary>
    public bool IsUdp => Kind == PathKind.Direct && Endpoint.Protocol == TransportProtocol.Udp;

    /// <summary>What all straight ways from one source have in common; another way as it is.</summary>
    public Arrival Source => Kind == PathKind.Direct ? Direct(Endpoint.Source) : this;

    public bool Equals(Arrival other) => Is(other);

    /// <summary>As <c>==</c>, which copies both: 64 bytes each.</summary>
    public bool Is(in Arrival other) => Kind == other.Kind && Socket == other.Socket && Endpoint == other.Endpoint && Via == other.Via;

    public override int GetHashCode() => HashCode.Combine((int)Kind, Endpoint, Via, Socket);

    /// <summary>
    /// Whether both are straight ways between the same two machines, with another port at the far end: so looks a NAT that forgot, and a machine that connected anew.
    /// </summary>
    public bool DiffersByPort(Arrival other) =>
        Kind == PathKind.Direct && other.Kind == PathKind.Direct && Endpoint.Protocol is TransportProtocol.Udp or TransportProtocol.TcpAccepted && Socket == other.Socket
        && Endpoint.Port != other.Endpoint.Port && Endpoint with { Port = 0 } == other.Endpoint with { Port = 0 };
}
