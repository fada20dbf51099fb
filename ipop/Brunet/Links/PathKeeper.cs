using Brunet.Addressing;
using Brunet.Nat;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>
/// Finds out which paths work, and keeps their NAT mappings open: every path is pinged, a path that answers lives, one that misses
/// three pings is dead. Traffic that nothing answers brings the ping forward, so a dead path is noticed within seconds.
/// </summary>
internal sealed class PathKeeper(NodeCore core)
{
    private const int MissedUntilDead = 3;
    private const int MaxPaths = 24;
    private const int MaxSpares = 2;

    private static readonly TimeSpan PingTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan UnansweredLimit = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan ActiveInterval = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan SpareInterval = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan DeadInterval = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan DeadKept = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan ProbeKept = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan ProbeInterval = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan RingPingInterval = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan SuspectAfter = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan OverdueAfter = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan RelayKept = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan PartingKept = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(90);

    /// <summary>Addresses that others saw us come from.</summary>
    public ReflectedAddresses Reflected { get; } = new();

    /// <summary>Whether a path is being tried, so that time matters.</summary>
    public bool IsBusy { get; private set; }

    /// <summary>A handshake went both ways over this path, so it lives.</summary>
    public void OnEstablished(TimeSpan now, Peer peer, Arrival arrival)
    {
        peer.LastReceived = now;
        peer.UnansweredSince = null;
        if (arrival.Kind == PathKind.Ring)
        {
            peer.Via = arrival.Via;
            return;
        }

        Path path = GetOrAdd(now, peer, arrival);
        Revive(now, peer, path);
        path.NextPing = now;
    }

    /// <summary>Something sealed by the peer arrived.</summary>
    public void OnReceived(TimeSpan now, Peer peer, Arrival arrival)
    {
        peer.LastReceived = now;
        peer.UnansweredSince = null;
        if (arrival.Kind == PathKind.Ring)
        {
            peer.Via = arrival.Via;
            return;
        }

        if (peer.FindPath(arrival) is { } path)
        {
            path.LastReceived = now;
            path.UnansweredSince = null;
        }
        else
        {
            Try(now, peer, arrival);
        }
    }

    /// <summary>Begins to try a way to a peer.</summary>
    public void Try(TimeSpan now, Peer peer, Arrival way)
    {
        Path path = GetOrAdd(now, peer, way);
        if (!path.IsAlive)
        {
            path.DownSince = now;
            Ping(now, peer, path);
        }
    }

    /// <summary>The node has found a use for a link: the peer shall know before it lets it go.</summary>
    public void TellWish(TimeSpan now, Peer peer)
    {
        if (peer is { Current: not null, Best: { } best })
        {
            Ping(now, peer, best);
        }
    }

    /// <summary>The connection to an endpoint ended: nothing more comes that way, so the others are tried at once.</summary>
    public void OnLinkLost(TimeSpan now, TransportAddress endpoint)
    {
        foreach (Peer peer in core.Peers.Values)
        {
            if (peer.FindPath(Arrival.Direct(endpoint)) is { } path)
            {
                peer.Paths.Remove(path);
                bool wasBest = peer.Best == path;
                peer.ChooseBest();
                core.Ring.Touch();
                if (wasBest)
                {
                    Puncher.OnPathLost(now, peer);
                }
            }
        }
    }

    /// <summary>Whether frames go to an endpoint, or a path to it is being tried.</summary>
    public bool IsUsed(TransportAddress endpoint)
    {
        foreach (Peer peer in core.Peers.Values)
        {
            if (peer.FindPath(Arrival.Direct(endpoint)) is not null)
            {
                return true;
            }
        }

        return false;
    }

    public void OnPing(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (PingMessage.TryRead(message, out PingMessage ping))
        {
            Span<byte> answer = stackalloc byte[PongMessage.Size];
            peer.OnPeersWish(now, ping.Wanted);
            new PongMessage(ping.Nonce, arrival.Endpoint.Protocol == TransportProtocol.Udp ? arrival.Endpoint : default, peer.IsUseful(now)).Write(answer);
            core.Transport.Answer(now, peer, answer, arrival);

            // The peer watches this path just now; whatever of ours it does not hear, it will tell by its next pings.
            if (peer.FindPath(arrival) is { IsAlive: true, RoundTrip: not null, IsPingOutstanding: false } path)
            {
                path.NextPing = now + (Interval(peer, path) * (1 + (0.25 * core.Random.NextDouble())));
            }
        }
    }

    public void OnPong(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (!PongMessage.TryRead(message, out PongMessage pong))
        {
            return;
        }

        peer.OnPeersWish(now, pong.Wanted);
        foreach (Path path in peer.Paths)
        {
            if (path.OnPong(pong.Nonce, out TimeSpan sentAt))
            {
                TimeSpan sample = now - sentAt;
                path.RoundTrip = path.RoundTrip is { } before ? (0.75 * before) + (0.25 * sample) : sample;
                if (path.Way is { Kind: PathKind.Direct, Endpoint.Protocol: TransportProtocol.Udp } && Reflected.Add(peer.Address, pong.Observed))
                {
                    core.Puncher.OnNewEndpoint(now);
                }

                Revive(now, peer, path);
                return;
            }
        }
    }

    public void Tick(TimeSpan now)
    {
        IsBusy = false;
        List<Peer>? lost = null;
        foreach (Peer peer in core.Peers.Values)
        {
            TickPaths(now, peer);
            if (peer.PartedAt is null && peer.IsUseless(now))
            {
                core.Transport.SendGoodbye(now, peer);
                peer.PartedAt = now;
                core.Ring.Touch();
            }
            else if (now - peer.PartedAt > PartingKept)
            {
                (lost ??= []).Add(peer);
            }
            else if (now - peer.LastReceived > LostAfter || (peer.Current is null && peer.Pending is null && !peer.HasWaiting))
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

    private void TickPaths(TimeSpan now, Peer peer)
    {
        if (peer.Current is null || peer.PartedAt is not null)
        {
            return;
        }

        for (int i = peer.Paths.Count - 1; i >= 0; i--)
        {
            Path path = peer.Paths[i];
            if (TickPath(now, peer, path))
            {
                peer.Paths.RemoveAt(i);
                peer.ChooseBest();
            }
        }

        bool isWanted = peer.IsWanted(now);
        if (isWanted && peer.Best is { Kind: PathKind.Relay })
        {
            KeepRelays(now, peer);
        }

        TimeSpan ringPing = peer.UnansweredSince is { } waiting && now - waiting > UnansweredLimit ? PingTimeout : RingPingInterval;
        if (isWanted && peer.Best is null && now - peer.LastRingPing >= ringPing)
        {
            peer.LastRingPing = now;
            Ping(now, peer, path: null);
        }

        if (peer.UnansweredSince is { } since && now - since > SuspectAfter)
        {
            // Perhaps it restarted and has forgotten our session.
            core.Handshaker.Rekey(now, peer);
        }
    }

    /// <summary>Lets a path's time pass; true if it shall be forgotten.</summary>
    private bool TickPath(TimeSpan now, Peer peer, Path path)
    {
        if (!path.IsAlive && path.RoundTrip is null && now - path.DownSince < ProbeKept)
        {
            IsBusy = true;
            if (now - path.PingSentAt >= ProbeInterval)
            {
                Ping(now, peer, path);
            }

            return false;
        }

        if (!path.IsAlive && (path.RoundTrip is null || now - path.DownSince > DeadKept))
        {
            return true;
        }

        if (path.IsPingOutstanding)
        {
            if (now - path.PingSentAt < PingTimeout)
            {
                return false;
            }

            path.IsPingOutstanding = false;
            path.NextPing = path.IsAlive ? now : now + DeadInterval;
            if (path.Missed == 0 && path == peer.Best)
            {
                // What is in reserve may have died with it, and shall not be waited for after it.
                peer.Paths.ForEach(other => other.NextPing = other.IsAlive && other.NextPing > now ? now : other.NextPing);
            }

            if (++path.Missed >= MissedUntilDead && path.IsAlive)
            {
                path.IsAlive = false;
                path.DownSince = now;
                peer.ChooseBest();
                Puncher.OnPathLost(now, peer);
                core.Ring.Touch();
            }
        }

        if (!IsKept(now, peer, path))
        {
            // The other end may keep it; what nobody keeps is forgotten without a word.
            return now - path.LastReceived > DeadKept;
        }

        bool unanswered = path.UnansweredSince is { } since && now - since > UnansweredLimit;

        // Of a link that only the peer has a use for the peer lets hear; when it does not, it may be dead.
        bool due = now >= path.NextPing
            && (path.RoundTrip is null || path.Missed > 0 || peer.IsWanted(now) || now - path.LastReceived > OverdueAfter);
        if (due || (unanswered && path.IsAlive))
        {
            Ping(now, peer, path);
        }

        return false;
    }

    /// <summary>
    /// Whether a path is kept alive. A busy peer has two in reserve. One that is reached straight and has nothing to carry needs none:
    /// should the path die, the ring carries what there is while others are tried.
    /// </summary>
    private static bool IsKept(TimeSpan now, Peer peer, Path path)
    {
        if (path == peer.Best || !path.IsAlive || path.RoundTrip is null)
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

    /// <summary>Pings by a path; null is the ring.</summary>
    private void Ping(TimeSpan now, Peer peer, Path? path)
    {
        ulong nonce = NewNonce();
        path?.OnPing(now, nonce);
        Span<byte> message = stackalloc byte[PingMessage.Size];
        new PingMessage(nonce, peer.IsUseful(now)).Write(message);
        core.Transport.SendMessage(now, peer, message, path);
    }

    private void Revive(TimeSpan now, Peer peer, Path path)
    {
        bool isNew = !path.IsAlive;
        path.IsAlive = true;
        path.Missed = 0;
        path.LastReceived = now;
        path.UnansweredSince = null;
        peer.ChooseBest();
        if (path.Kind == PathKind.Direct && path.Way.Endpoint.Protocol != TransportProtocol.TcpAccepted)
        {
            peer.LastDirect = path.Way;
        }

        path.NextPing = now + Interval(peer, path);
        if (isNew)
        {
            core.Ring.Touch();
        }
    }

    /// <summary>Between two pings: the ring hangs on near neighbours, a relay may go at any time, the rest need no more than what keeps a NAT's mapping.</summary>
    private static TimeSpan Interval(Peer peer, Path path) => peer.Best == path && (peer.IsNear || path.Kind == PathKind.Relay) ? ActiveInterval : SpareInterval;

    private static Path GetOrAdd(TimeSpan now, Peer peer, Arrival way)
    {
        Path? path = peer.FindPath(way);
        if (path is null)
        {
            if (peer.Paths.Count >= MaxPaths)
            {
                int victim = peer.Paths.FindIndex(p => !p.IsAlive);
                peer.Paths.RemoveAt(victim < 0 ? peer.Paths.Count - 1 : victim);
            }

            path = new Path(way) { DownSince = now };
            peer.Paths.Add(path);
        }

        return path;
    }

    private ulong NewNonce() => (ulong)core.Random.NextInt64(long.MinValue, long.MaxValue);
}
