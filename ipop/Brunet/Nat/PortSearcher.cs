using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Nat;

/// <summary>
/// Gets through where one NAT takes another port for each destination: the side behind it opens many ports, the other guesses. Only for a
/// peer that packets of the virtual network go to and that punching did not reach; one search at a time a node, with pauses that
/// grow, within one budget.
/// </summary>
internal sealed class PortSearcher(NodeCore core) : ITimed, IPeerTimed
{
    /// <summary>Plain punching has won by then, if it can.</summary>
    private static readonly TimeSpan HeadStart = TimeSpan.FromMilliseconds(700);

    private static readonly TimeSpan UndecidedKept = TimeSpan.FromSeconds(5);

    /// <summary>A try fails by chance in one of fifty cases, so the second comes soon.</summary>
    private static readonly int[] PauseSeconds = [4, 15, 30, 60, 120, 300];

    /// <summary>Sockets of searches that are over: living paths use a few of them. With more, those of the last search are closed.</summary>
    private const int MaxKept = 4 * SocketSpread.Many;

    private readonly ProbeBudget _budget = new();

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
        peer.NextSearch != default && IsWorthIt(Later(peer.NextSearch, now), peer) ? peer.NextSearch : TimeSpan.MaxValue;

    /// <summary>The peer told where and behind what it is; and perhaps that it has opened ports and waits for guesses.</summary>
    public void OnCandidates(TimeSpan now, Peer peer, CandidatesMessage candidates)
    {
        peer.Nat = candidates.Nat;
        peer.Outside = candidates.Endpoints.Find(IsSearchable);
        if (peer.NextSearch == default)
        {
            peer.NextSearch = now + HeadStart;
        }

        if (!candidates.IsSpread || now < peer.NextGuesses || !IsWorthIt(now, peer))
        {
            return;
        }

        if (DoBothCount(peer))
        {
            // Its ports are open and wait for ours; if ours are being opened, it hears of them.
            if (_spread is null)
            {
                peer.NextGuesses = now + (0.75 * Pause(peer.Guesses++));
                core.Agenda.WakeSoon();
                _spread = Spread(now, peer, tells: false);
            }
        }
        else if (_guesses is null)
        {
            peer.NextGuesses = now + (0.75 * Pause(peer.Guesses++));
            core.Agenda.WakeSoon();
            _guesses = new PortGuesses(core, peer, peer.Outside, Counts(peer.Nat));
        }
    }

    /// <summary>The way to a peer broke: it may be searched for anew.</summary>
    public static void OnPathLost(TimeSpan now, Peer peer)
    {
        peer.Searches = peer.Guesses = 0;
        peer.NextSearch = now + HeadStart;
        peer.NextGuesses = now;
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
        foreach (Peer peer in core.Agenda.Due)
        {
            if (_spread is not null)
            {
                return;
            }

            if (peer.NextSearch != default && now >= peer.NextSearch && IsWorthIt(now, peer))
            {
                bool isOurs = IsOurs(peer);
                peer.NextSearch = now + (Pause(peer.Searches++) * (0.9 + (0.2 * core.Random.NextDouble())));
                if (isOurs)
                {
                    _spread = Spread(now, peer, tells: true);
                }
            }
        }
    }

    private SocketSpread Spread(TimeSpan now, Peer peer, bool tells)
    {
        if (DoBothCount(peer))
        {
            // A multiple of the step, which may be smaller than it seems.
            int ahead = SocketSpread.Both - 1 - ((SocketSpread.Both - 1) % peer.Nat.Step);
            return new SocketSpread(core, peer, PortGuesses.After(peer.Outside, ahead), SocketSpread.Both, now, tells);
        }

        // Others may have made the NAT count on, or it does not count after all: the second try is as for any.
        int count = Counts(core.Paths.Reflected.Nat) && peer.Searches <= 1 ? SocketSpread.Few : SocketSpread.Many;
        return new SocketSpread(core, peer, peer.Outside, count, now, tells);
    }

    private static bool Counts(NatProfile nat) => nat is { Mapping: NatMapping.Dependent, Step: > 0 };

    /// <summary>
    /// Whether both NATs count. Then each side opens as many ports towards one port of the other that lies as far ahead: whatever either has counted on meanwhile, one port
    /// of each is open to one of the other.
    /// </summary>
    private bool DoBothCount(Peer peer) => Counts(core.Paths.Reflected.Nat) && Counts(peer.Nat);

    private static TimeSpan Pause(int tries) => TimeSpan.FromSeconds(PauseSeconds[Math.Min(tries, PauseSeconds.Length - 1)]);

    /// <summary>An outside address: nobody's LAN is searched on a peer's word.</summary>
    private static bool IsSearchable(TransportAddress endpoint) =>
        endpoint.IsIPv4 && endpoint.Protocol == TransportProtocol.Udp && Puncher.IsUsable(endpoint) && !PrivateAddresses.Contains(endpoint);

    private bool IsWorthIt(TimeSpan now, Peer peer) =>
        peer.Current is not null && !Puncher.IsStraight(peer) && peer.IsBusy(now) && peer.Outside != default && core.Paths.Reflected.IsKnown;

    /// <summary>Whether it is on us to open ports. Both sides come to the same answer, unless one knows of its NAT what it has not told yet.</summary>
    private bool IsOurs(Peer peer)
    {
        (NatMapping ours, NatMapping theirs) = (core.Paths.Reflected.Nat.Mapping, peer.Nat.Mapping);
        if (ours == theirs)
        {
            // Chance on a side, and no easy one: nobody can be told where to send. Two that know nothing take turns.
            return DoBothCount(peer) || (ours == NatMapping.Unknown && (peer.Searches % 2 == 0) == (core.Self < peer.Address));
        }

        return ours == NatMapping.Dependent || (ours == NatMapping.Unknown && theirs != NatMapping.Dependent);
    }

    /// <summary>A search is over. Of a NAT that counts the next one has to know how far it has counted on.</summary>
    private void Over(TimeSpan now, Peer peer, int opened)
    {
        core.Paths.Reflected.OnOpened(opened);
        if (DoBothCount(peer) && !Puncher.IsStraight(peer))
        {
            core.Puncher.TellPlace(now, peer);
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
                core.Refusals.Add(Full.SearchSockets);
                Close(socket, spread.Peer);
            }
        }
    }

    /// <summary>Closes the sockets that no living path uses. The peer may prefer another one of them than we do, and says so by what it sends.</summary>
    private void CloseUnused(TimeSpan now)
    {
        foreach ((int socket, Peer peer) in _kept)
        {
            if (!core.Peers.TryGetValue(peer.Address, out Peer? known) || known != peer
                || !peer.Paths.Exists(path => path.Way.Socket == socket && (path.IsAlive || now - path.LastReceived < UndecidedKept)))
            {
                _kept.Remove(socket);
                Close(socket, peer);
            }
        }
    }

    private void Close(int socket, Peer peer)
    {
        peer.Paths.RemoveAll(path => path.Way.Socket == socket);
        core.Output.CloseSocket(socket);
    }
}
