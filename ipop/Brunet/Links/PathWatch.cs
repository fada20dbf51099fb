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
    private static readonly TimeSpan RingPingInterval = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RingTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SuspectAfter = TimeSpan.FromSeconds(3);
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
            if (now >= PartedFrom(peer))
            {
                transport.SendGoodbye(now, peer);
                peers.Part(now, peer);
            }
            else if (now >= RemovedAt(peer))
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

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    /// <param name="now">The last tick: what ended before it ends no more.</param>
    /// <param name="peer">The peer.</param>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        TimeSpan next = RemovedAt(peer);
        if (!peer.HasSession)
        {
            return next;
        }

        next = Earlier(next, PartedFrom(peer));
        foreach (Path path in peer.Paths)
        {
            next = Earlier(next, PathTimes.Of(now, peer, path, life.Interval).Next);
        }

        return Earlier(Earlier(Earlier(next, AskedWhyAt(now, peer)), RelaysKeptAt(now, peer)), Earlier(PingedByRingAt(now, peer), SuspectedAt(now, peer)));
    }

    /// <summary>When the link is closed that neither end has a use for.</summary>
    private static TimeSpan PartedFrom(Peer peer) =>
        peer.HasSession ? Later(peer.Use.WantedUntil, peer.Use.WishedUntil) : TimeSpan.MaxValue;

    /// <summary>When a peer whose packets stopped is asked why, by a path on which nothing is asked yet.</summary>
    private static TimeSpan AskedWhyAt(TimeSpan now, Peer peer) =>
        peer.Best is { Pings.IsOutstanding: false } ? peer.Use.OddlySilentAt(now) : TimeSpan.MaxValue;

    /// <summary>When a peer is removed: a moment after the goodbye, or when there is nothing more of it, or when it is as good as dead.</summary>
    private static TimeSpan RemovedAt(Peer peer)
    {
        bool isNothing = peer.Current is null && peer.Pending is null && !peer.Waiting.HasAny;
        TimeSpan removed = isNothing ? TimeSpan.Zero : LostAt(peer);
        return peer.PartedAt is { } parted ? Earlier(removed, parted + PartingKept) : removed;
    }

    /// <summary>When a peer is as good as dead: it does not answer, or says nothing for much longer than it may be silent.</summary>
    private static TimeSpan LostAt(Peer peer)
    {
        TimeSpan silent = peer.LastReceived + LostAfter + (peer.Current is null ? default : MappingLife.Longest);
        return peer.UnansweredSince is { } since ? Earlier(silent, since + UnansweredKept) : silent;
    }

    /// <summary>When the relays by which a peer is reached are kept in use again.</summary>
    private TimeSpan RelaysKeptAt(TimeSpan now, Peer peer) =>
        peer.Best is { Kind: PathKind.Relay } ? Before(now, _kept.Of(peer).NextRelayKeep, peer.Use.WantedUntil) : TimeSpan.MaxValue;

    /// <summary>
    /// When a peer without a path is pinged over the ring. Where nobody answers, the pings are in the end no closer than those by dead paths, for each goes
    /// over many hops.
    /// </summary>
    private TimeSpan PingedByRingAt(TimeSpan now, Peer peer)
    {
        if (peer.Best is not null)
        {
            return TimeSpan.MaxValue;
        }

        TimeSpan last = _kept.Of(peer).LastRingPing, ping = last + RingPingInterval;
        if (peer.UnansweredSince is { } waiting)
        {
            ping = Earlier(ping, Later(waiting + RingTimeout, last + (peer.IsLongSilent(now) ? PathTimes.DeadInterval : RingTimeout)));
        }

        return Before(now, ping, peer.Use.WantedUntil);
    }

    /// <summary>When a peer that answers nothing has perhaps restarted and forgotten our session. Where the link is of use to the peer alone, it calls us.</summary>
    private static TimeSpan SuspectedAt(TimeSpan now, Peer peer) => peer is { UnansweredSince: { } since, Pending: null, Next: null }
        ? Before(now, Later(since + SuspectAfter, peer.NextHandshake), peer.Use.WantedUntil)
        : TimeSpan.MaxValue;

    private void TickPeer(TimeSpan now, Peer peer)
    {
        if (!peer.HasSession)
        {
            return;
        }

        for (int i = peer.Paths.Count - 1; i >= 0; i--)
        {
            Path path = peer.Paths[i];
            if (TickPath(now, peer, path))
            {
                PathKeeper.Forget(now, peer, path);
            }
        }

        if (now >= AskedWhyAt(now, peer))
        {
            peer.Use.OnAsked();
            paths.Ping(now, peer, peer.Best);
            events.Silent?.Invoke(now, peer);
        }

        if (now >= RelaysKeptAt(now, peer))
        {
            _kept.Of(peer).NextRelayKeep = now + RelayKeepInterval;
            KeepRelays(now, peer);
        }

        if (now >= PingedByRingAt(now, peer))
        {
            PingByRing(now, peer);
        }

        if (now >= SuspectedAt(now, peer))
        {
            events.Suspected?.Invoke(now, peer);
        }
    }

    /// <summary>Lets a path's time pass; true if the path is to be forgotten.</summary>
    private bool TickPath(TimeSpan now, Peer peer, Path path)
    {
        var times = PathTimes.Of(now, peer, path, life.Interval);
        if (now >= times.Miss)
        {
            Miss(now, peer, path);
            times = PathTimes.Of(now, peer, path, life.Interval);
        }

        if (now >= times.Fall)
        {
            Fall(now, peer, path);
            return false;
        }

        if (now >= times.Forget)
        {
            return !SleepingPaths.Take(peer, path);
        }

        if (now >= times.Ping)
        {
            if (!path.IsAlive)
            {
                // When the path fell it was perhaps too soon to tell that its connection is dead.
                local.Output.HangUp(path.Way.Endpoint);
            }

            paths.Ping(now, peer, path);
        }

        return false;
    }

    /// <summary>A ping stayed without answer for as long as it may.</summary>
    private void Miss(TimeSpan now, Peer peer, Path path)
    {
        if (!path.Pings.OnMiss(now))
        {
            return;
        }

        if (path.Way is { Kind: PathKind.Direct, Endpoint.Protocol: TransportProtocol.Tcp or TransportProtocol.TcpMet } && path.LastReceived <= path.Pings.SentAt)
        {
            if (path.Way.Endpoint.Protocol == TransportProtocol.Tcp)
            {
                // Its kernel would send for ten seconds again what a NAT drops that has forgotten the connection.
                local.Output.Redial(path.Way.Endpoint);
            }

            events.Doubted?.Invoke(now);
        }

        if (path != peer.Best)
        {
            return;
        }

        // What is in reserve may have died with it, and shall not be waited for after it. While packets wait, what nobody kept is asked too:
        // else each of the many ways that a search through a NAT leaves would be used until it is found dead.
        bool isBusy = peer.Use.IsBusy(now);
        peer.Paths.Comparison.Begin(now);
        foreach (Path other in peer.Paths)
        {
            if (other.IsAlive)
            {
                other.Pings.Hasten(now);
            }

            if (other.IsAsleep)
            {
                paths.Wake(now, peer, other);
            }
            else if (isBusy && other is { IsAlive: true, Pings.IsOutstanding: false } && other != path)
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
        path.Fall(now);
        local.Output.HangUp(path.Way.Endpoint);
        peer.ChooseBest(now);
        events.PathLost?.Invoke(now, peer);
        peers.Touch();
    }

    private void PingByRing(TimeSpan now, Peer peer)
    {
        _kept.Of(peer).LastRingPing = now;
        paths.Ping(now, peer, path: null);
    }

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
