using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// Turns a session over the ring into a direct one. Both ends tell each other where they may be reached (connect to me) and send
/// sealed pings there at the same time, which opens both NATs; common neighbours are tried as relays beside it. Only a ping that
/// comes back makes a path.
/// </summary>
internal sealed class Puncher(NodeCore core) : IMessageTaker, ITimed, IPeerTimed
{
    private static readonly TimeSpan FirstRetry = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan LastRetry = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan SeekInterval = TimeSpan.FromSeconds(1);

    /// <summary>How much earlier UDP begins than TCP, which is the worse way: what is cheap and mostly works comes first (RFC 8305's idea).</summary>
    private static readonly TimeSpan TcpDelay = TimeSpan.FromMilliseconds(700);

    /// <summary>
    /// How much earlier punching begins than relays, unless packets wait: it mostly takes one round trip, and then all that goes over relays is in vain.
    /// </summary>
    private static readonly TimeSpan RelayDelay = TimeSpan.FromMilliseconds(400);

    private IReadOnlyList<TransportAddress> _local = [];
    private IReadOnlyList<TransportAddress> _mapped = [];

    /// <summary>Sets the addresses of the machine's own interfaces.</summary>
    public void SetLocal(IReadOnlyList<TransportAddress> endpoints)
    {
        _local = endpoints;
        core.Paths.Reflected.Local = endpoints;
        core.Meetings.Reflected.SetListeners(endpoints);
    }

    /// <summary>Sets where gateways take packets for this node.</summary>
    public void SetMapped(TimeSpan now, IReadOnlyList<TransportAddress> endpoints)
    {
        _mapped = endpoints;
        OnNewEndpoint(now);
    }

    public void OnEstablished(TimeSpan now, Peer peer)
    {
        if (!IsPunched(peer))
        {
            peer.Punches = 0;
            Punch(now, peer);
        }
    }

    /// <summary>There is a new way to reach us: whoever is not direct shall know.</summary>
    public void OnNewEndpoint(TimeSpan now)
    {
        foreach (Peer peer in core.Peers.Values)
        {
            if (peer.Current is not null && !IsPunched(peer))
            {
                peer.Punches = 0;
                peer.NextPunch = now;
            }
        }
    }

    public static void OnPathLost(TimeSpan now, Peer peer)
    {
        if (!IsPunched(peer))
        {
            peer.Punches = 0;
            peer.NextPunch = now;
            PortSearcher.OnPathLost(now, peer);
        }
    }

    /// <summary>A path is in doubt: the peer is told over the ring where we are, and asked to say the same of itself.</summary>
    public void Seek(TimeSpan now, Peer peer)
    {
        if (now >= peer.NextSeek)
        {
            peer.NextSeek = now + SeekInterval;
            Send(now, peer, wantsAnswer: true, way: null);
        }
    }

    /// <summary>Tells a peer over the ring, where it is reached whatever became of the path, that we are seen elsewhere now, and asks where it is.</summary>
    public void TellPlace(TimeSpan now, Peer peer)
    {
        peer.NextSeek = now;
        Seek(now, peer);
    }

    /// <summary>Many ports are open to the peer now, and it shall guess which.</summary>
    public void TellSpread(TimeSpan now, Peer peer) => Send(now, peer, wantsAnswer: false, peer.Best, isSpread: true);

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.Candidates, (in incoming, message) => OnCandidates(incoming.Now, incoming.Peer, incoming.Arrival, message));

    public void OnCandidates(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (CandidatesMessage.Read(message) is not { } candidates)
        {
            return;
        }

        peer.OfferedEndpoints = candidates.Endpoints.Count;
        if (candidates.WantsAnswer)
        {
            // By the way that it came: the one in use may be what the peer doubts.
            Send(now, peer, wantsAnswer: false, peer.FindPath(arrival));
        }

        core.PortSearcher.OnCandidates(now, peer, candidates);
        foreach (TransportAddress endpoint in candidates.Endpoints)
        {
            if (IsUsable(endpoint))
            {
                core.Paths.TryNamed(now, peer, Arrival.Direct(endpoint));
            }
        }

        peer.TcpCandidates.Clear();
        if (!IsStraight(peer))
        {
            peer.TcpCandidates.AddRange(candidates.TcpEndpoints.FindAll(IsUsable));
            peer.TryTcpAt = now + TcpDelay;
        }

        peer.RelayCandidates.Clear();
        peer.RelayCandidates.AddRange(candidates.Relays);
        if (peer.IsBusy(now))
        {
            TryRelays(now, peer);
        }

        peer.TryRelaysAt = now + RelayDelay;
    }

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    /// <param name="now">The last tick.</param>
    /// <param name="peer">The peer.</param>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        bool isPunching = peer.Current is not null && !IsPunched(peer) && peer.NextPunch < peer.WantedUntil && peer.IsWanted(now);
        TimeSpan punch = isPunching ? peer.NextPunch : TimeSpan.MaxValue;
        TimeSpan next = peer.TcpCandidates.Count > 0 ? Earlier(peer.TryTcpAt, punch) : punch;
        return peer.RelayCandidates.Count > 0 ? Earlier(peer.TryRelaysAt, next) : next;
    }

    public void Tick(TimeSpan now)
    {
        foreach (Peer peer in core.Agenda.Due)
        {
            if (peer.Current is not null && !IsPunched(peer) && now >= peer.NextPunch && peer.IsWanted(now))
            {
                Punch(now, peer);
            }

            if (peer.TcpCandidates.Count > 0 && now >= peer.TryTcpAt)
            {
                TryTcp(now, peer);
            }

            if (peer.RelayCandidates.Count > 0 && now >= peer.TryRelaysAt)
            {
                TryRelays(now, peer);
            }
        }
    }

    /// <summary>Whether a peer is reached straight, by whatever protocol.</summary>
    public static bool IsStraight(Peer peer) => peer.Best is { Kind: PathKind.Direct };

    /// <summary>Whether there is nothing better to be had: TCP serves, but a lost segment holds up all that follows.</summary>
    public static bool IsPunched(Peer peer) => peer.Best is { Way.IsUdp: true };

    private void TryTcp(TimeSpan now, Peer peer)
    {
        if (!IsStraight(peer))
        {
            peer.TcpCandidates.ForEach(endpoint => core.Paths.TryNamed(now, peer, Arrival.Direct(endpoint)));
        }

        peer.TcpCandidates.Clear();
    }

    private void TryRelays(TimeSpan now, Peer peer)
    {
        foreach (NodeAddress relay in peer.RelayCandidates)
        {
            if (relay != core.Self && relay != peer.Address && core.Peers.TryGetValue(relay, out Peer? common)
                && IsStraight(common) && core.IsMemberPeer(common))
            {
                core.Paths.TryNamed(now, peer, Arrival.Relay(relay));
            }
        }

        peer.RelayCandidates.Clear();
    }

    /// <summary>No multicast, broadcast, or "this host" address is worth a datagram (RFC 6890), and no link-local one that others name.</summary>
    public static bool IsUsable(TransportAddress endpoint)
    {
        if (endpoint.Port == 0 || (endpoint.Prefix | endpoint.Interface) == 0)
        {
            return false;
        }

        if (endpoint.IsIPv4)
        {
            uint first = endpoint.IPv4 >> 24;
            return first is > 0 and < 224;
        }

        return endpoint.Prefix >> 56 != 0xff && !endpoint.IsLinkLocal;
    }

    private void Punch(TimeSpan now, Peer peer)
    {
        TimeSpan wait = FirstRetry * (1 << Math.Min(peer.Punches++, 5));
        peer.NextPunch = now + (wait < LastRetry ? wait : LastRetry);
        Send(now, peer, wantsAnswer: true, peer.Best);
        core.Meetings.Plan(now, peer);
    }

    private void Send(TimeSpan now, Peer peer, bool wantsAnswer, Path? way, bool isSpread = false)
    {
        var candidates = new CandidatesMessage { WantsAnswer = wantsAnswer, IsSpread = isSpread, Nat = core.Paths.Reflected.Nat };
        foreach (TransportAddress endpoint in _mapped.Concat(core.Paths.Reflected.Candidates()).Concat(_local))
        {
            List<TransportAddress> known = endpoint.Protocol == TransportProtocol.Udp ? candidates.Endpoints : candidates.TcpEndpoints;
            if (!known.Contains(endpoint))
            {
                known.Add(endpoint);
            }
        }

        foreach (Peer other in core.Peers.Values)
        {
            if (other != peer && IsStraight(other) && core.IsMemberPeer(other))
            {
                candidates.Relays.Add(other.Address);
                if (candidates.Relays.Count == ProtocolConstants.MaxCandidates)
                {
                    break;
                }
            }
        }

        Span<byte> message = stackalloc byte[CandidatesMessage.MaxSize];
        core.Transport.SendMessage(now, peer, message[..candidates.Write(message)], way);
    }
}
