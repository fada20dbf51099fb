using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// Gets through where one NAT takes another port for each destination: the side behind it opens many ports, the other guesses; and where one
/// NAT stands before both and refuses a flow between them. Only for a peer that packets of the virtual network go to and that punching did
/// not reach; one search at a time a node, with pauses that grow, within one budget.
/// </summary>
internal sealed class PortSearcher(LocalNode local, PeerTable peers, Agenda agenda, PathKeeper paths, ReflectedAddresses reflected, Puncher puncher) : ITimed, IPeerTimed
{
    /// <summary>Plain punching has won by then, if it can.</summary>
    private static readonly TimeSpan HeadStart = TimeSpan.FromMilliseconds(700);

    private static readonly TimeSpan UndecidedKept = TimeSpan.FromSeconds(5);

    /// <summary>A try fails by chance in one of fifty cases, so the second comes soon.</summary>
    private static readonly int[] PauseSeconds = [4, 15, 30, 60, 120, 300];

    /// <summary>Sockets of searches that are over: living paths use a few of them. With more, those of the last search are closed.</summary>
    private const int MaxKept = 4 * SocketSpread.Many;

    private readonly ProbeBudget _budget = new();
    private readonly PerPeer<Kept> _perPeer = new(peers);

    [Bounded(nameof(MaxKept))]
    private readonly Dictionary<int, Peer> _kept = [];

    private SocketSpread? _spread;
    private PortGuesses? _guesses;

    /// <summary>When a search has to be gone on with: as soon as it may.</summary>
    public TimeSpan NextTick => _spread is not null || _guesses is not null ? TimeSpan.Zero : TimeSpan.MaxValue;

    /// <summary>When a search for a peer may begin to which nothing happens until then.</summary>
    /// <param name="now">The last tick.</param>
    /// <param name="peer">The peer.</param>
    public TimeSpan NextOf(TimeSpan now, Peer peer) =>
        _perPeer.Find(peer) is { } kept && kept.NextSearch != default && IsWorthIt(Later(kept.NextSearch, now), peer, kept)
            ? kept.NextSearch
            : TimeSpan.MaxValue;

    /// <summary>The peer told where and behind what it is; and perhaps that it has opened ports and waits for guesses.</summary>
    public void OnCandidates(TimeSpan now, Peer peer, CandidatesMessage candidates)
    {
        Kept kept = _perPeer.Of(peer);
        kept.Outside = candidates.Endpoints.Find(IsSearchable);
        if (kept.NextSearch == default)
        {
            kept.NextSearch = now + HeadStart;
            peer.Stir();
        }

        if (!candidates.IsSpread || now < kept.NextGuesses || !IsWorthIt(now, peer, kept))
        {
            return;
        }

        if (DoBothCount(peer))
        {
            // Its ports are open and wait for ours; if ours are being opened, it hears of them.
            if (_spread is null)
            {
                kept.NextGuesses = now + (0.75 * Pause(kept.Guesses++));
                agenda.WakeSoon();
                _spread = Spread(now, peer, kept, tells: false);
            }
        }
        else if (_guesses is null)
        {
            kept.NextGuesses = now + (0.75 * Pause(kept.Guesses++));
            agenda.WakeSoon();
            _guesses = new PortGuesses(local, paths, peer, kept.Outside, Counts(peer.Nat));
        }
    }

    /// <summary>The way to a peer broke: it may be searched for anew.</summary>
    public void OnPathLost(TimeSpan now, Peer peer)
    {
        if (!peer.IsPunched)
        {
            Kept kept = _perPeer.Of(peer);
            kept.Searches = kept.Guesses = 0;
            kept.NextSearch = now + HeadStart;
            kept.NextGuesses = now;
            peer.Stir();
        }
    }

    public void Tick(TimeSpan now)
    {
        _budget.Tick(now);
        if (_spread?.Tick(now, _budget) == false)
        {
            End(_spread);
            Over(now, _spread.Peer, _spread.Sockets.Count);
            _spread = null;
        }

        if (_guesses?.Tick(now, _budget) == false)
        {
            Over(now, _guesses.Peer, _guesses.Sent);
            _guesses = null;
        }

        CloseUnused(now);
        foreach (Peer peer in agenda.Due)
        {
            if (_spread is not null)
            {
                return;
            }

            if (_perPeer.Find(peer) is { } kept && kept.NextSearch != default && now >= kept.NextSearch && IsWorthIt(now, peer, kept))
            {
                bool isOurs = IsOurs(peer, kept);
                kept.NextSearch = now + (Pause(kept.Searches++) * (0.9 + (0.2 * local.Random.NextDouble())));
                if (isOurs)
                {
                    _spread = Spread(now, peer, kept, tells: true);
                }
            }
        }
    }

    private SocketSpread Spread(TimeSpan now, Peer peer, Kept kept, bool tells)
    {
        if (DoBothCount(peer))
        {
            // A multiple of the step, which may be smaller than it seems.
            int ahead = SocketSpread.Both - 1 - ((SocketSpread.Both - 1) % peer.Nat.Step);
            return new SocketSpread(local, paths, puncher, peer, PortGuesses.After(kept.Outside, ahead), SocketSpread.Both, now, tells);
        }

        if (DoShareNat(peer, kept))
        {
            return new SocketSpread(local, paths, puncher, peer, kept.Outside, SocketSpread.One, now, tells: false);
        }

        // Others may have made the NAT count on, or it does not count after all: the second try is as for any.
        int count = Counts(reflected.Nat) && kept.Searches <= 1 ? SocketSpread.Few : SocketSpread.Many;
        return new SocketSpread(local, paths, puncher, peer, kept.Outside, count, now, tells);
    }

    private static bool Counts(NatProfile nat) => nat is { Mapping: NatMapping.Dependent, Step: > 0 };

    /// <summary>
    /// Whether both NATs count. Then each side opens as many ports towards one port of the other that lies as far ahead: whatever either has counted on meanwhile, one port
    /// of each is open to one of the other.
    /// </summary>
    private bool DoBothCount(Peer peer) => Counts(reflected.Nat) && Counts(peer.Nat);

    /// <summary>
    /// Whether one NAT stands before both that keeps a machine's port for everybody. What came to it before the peer's port was open it may have refused, and a NAT that
    /// remembers each flow, as Linux does, goes on to refuse it, both ways, for as long as pings follow. What comes from another port of ours is another flow.
    /// </summary>
    private bool DoShareNat(Peer peer, Kept kept) =>
        (reflected.Nat.Mapping, peer.Nat.Mapping) is (NatMapping.Independent, NatMapping.Independent)
        && reflected.Distinct().Exists(seen => seen.IsSameSource(kept.Outside));

    private static TimeSpan Pause(int tries) => TimeSpan.FromSeconds(PauseSeconds[Math.Min(tries, PauseSeconds.Length - 1)]);

    /// <summary>An outside address: nobody's LAN is searched on a peer's word.</summary>
    private static bool IsSearchable(TransportAddress endpoint) =>
        endpoint.IsIPv4 && endpoint.Protocol == TransportProtocol.Udp && endpoint.IsUsable && !PrivateAddresses.Contains(endpoint);

    private bool IsWorthIt(TimeSpan now, Peer peer, Kept kept) =>
        peer.Current is not null && !peer.IsStraight && peer.Use.IsBusy(now) && kept.Outside != default && reflected.IsKnown;

    /// <summary>Whether it is on us to open ports. Both sides come to the same answer, unless one knows of its NAT what it has not told yet.</summary>
    private bool IsOurs(Peer peer, Kept kept)
    {
        (NatMapping ours, NatMapping theirs) = (reflected.Nat.Mapping, peer.Nat.Mapping);
        if (ours == theirs)
        {
            // Chance on a side, and no easy one: nobody can be told where to send. Two that know nothing take turns.
            return DoBothCount(peer) || DoShareNat(peer, kept) || (ours == NatMapping.Unknown && (kept.Searches % 2 == 0) == (local.Self < peer.Address));
        }

        return ours == NatMapping.Dependent || (ours == NatMapping.Unknown && theirs != NatMapping.Dependent);
    }

    /// <summary>A search is over. Of a NAT that counts the next one has to know how far it has counted on.</summary>
    private void Over(TimeSpan now, Peer peer, int opened)
    {
        reflected.OnOpened(opened);
        if (DoBothCount(peer) && !peer.IsStraight)
        {
            puncher.TellPlace(now, peer);
        }
    }

    private void End(SocketSpread spread)
    {
        foreach (int socket in spread.Sockets)
        {
            if (_kept.Count < MaxKept)
            {
                _kept.Add(socket, spread.Peer);
            }
            else
            {
                local.Refusals.Add(Full.SearchSockets);
                Close(socket, spread.Peer);
            }
        }
    }

    /// <summary>Closes the sockets that no living path uses. The peer may prefer another one of them than we do, and says so by what it sends.</summary>
    private void CloseUnused(TimeSpan now)
    {
        foreach ((int socket, Peer peer) in _kept)
        {
            if (!peers.TryGetValue(peer.Address, out Peer? known) || known != peer
                || !peer.Paths.Any(path => path.Way.Socket == socket && (path.IsAlive || now - path.LastReceived < UndecidedKept)))
            {
                _kept.Remove(socket);
                Close(socket, peer);
            }
        }
    }

    private void Close(int socket, Peer peer)
    {
        PathKeeper.ForgetSocket(peer, socket);
        local.Output.CloseSocket(socket);
    }

    private sealed class Kept
    {
        /// <summary>The outside address that the peer named first; default if none, or only one of a private network.</summary>
        public TransportAddress Outside { get; set; }

        /// <summary>When a way through the NATs is searched for again; default until the peer has told where it is.</summary>
        public TimeSpan NextSearch { get; set; }

        public int Searches { get; set; }

        /// <summary>From when on its next search is helped.</summary>
        public TimeSpan NextGuesses { get; set; }

        public int Guesses { get; set; }
    }
}
