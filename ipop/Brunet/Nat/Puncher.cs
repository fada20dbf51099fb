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

    /// <summary>How often a peer is told of the machine's networks until it answers.</summary>
    private const int MostTells = 3;

    private readonly PerPeer<Kept> _kept = new(peers);

    [Own("the machine's own interfaces")]
    private IReadOnlyList<TransportAddress> _local = [];

    [Own("the machine's gateways and the ports that the node listens on")]
    private IReadOnlyList<TransportAddress> _mapped = [];

    /// <summary>Which of the machine's addresses, counted, are those of now, if they are of several networks; else 0.</summary>
    private int _networks;
    private int _changes;

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
        _networks = HasSeveralNetworks(endpoints) ? ++_changes : 0;
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
        else if (_networks != 0)
        {
            TellNetworks(now, peer);
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
            else if (peer.Current is not null && _networks != 0)
            {
                TellNetworks(local.Soon(now), peer);
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
        kept.TellAt = TimeSpan.MaxValue;
        if (candidates.WantsAnswer)
        {
            // By the way that it came: the one in use may be what the peer doubts. Where nothing has come back from there yet, a member may have forged the
            // source, and the answer goes over the ring.
            Send(now, peer, wantsAnswer: false, peer.Paths.Find(arrival) is { IsAlive: true } path ? path : null);
        }

        peer.Nat = candidates.Nat;
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
            kept.TcpAt = now + TcpDelay;
        }

        kept.RelayCandidates.Clear();
        kept.RelayCandidates.AddRange(candidates.Relays);
        if (peer.Use.IsBusy(now))
        {
            TryRelays(now, peer);
        }

        kept.RelaysAt = now + RelayDelay;
        peer.Stir();
    }

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    /// <param name="now">The last tick.</param>
    /// <param name="peer">The peer.</param>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        return Earlier(Earlier(PunchedAt(now, peer, kept), kept.TellAt), Earlier(kept.TryTcpAt, kept.TryRelaysAt));
    }

    public void Tick(TimeSpan now)
    {
        foreach (Peer peer in agenda.Due)
        {
            Kept kept = _kept.Of(peer);
            if (now >= PunchedAt(now, peer, kept))
            {
                Punch(now, peer);
            }

            if (now >= kept.TellAt)
            {
                kept.TellAt = ++kept.Tells < MostTells ? now + FirstRetry : TimeSpan.MaxValue;
                Send(now, peer, wantsAnswer: true, peer.Best);
            }

            if (now >= kept.TryTcpAt)
            {
                TryTcp(now, peer);
            }

            if (now >= kept.TryRelaysAt)
            {
                TryRelays(now, peer);
            }
        }
    }

    /// <summary>When the peer is told again where this node is: it has no better path, and the link is of use.</summary>
    private static TimeSpan PunchedAt(TimeSpan now, Peer peer, Kept kept) =>
        peer.Current is not null && !peer.IsPunched ? Before(now, kept.NextPunch, peer.Use.WantedUntil) : TimeSpan.MaxValue;

    private void PunchAgain(TimeSpan now, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        kept.Punches = 0;
        kept.NextPunch = now;
        peer.Stir();
    }

    /// <summary>
    /// A machine with several cards tells each peer once where all of them are, though it is reached by one: that one may begin to swallow everything, and then
    /// there may be nobody left to tell it by. The peer answers with where it is, and both try what they heard.
    /// </summary>
    private void TellNetworks(TimeSpan at, Peer peer)
    {
        Kept kept = _kept.Of(peer);
        if (kept.Told != _networks)
        {
            (kept.Told, kept.Tells, kept.TellAt) = (_networks, 0, at);
            peer.Stir();
        }
    }

    /// <summary>Whether the machine has two addresses of one version of IP that others can use: two of IPv4, or of IPv6 in two networks.</summary>
    private static bool HasSeveralNetworks(IReadOnlyList<TransportAddress> endpoints)
    {
        (TransportAddress? four, TransportAddress? six) = (null, null);
        foreach (TransportAddress endpoint in endpoints)
        {
            if (!endpoint.IsLinkLocal)
            {
                ref TransportAddress? first = ref endpoint.IsIPv4 ? ref four : ref six;
                if (first?.IsSameSource(endpoint) == false)
                {
                    return true;
                }

                first = endpoint;
            }
        }

        return false;
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

        /// <summary>Which of the machine's networks the peer was told of; <see cref="_networks"/> when it was.</summary>
        public int Told { get; set; }

        /// <summary>How often it was, and when it is told again, for it has not answered.</summary>
        public int Tells { get; set; }

        public TimeSpan TellAt { get; set; } = TimeSpan.MaxValue;

        /// <summary>How many endpoints the peer named in its last Candidates; null if none came.</summary>
        public int? OfferedEndpoints { get; set; }

        /// <summary>Where the peer says that it listens for TCP, until it was tried.</summary>
        [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
        public List<TransportAddress> TcpCandidates { get; } = [];

        /// <summary>When TCP is tried, if the peer named where and there is no straight path yet.</summary>
        public TimeSpan TcpAt { get; set; }

        /// <summary>The same; later than any time if nothing is left to try.</summary>
        public TimeSpan TryTcpAt => TcpCandidates.Count > 0 ? TcpAt : TimeSpan.MaxValue;

        /// <summary>Common neighbours that the peer named, until they were tried as relays.</summary>
        [field: Bounded(nameof(ProtocolConstants.MaxCandidates), On = typeof(ProtocolConstants))]
        public List<NodeAddress> RelayCandidates { get; } = [];

        /// <summary>When relays are tried, if the peer named any and there is no straight path yet.</summary>
        public TimeSpan RelaysAt { get; set; }

        /// <summary>The same; later than any time if nothing is left to try.</summary>
        public TimeSpan TryRelaysAt => RelayCandidates.Count > 0 ? RelaysAt : TimeSpan.MaxValue;
    }
}
