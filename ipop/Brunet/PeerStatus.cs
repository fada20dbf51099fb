using Brunet.Addressing;
using Brunet.Diagnosis;
using Brunet.Nat;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet;

/// <summary>How packets reach a peer; the better way is the greater.</summary>
public enum PathKind
{
    /// <summary>Over the ring, hop by hop.</summary>
    Ring,

    /// <summary>Over one common neighbour.</summary>
    Relay,

    /// <summary>Straight.</summary>
    Direct,
}

/// <summary>What the node keeps its link to a peer for.</summary>
public enum LinkPurpose
{
    /// <summary>For the node's own packets, or for the peer's use alone.</summary>
    Other,

    /// <summary>The peer is one of the far members that the node chose to route by.</summary>
    Shortcut,

    /// <summary>The peer is one of the node's near neighbours on the ring.</summary>
    Near,
}

/// <summary>What the node knows of a peer, for people.</summary>
/// <param name="Identity">Who it proved to be.</param>
/// <param name="Path">How packets reach it now.</param>
/// <param name="Endpoint">Where, if straight.</param>
/// <param name="RoundTrip">Smoothed round trip of that path; null over the ring.</param>
/// <param name="SentBytes">Bytes of sealed frames sent.</param>
/// <param name="ReceivedBytes">Bytes of sealed frames received.</param>
/// <param name="Age">Since the peer is known.</param>
public sealed record PeerStatus(
    PeerIdentity Identity,
    PathKind Path,
    TransportAddress? Endpoint,
    TimeSpan? RoundTrip,
    long SentBytes,
    long ReceivedBytes,
    TimeSpan Age)
{
    /// <summary>The boot id that it proved in the newest session: another one after each start.</summary>
    public ulong Boot { get; init; }

    /// <summary>What the session's keys were agreed by, as the library calls it.</summary>
    public string KeyExchange { get; init; } = "";

    /// <summary>Share of the last pings by that path that were not answered, 0 to 1; null over the ring, or while there is none to judge by.</summary>
    public double? Loss { get; init; }

    /// <summary>Bytes of the longest packet of the virtual network that its path carries in one piece; null while it was not probed.</summary>
    public int? Mtu { get; init; }

    /// <summary>Why it is not reached straight; null if it is.</summary>
    public NotDirect? NotDirect { get; init; }

    /// <summary>What the link is for; of several purposes the nearest.</summary>
    public LinkPurpose Purpose { get; init; }

    /// <summary>How many endpoints the peer named as its own; null if it named none yet.</summary>
    public int? OfferedEndpoints { get; init; }

    /// <summary>All ways that are known, but for the ring.</summary>
    public IReadOnlyList<PathStatus> Paths { get; init; } = [];
}

/// <summary>What the node knows of its ring, for people.</summary>
/// <param name="IsJoined">Whether it has a place on the ring.</param>
/// <param name="Connections">Members with a link that is not the ring.</param>
/// <param name="NearNeighbours">Near neighbours among them.</param>
/// <param name="Reflected">Outside addresses that peers saw, the newest first.</param>
/// <param name="Nat">How the NAT before this node chooses ports, as far as is known.</param>
public sealed record RingStatus(bool IsJoined, int Connections, int NearNeighbours, IReadOnlyList<TransportAddress> Reflected, NatProfile Nat)
{
    /// <summary>What the node handed on for others.</summary>
    public RelayedTraffic Relayed { get; init; } = new(0, 0, 0);

    /// <summary>Whom that NAT, or a firewall, lets in, as far as is known.</summary>
    public NatFiltering Filtering { get; init; }

    /// <summary>How long a link may be silent so that it keeps its mapping.</summary>
    public TimeSpan KeepAlive { get; init; }
}

/// <summary>What a node handed on for others since it started, as a relay and on the ring.</summary>
/// <param name="Frames">Frames that went on.</param>
/// <param name="Bytes">Their bytes.</param>
/// <param name="Refused">Frames dropped because they were beyond the rate.</param>
public sealed record RelayedTraffic(long Frames, long Bytes, long Refused);
