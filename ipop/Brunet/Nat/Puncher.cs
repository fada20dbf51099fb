using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// Turns a session over the ring into a direct one. Both ends tell each other where they may be reached (connect to me) and send
/// sealed pings there at the same time, which opens both NATs; common neighbours are tried as relays beside it. Only a ping that
/// comes back makes a path.
/// </summary>
internal sealed class Puncher(LocalNode local, PeerTable peers, Agenda agenda, Transport transport, PathKeeper paths, ReflectedAddresses reflected, ReflectedConnections connections) : IMessageTaker, ITimed, IPeerTimed
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

    private readonly PerPeer<Kept> _kept = new(peers);

    private IReadOnlyList<TransportAddress> _local = [];
    private IReadOnlyList<TransportAddress> _mapped = [];

    /// <summary>Hears of where and behind what a peer says that it is.</summary>
    public Action<TimeSpan, Peer, CandidatesMessage>? Named { get; set; }

    /// <summary>Hears of each peer that was told how to reach us.</summary>
    public Action<TimeSpan, Peer>? Punched { get; set; }

    /// <summary>How many endpoints a peer named when it last said where it is; null if it did not.</summary>
    public int? OfferedBy(Peer peer) => _kept.Find(peer)?.OfferedEndpoints;

    /// <summary>Sets the addresses of the machine's own interfaces.</summary>
    public void SetLocal(IReadOnlyList<TransportAddress> endpoints)
    {
        _local = endpoints;
        reflected.Local = endpoints;
        connections.SetListeners(endpoints);
    }

    /// <summary>Sets where gateways take packets for this node.</summary>
    public void SetMapped(TimeSpan now, IReadOnlyList<TransportAddress> endpoints)
    {
        _mapped = endpoints;
        OnNewEndpoint(now);
    }

    public void OnEstablished(TimeSpan now, Peer peer)
    {
        if (!peer.IsPunched)
        {
            _kept.Of(peer).Punches = 0;
            Punch(now, peer);
        }
    }

    /// <summary>There is a new way to reach us: whoever is not direct shall know.</summary>
    public void OnNewEndpoint(TimeSpan now)
    {
        foreach (Peer peer in peers.Values)
        {
            if (peer.Current is not null && !peer.IsPunched)
            {
                PunchAgain(now, peer);
            }
        }
    }

    /// <summary>The way to a peer broke.</summary>
    public void OnPathLost(TimeSpan now, Peer peer)
    {
        if (!peer.IsPunched)
        {
            PunchAgain(now, peer);
        }
    }

    /// <summary>A path is in doubt: the peer is told over the ring where we are, and asked to say the same of itself.</summary>
    public void Seek(TimeSpan now, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        if (now >= kept.NextSeek)
        {
            kept.NextSeek = now + SeekInterval;
            Send(now, peer, wantsAnswer: true, way: null);
        }
    }

    /// <summary>Tells a peer over the ring, where it is reached whatever became of the path, that we are seen elsewhere now, and asks where it is.</summary>
    public void TellPlace(TimeSpan now, Peer peer)
    {
        _kept.Of(peer).NextSeek = now;
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

        Kept kept = _kept.Of(peer);
        kept.OfferedEndpoints = candidates.Endpoints.Count;
        if (candidates.WantsAnswer)
        {
            // By the way that it came: the one in use may be what the peer doubts.
            Send(now, peer, wantsAnswer: false, peer.FindPath(arrival));
        }

        Named?.Invoke(now, peer, candidates);
        foreach (TransportAddress endpoint in candidates.Endpoints)
        {
            if (endpoint.IsUsable)
            {
                paths.TryNamed(now, peer, Arrival.Direct(endpoint));
            }
        }

        kept.TcpCandidates.Clear();
        if (!peer.IsStraight)
        {
            kept.TcpCandidates.AddRange(candidates.TcpEndpoints.FindAll(endpoint => endpoint.IsUsable));
            kept.TryTcpAt = now + TcpDelay;
        }

        kept.RelayCandidates.Clear();
        kept.RelayCandidates.AddRange(candidates.Relays);
        if (peer.Use.IsBusy(now))
        {
            TryRelays(now, peer);
        }

        kept.TryRelaysAt = now + RelayDelay;
        peer.Stir();
    }

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    /// <param name="now">The last tick.</param>
    /// <param name="peer">The peer.</param>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        bool isPunching = peer.Current is not null && !peer.IsPunched && kept.NextPunch < peer.Use.WantedUntil && peer.Use.IsWanted(now);
        TimeSpan punch = isPunching ? kept.NextPunch : TimeSpan.MaxValue;
        TimeSpan next = kept.TcpCandidates.Count > 0 ? Earlier(kept.TryTcpAt, punch) : punch;
        return kept.RelayCandidates.Count > 0 ? Earlier(kept.TryRelaysAt, next) : next;
    }

    public void Tick(TimeSpan now)
    {
        foreach (Peer peer in agenda.Due)
        {
            Kept kept = _kept.Of(peer);
            if (peer.Current is not null && !peer.IsPunched && now >= kept.NextPunch && peer.Use.IsWanted(now))
            {
                Punch(now, peer);
            }

            if (kept.TcpCandidates.Count > 0 && now >= kept.TryTcpAt)
            {
                TryTcp(now, peer);
            }

            if (kept.RelayCandidates.Count > 0 && now >= kept.TryRelaysAt)
            {
                TryRelays(now, peer);
            }
        }
    }

    private void PunchAgain(TimeSpan now, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        kept.Punches = 0;
        kept.NextPunch = now;
        peer.Stir();
    }

    private void TryTcp(TimeSpan now, Peer peer)
    {
        List<TransportAddress> candidates = _kept.Of(peer).TcpCandidates;
        if (!peer.IsStraight)
        {
            candidates.ForEach(endpoint => paths.TryNamed(now, peer, Arrival.Direct(endpoint)));
        }

        candidates.Clear();
    }

    private void TryRelays(TimeSpan now, Peer peer)
    {
        List<NodeAddress> candidates = _kept.Of(peer).RelayCandidates;
        foreach (NodeAddress relay in candidates)
        {
            if (relay != local.Self && relay != peer.Address && peers.TryGetValue(relay, out Peer? common)
                && common.IsStraight && peers.IsMember(common))
            {
                paths.TryNamed(now, peer, Arrival.Relay(relay));
            }
        }

        candidates.Clear();
    }

    private void Punch(TimeSpan now, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        TimeSpan wait = FirstRetry * (1 << Math.Min(kept.Punches++, 5));
        kept.NextPunch = now + (wait < LastRetry ? wait : LastRetry);
        peer.Stir();
        Send(now, peer, wantsAnswer: true, peer.Best);
        Punched?.Invoke(now, peer);
    }

    private void Send(TimeSpan now, Peer peer, bool wantsAnswer, Path? way, bool isSpread = false)
    {
        var candidates = new CandidatesMessage { WantsAnswer = wantsAnswer, IsSpread = isSpread, Nat = reflected.Nat };
        foreach (TransportAddress endpoint in _mapped.Concat(reflected.Candidates()).Concat(_local))
        {
            List<TransportAddress> known = endpoint.Protocol == TransportProtocol.Udp ? candidates.Endpoints : candidates.TcpEndpoints;
            if (!known.Contains(endpoint))
            {
                known.Add(endpoint);
            }
        }

        foreach (Peer other in peers.Values)
        {
            if (other != peer && other.IsStraight && peers.IsMember(other))
            {
                candidates.Relays.Add(other.Address);
                if (candidates.Relays.Count == ProtocolConstants.MaxCandidates)
                {
                    break;
                }
            }
        }

        Span<byte> message = stackalloc byte[CandidatesMessage.MaxSize];
        transport.SendMessage(now, peer, message[..candidates.Write(message)], way);
    }

    private sealed class Kept
    {
        public TimeSpan NextPunch { get; set; }

        public int Punches { get; set; }

        /// <summary>When the peer may be asked again over the ring where it is.</summary>
        public TimeSpan NextSeek { get; set; }

        /// <summary>How many endpoints the peer named in its last Candidates; null if none came.</summary>
        public int? OfferedEndpoints { get; set; }

        /// <summary>Where the peer says that it listens for TCP, until it was tried.</summary>
        [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
        public List<TransportAddress> TcpCandidates { get; } = [];

        /// <summary>When TCP is tried, if there is no straight path yet.</summary>
        public TimeSpan TryTcpAt { get; set; }

        /// <summary>Common neighbours that the peer named, until they were tried as relays.</summary>
        [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
        public List<NodeAddress> RelayCandidates { get; } = [];

        /// <summary>When relays are tried, if there is no straight path yet.</summary>
        public TimeSpan TryRelaysAt { get; set; }
    }
}
