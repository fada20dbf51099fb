using Brunet.Addressing;
using Brunet.Sessions;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// What time does to paths. Each is pinged, so that its NAT mappings stay open; traffic that nothing answers brings the ping forward. A
/// path that misses three pings is dead, and one is enough if the peer is heard another way meanwhile. How long a ping may take follows
/// from the round trips measured.
/// </summary>
internal sealed class PathWatch(LocalNode local, PeerTable peers, Agenda agenda, Transport transport, PathKeeper paths, MappingLife life, LinkEvents events) : ITimed, IPeerTimed
{
    private const int MaxSpares = 2;

    private static readonly TimeSpan DeadInterval = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan DeadKept = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan SearchedKept = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ProbeKept = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan ProbeInterval = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan RingPingInterval = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RingTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SuspectAfter = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan OverdueBy = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan SilentFor = TimeSpan.FromSeconds(20);

    /// <summary>A path that was heard so lately is not doubted because something on it has no answer yet.</summary>
    private static readonly TimeSpan HeardLately = TimeSpan.FromSeconds(1);

    private static readonly TimeSpan RelayKept = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan RelayKeepInterval = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan PartingKept = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan UnansweredKept = TimeSpan.FromSeconds(75);

    private readonly PerPeer<Kept> _kept = new(peers);

    /// <summary>A session stands. The peer is told now where this node is, and answers that. A ping over the ring beside it would cost as many hops.</summary>
    public void OnEstablished(TimeSpan now, Peer peer) => _kept.Of(peer).LastRingPing = now;

    /// <summary>Lets the time of those peers pass that are due.</summary>
    public void Tick(TimeSpan now)
    {
        List<Peer>? lost = null;
        foreach (Peer peer in agenda.Due)
        {
            TickPeer(now, peer);
            if (peer.PartedAt is null && peer.IsUseless(now))
            {
                transport.SendGoodbye(now, peer);
                peers.Part(now, peer);
            }
            else if (now - peer.PartedAt >= PartingKept || now >= LostAt(peer)
                || (peer.Current is null && peer.Pending is null && !peer.Waiting.HasAny))
            {
                (lost ??= []).Add(peer);
            }
        }

        foreach (Peer peer in lost ?? [])
        {
            if (peer.PartedAt is null)
            {
                events.Lost?.Invoke(now, peer);
            }

            peers.Remove(peer);
        }
    }

    /// <summary>When a peer is as good as dead: it does not answer, or says nothing for much longer than it may be silent.</summary>
    private static TimeSpan LostAt(Peer peer)
    {
        TimeSpan silent = peer.LastReceived + LostAfter + (peer.Current is null ? default : MappingLife.Longest);
        return peer.UnansweredSince is { } since ? Earlier(silent, since + UnansweredKept) : silent;
    }

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    /// <param name="now">The last tick: what ended before it ends no more.</param>
    /// <param name="peer">The peer.</param>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        bool isForgotten = peer.Current is null && peer.Pending is null && !peer.Waiting.HasAny;
        TimeSpan next = isForgotten ? TimeSpan.Zero : LostAt(peer);
        if (peer.PartedAt is { } parted)
        {
            return Earlier(next, parted + PartingKept);
        }

        if (peer.Current is null)
        {
            return next;
        }

        TimeSpan wantedUntil = peer.Use.WantedUntil;
        next = Earlier(next, Later(wantedUntil, peer.Use.WishedUntil));
        foreach (Path path in peer.Paths)
        {
            next = Earlier(next, path.IsAlive ? NextOfAlive(now, peer, path, wantedUntil) : NextOfDown(now, peer, path));
        }

        if (peer.UnansweredSince is { } since && peer.Pending is null && peer.Next is null)
        {
            next = Earlier(next, Before(now, Later(since + SuspectAfter, peer.NextHandshake), wantedUntil));
        }

        if (peer.Best is { } best)
        {
            next = best.IsPingOutstanding ? next : Earlier(next, peer.Use.OddlySilentAt);
            return best.Kind == PathKind.Relay ? Earlier(next, Before(now, _kept.Of(peer).NextRelayKeep, wantedUntil)) : next;
        }

        TimeSpan last = _kept.Of(peer).LastRingPing;
        TimeSpan ringPing = peer.UnansweredSince is { } waiting
            ? Earlier(last + RingPingInterval, Later(waiting + RingTimeout, last + UnansweredRingPing(now, peer)))
            : last + RingPingInterval;
        return Earlier(next, Before(now, ringPing, wantedUntil));
    }

    private TimeSpan NextOfAlive(TimeSpan now, Peer peer, Path path, TimeSpan wantedUntil)
    {
        if (path.Misses.AreAll || IsElsewhere(peer, path))
        {
            return TimeSpan.Zero;
        }

        if (path.IsPingOutstanding)
        {
            return path.PingSentAt + path.Timeout;
        }

        bool isKept = IsKept(isBusy: false, peer, path);
        bool isKeptWhileBusy = isKept || IsKept(isBusy: true, peer, path);
        TimeSpan ping = path.RoundTrip is null || path.Misses.Count > 0 ? path.NextPing
            : Earlier(Before(now, path.NextPing, wantedUntil), Later(wantedUntil, OverdueAt(path)));
        ping = Earlier(ping, DoubtedAt(path));
        if (isKept)
        {
            return ping;
        }

        TimeSpan forgotten = Later(path.LastReceived + KeptUnused(path), isKeptWhileBusy ? peer.Use.BusyUntil : TimeSpan.Zero);
        return isKeptWhileBusy ? Earlier(Before(now, ping, peer.Use.BusyUntil), forgotten) : forgotten;
    }

    private static TimeSpan NextOfDown(TimeSpan now, Peer peer, Path path)
    {
        bool isNew = path.RoundTrip is null;
        TimeSpan forgotten = path.DownSince + (isNew ? ProbeKept : DeadKept);
        forgotten = isNew && path.Kind == PathKind.Relay && peer.IsStraight ? Earlier(forgotten, peer.Use.BusyUntil) : forgotten;
        TimeSpan urgentUntil = isNew ? TimeSpan.MaxValue : Earlier(path.DownSince + ProbeKept, peer.Use.TalkingUntil);
        return Earlier(forgotten, Earlier(Before(now, path.PingSentAt + ProbeInterval, urgentUntil), path.PingSentAt + DeadInterval));
    }

    /// <summary>A living path that neither end keeps is forgotten so long after it was last heard.</summary>
    private TimeSpan KeptUnused(Path path) => path.Way.Socket == 0 ? DeadKept + life.Interval : SearchedKept;

    /// <summary>
    /// When a path that the peer keeps should have been heard. Most likely it is its shortcut, and others route over it in our direction, too: however
    /// long our own NAT would keep it, it is not to stand dead for longer than a shortcut of ours.
    /// </summary>
    private TimeSpan OverdueAt(Path path) => path.LastReceived + Earlier(life.Interval, PathKeeper.LongestRoutingSilence) + OverdueBy;

    /// <summary>
    /// When traffic makes a path doubtful that nothing came back for. What has no answer does so only where nothing was heard a moment ago either: else
    /// three of four pings of a forming ring would follow from it.
    /// </summary>
    private static TimeSpan DoubtedAt(Path path)
    {
        TimeSpan asked = path.UnansweredSince is { } since ? since + path.UnansweredLimit : TimeSpan.MaxValue;
        return path.HandedOnSince is { } handed ? Earlier(asked, Later(handed + path.UnansweredLimit, path.LastReceived + HeardLately)) : asked;
    }

    /// <summary>A time that counts only if it comes before an end.</summary>
    private static TimeSpan Before(TimeSpan now, TimeSpan time, TimeSpan end) => time < end && now < end ? time : TimeSpan.MaxValue;

    private void TickPeer(TimeSpan now, Peer peer)
    {
        if (peer.Current is null || peer.PartedAt is not null)
        {
            return;
        }

        for (int i = peer.Paths.Count - 1; i >= 0; i--)
        {
            Path path = peer.Paths[i];
            if (path.IsAlive ? TickAlive(now, peer, path) : TickDown(now, peer, path))
            {
                peer.Paths.RemoveAt(i);
                peer.ChooseBest();
            }
        }

        if (peer.Best is { IsPingOutstanding: false } best && peer.Use.IsOddlySilent(now))
        {
            paths.Ping(now, peer, best);
            events.Silent?.Invoke(now, peer);
        }

        bool isWanted = peer.Use.IsWanted(now);
        Kept kept = _kept.Of(peer);
        if (isWanted && now >= kept.NextRelayKeep && peer.Best is { Kind: PathKind.Relay })
        {
            kept.NextRelayKeep = now + RelayKeepInterval;
            KeepRelays(now, peer);
        }

        TimeSpan ringPing = peer.UnansweredSince is { } waiting && now - waiting >= RingTimeout ? UnansweredRingPing(now, peer) : RingPingInterval;
        if (isWanted && peer.Best is null && now - kept.LastRingPing >= ringPing)
        {
            PingByRing(now, peer);
        }

        if (isWanted && peer.UnansweredSince is { } since && now - since >= SuspectAfter)
        {
            // Perhaps it restarted and has forgotten our session. Where the link is of use to the peer alone, it calls us.
            events.Suspected?.Invoke(now, peer);
        }
    }

    /// <summary>Runs the timers of a path that is dead or never lived; true if the path is to be forgotten.</summary>
    private bool TickDown(TimeSpan now, Peer peer, Path path)
    {
        TimeSpan down = now - path.DownSince;
        bool isNew = path.RoundTrip is null;
        if (down >= (isNew ? ProbeKept : DeadKept) || (isNew && PathKeeper.IsNeedless(now, peer, path.Way)))
        {
            return true;
        }

        bool isUrgent = isNew || (down < ProbeKept && peer.Use.IsTalking(now));
        if (now - path.PingSentAt >= (isUrgent ? ProbeInterval : DeadInterval))
        {
            paths.Ping(now, peer, path);
        }

        return false;
    }

    /// <summary>Lets a living path's time pass; true if it shall be forgotten.</summary>
    private bool TickAlive(TimeSpan now, Peer peer, Path path)
    {
        if (path.IsPingOutstanding && now - path.PingSentAt >= path.Timeout)
        {
            Miss(now, peer, path);
        }

        if (path.Misses.AreAll || IsElsewhere(peer, path))
        {
            Fall(now, peer, path);
            return false;
        }

        if (path.IsPingOutstanding)
        {
            return false;
        }

        if (!IsKept(peer.Use.IsBusy(now), peer, path))
        {
            // The other end may keep it; what nobody keeps is forgotten without a word.
            return now - path.LastReceived >= KeptUnused(path);
        }

        bool unanswered = now >= DoubtedAt(path);

        // Of a link that only the peer has a use for the peer lets hear; when it does not, it may be dead.
        bool isWanted = peer.Use.IsWanted(now);
        bool due = now >= path.NextPing && (path.RoundTrip is null || path.Misses.Count > 0 || isWanted);
        due |= !isWanted && now >= OverdueAt(path);
        if (due || unanswered)
        {
            paths.Ping(now, peer, path);
        }

        return false;
    }

    /// <summary>A ping stayed without answer for as long as it may.</summary>
    private void Miss(TimeSpan now, Peer peer, Path path)
    {
        path.IsPingOutstanding = false;
        path.NextPing = now;
        if (!path.Misses.Add())
        {
            return;
        }

        path.DoubtedSince = path.PingSentAt;
        if (path.Way is { Kind: PathKind.Direct, Endpoint.Protocol: TransportProtocol.Tcp } && path.LastReceived <= path.PingSentAt)
        {
            // Its kernel would send for ten seconds again what a NAT drops that has forgotten the connection.
            local.Output.Redial(path.Way.Endpoint);
        }

        if (path != peer.Best)
        {
            return;
        }

        // What is in reserve may have died with it, and shall not be waited for after it. While packets wait, what nobody kept is asked too:
        // else each of the many ways that a search through a NAT leaves would be used until it is found dead.
        bool isBusy = peer.Use.IsBusy(now);
        foreach (Path other in peer.Paths)
        {
            other.NextPing = other.IsAlive && other.NextPing > now ? now : other.NextPing;
            if (isBusy && other is { IsAlive: true, IsPingOutstanding: false } && other != path)
            {
                paths.Ping(now, peer, other);
            }
        }

        if (isBusy)
        {
            // If the peer lives, its answer over the ring says so, and its pings come from where it is now.
            PingByRing(now, peer);
            events.Missed?.Invoke(now, peer);
        }
    }

    private void Fall(TimeSpan now, Peer peer, Path path)
    {
        path.IsAlive = false;
        path.IsPingOutstanding = false;
        path.DownSince = now;
        path.DiedInSilence = path.Way.IsUdp && path.DoubtedSince - path.LastReceived > SilentFor;
        if (path.Way is { Kind: PathKind.Direct, IsUdp: false })
        {
            local.Output.HangUp(path.Way.Endpoint);
        }

        peer.ChooseBest();
        events.PathLost?.Invoke(now, peer);
        peers.Touch();
    }

    /// <summary>Between two pings over the ring that nobody answers; in the end no shorter than those by dead paths, for each goes over many hops.</summary>
    private static TimeSpan UnansweredRingPing(TimeSpan now, Peer peer) => peer.IsLongSilent(now) ? DeadInterval : RingTimeout;

    private void PingByRing(TimeSpan now, Peer peer)
    {
        _kept.Of(peer).LastRingPing = now;
        paths.Ping(now, peer, path: null);
    }

    /// <summary>
    /// Whether a path is kept alive. A busy peer has two in reserve. One that is reached straight and has nothing to carry needs none:
    /// should the path die, the ring carries what there is while others are tried.
    /// </summary>
    private static bool IsKept(bool isBusy, Peer peer, Path path)
    {
        if (path == peer.Best || path.RoundTrip is null)
        {
            return true;
        }

        int left = isBusy || peer.Best is not { Kind: PathKind.Direct } ? MaxSpares : 0;
        foreach (Path other in peer.Paths)
        {
            left -= other != path && other != peer.Best && other is { IsAlive: true, RoundTrip: not null } && !IsWorse(other, path) ? 1 : 0;
        }

        return left > 0;
    }

    /// <summary>Whether the peer was heard another way since the path is in doubt, and not by it.</summary>
    private static bool IsElsewhere(Peer peer, Path path) =>
        path.Misses.Count > 0 && peer.LastElsewhere > path.DoubtedSince && path.LastReceived <= path.DoubtedSince;

    private static bool IsWorse(Path path, Path other) => path.Rank != other.Rank ? path.Rank < other.Rank : path.RoundTrip > other.RoundTrip;

    /// <summary>The relays by which a peer is reached are of use, those in reserve too.</summary>
    private void KeepRelays(TimeSpan now, Peer peer)
    {
        foreach (Path path in peer.Paths)
        {
            if (path is { IsAlive: true, Kind: PathKind.Relay } && peers.TryGetValue(path.Way.Via, out Peer? relay))
            {
                relay.Use.KeepUntil(now + RelayKept);
            }
        }
    }

    private sealed class Kept
    {
        /// <summary>When the relays that lead to the peer are kept in use again.</summary>
        public TimeSpan NextRelayKeep { get; set; }

        public TimeSpan LastRingPing { get; set; } = TimeSpan.MinValue / 2;
    }
}
