using Brunet.Nat;

namespace Brunet.Links;

/// <summary>
/// What time does to paths. Each is pinged, so that its NAT mappings stay open; traffic that nothing answers brings the ping forward. A
/// path that misses three pings is dead, and one is enough if the peer is heard another way meanwhile. How long a ping may take follows
/// from the round trips measured.
/// </summary>
internal sealed class PathWatch(NodeCore core)
{
    private const int MissedUntilDead = 3;
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
    private static readonly TimeSpan RelayKept = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan PartingKept = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(90);
    private static readonly TimeSpan UnansweredKept = TimeSpan.FromSeconds(75);

    /// <summary>Whether a path is being tried or a peer talked to, so that time matters.</summary>
    public bool IsBusy { get; private set; }

    public void Tick(TimeSpan now)
    {
        IsBusy = false;
        List<Peer>? lost = null;
        foreach (Peer peer in core.Peers.Values)
        {
            TickPeer(now, peer);
            if (peer.PartedAt is null && peer.IsUseless(now))
            {
                core.Transport.SendGoodbye(now, peer);
                peer.PartedAt = now;
                core.Ring.Touch();
            }
            else if (now - peer.PartedAt > PartingKept || IsLost(now, peer)
                || (peer.Current is null && peer.Pending is null && !peer.HasWaiting))
            {
                (lost ??= []).Add(peer);
            }
        }

        foreach (Peer peer in lost ?? [])
        {
            if (peer.IsNear || peer.IsShortcut)
            {
                core.FarMemory.Remember(now, peer);
            }

            core.RemovePeer(peer);
        }
    }

    /// <summary>Whether a peer is as good as dead: it does not answer, or says nothing for much longer than it may be silent.</summary>
    private static bool IsLost(TimeSpan now, Peer peer) =>
        now - peer.UnansweredSince > UnansweredKept
        || now - peer.LastReceived > LostAfter + (peer.Current is null ? default : MappingLife.Longest);

    private void TickPeer(TimeSpan now, Peer peer)
    {
        if (peer.Current is null || peer.PartedAt is not null)
        {
            return;
        }

        IsBusy |= peer.IsTalking(now);
        for (int i = peer.Paths.Count - 1; i >= 0; i--)
        {
            Path path = peer.Paths[i];
            if (path.IsAlive ? TickAlive(now, peer, path) : TickDown(now, peer, path))
            {
                peer.Paths.RemoveAt(i);
                peer.ChooseBest();
            }
        }

        if (peer.Best is { IsPingOutstanding: false } best && peer.IsOddlySilent(now))
        {
            core.Paths.Ping(now, peer, best);
        }

        bool isWanted = peer.IsWanted(now);
        if (isWanted && peer.Best is { Kind: PathKind.Relay })
        {
            KeepRelays(now, peer);
        }

        TimeSpan ringPing = peer.UnansweredSince is { } waiting && now - waiting > RingTimeout ? RingTimeout : RingPingInterval;
        if (isWanted && peer.Best is null && now - peer.LastRingPing >= ringPing)
        {
            PingByRing(now, peer);
        }

        if (peer.UnansweredSince is { } since && now - since > SuspectAfter)
        {
            // Perhaps it restarted and has forgotten our session.
            core.Handshaker.Rekey(now, peer);
        }
    }

    /// <summary>Lets the time of a path pass that is dead or was never alive; true if it shall be forgotten.</summary>
    private bool TickDown(TimeSpan now, Peer peer, Path path)
    {
        TimeSpan down = now - path.DownSince;
        bool isNew = path.RoundTrip is null;
        if (down > (isNew ? ProbeKept : DeadKept))
        {
            return true;
        }

        bool isUrgent = isNew || (down < ProbeKept && peer.IsTalking(now));
        IsBusy |= isUrgent;
        if (now - path.PingSentAt >= (isUrgent ? ProbeInterval : DeadInterval))
        {
            core.Paths.Ping(now, peer, path);
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

        IsBusy |= path.Missed > 0;
        bool isElsewhere = path.Missed > 0 && peer.LastElsewhere > path.DoubtedSince && path.LastReceived <= path.DoubtedSince;
        if (path.Missed >= MissedUntilDead || isElsewhere)
        {
            Fall(now, peer, path);
            return false;
        }

        if (path.IsPingOutstanding)
        {
            return false;
        }

        if (!IsKept(now, peer, path))
        {
            // The other end may keep it; what nobody keeps is forgotten without a word.
            return now - path.LastReceived > (path.Way.Socket == 0 ? DeadKept + core.NatProber.Life.Interval : SearchedKept);
        }

        bool unanswered = path.UnansweredSince is { } since && now - since > path.UnansweredLimit;

        // Of a link that only the peer has a use for the peer lets hear; when it does not, it may be dead.
        bool due = now >= path.NextPing
            && (path.RoundTrip is null || path.Missed > 0 || peer.IsWanted(now) || now - path.LastReceived > core.NatProber.Life.Interval + OverdueBy);
        if (due || unanswered)
        {
            core.Paths.Ping(now, peer, path);
        }

        return false;
    }

    /// <summary>A ping stayed without answer for as long as it may.</summary>
    private void Miss(TimeSpan now, Peer peer, Path path)
    {
        path.IsPingOutstanding = false;
        path.NextPing = now;
        if (path.Missed++ > 0)
        {
            return;
        }

        path.DoubtedSince = path.PingSentAt;
        if (path != peer.Best)
        {
            return;
        }

        // What is in reserve may have died with it, and shall not be waited for after it. While packets wait, what nobody kept is asked too:
        // else each of the many ways that a search through a NAT leaves would be used until it is found dead.
        bool isBusy = peer.IsBusy(now);
        foreach (Path other in peer.Paths)
        {
            other.NextPing = other.IsAlive && other.NextPing > now ? now : other.NextPing;
            if (isBusy && other is { IsAlive: true, IsPingOutstanding: false } && other != path)
            {
                core.Paths.Ping(now, peer, other);
            }
        }

        if (isBusy)
        {
            // If the peer lives, its answer over the ring says so, and its pings come from where it is now.
            PingByRing(now, peer);
            core.Puncher.Seek(now, peer);
        }
    }

    private void Fall(TimeSpan now, Peer peer, Path path)
    {
        path.IsAlive = false;
        path.IsPingOutstanding = false;
        path.DownSince = now;
        path.DiedInSilence = path.Way.IsUdp && path.DoubtedSince - path.LastReceived > SilentFor;
        peer.ChooseBest();
        Puncher.OnPathLost(now, peer);
        core.Ring.Touch();
    }

    private void PingByRing(TimeSpan now, Peer peer)
    {
        peer.LastRingPing = now;
        core.Paths.Ping(now, peer, path: null);
    }

    /// <summary>
    /// Whether a path is kept alive. A busy peer has two in reserve. One that is reached straight and has nothing to carry needs none:
    /// should the path die, the ring carries what there is while others are tried.
    /// </summary>
    private static bool IsKept(TimeSpan now, Peer peer, Path path)
    {
        if (path == peer.Best || path.RoundTrip is null)
        {
            return true;
        }

        int left = peer.IsBusy(now) || peer.Best is not { Kind: PathKind.Direct } ? MaxSpares : 0;
        foreach (Path other in peer.Paths)
        {
            left -= other != path && other != peer.Best && other is { IsAlive: true, RoundTrip: not null } && !IsWorse(other, path) ? 1 : 0;
        }

        return left > 0;
    }

    private static bool IsWorse(Path path, Path other) => path.Rank != other.Rank ? path.Rank < other.Rank : path.RoundTrip > other.RoundTrip;

    /// <summary>The relays by which a peer is reached are of use, those in reserve too.</summary>
    private void KeepRelays(TimeSpan now, Peer peer)
    {
        foreach (Path path in peer.Paths)
        {
            if (path is { IsAlive: true, Kind: PathKind.Relay } && core.Peers.TryGetValue(path.Way.Via, out Peer? relay))
            {
                relay.KeepUntil(now + RelayKept);
            }
        }
    }
}
