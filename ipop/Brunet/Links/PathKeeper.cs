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

    public void OnPing(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message)
    {
        if (PingMessage.TryRead(message, out PingMessage ping))
        {
            Span<byte> answer = stackalloc byte[PongMessage.Size];
            new PongMessage(ping.Nonce, arrival.Endpoint).Write(answer);
            core.Transport.Answer(now, peer, answer, arrival);
        }
    }

    public void OnPong(TimeSpan now, Peer peer, ReadOnlySpan<byte> message)
    {
        if (!PongMessage.TryRead(message, out PongMessage pong))
        {
            return;
        }

        foreach (Path path in peer.Paths)
        {
            if (path.OnPong(pong.Nonce, out TimeSpan sentAt))
            {
                TimeSpan sample = now - sentAt;
                path.RoundTrip = path.RoundTrip is { } before ? (0.75 * before) + (0.25 * sample) : sample;
                if (path.Kind == PathKind.Direct && Reflected.Add(peer.Address, pong.Observed))
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
            if (now - peer.LastReceived > LostAfter || (peer.Current is null && peer.Pending is null && !peer.HasWaiting))
            {
                (lost ??= []).Add(peer);
            }
        }

        foreach (Peer peer in lost ?? [])
        {
            core.RemovePeer(peer);
        }
    }

    private void TickPaths(TimeSpan now, Peer peer)
    {
        if (peer.Current is null)
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

        TimeSpan ringPing = peer.UnansweredSince is { } waiting && now - waiting > UnansweredLimit ? PingTimeout : RingPingInterval;
        if (peer.Best is null && now - peer.LastRingPing >= ringPing)
        {
            peer.LastRingPing = now;
            Span<byte> message = stackalloc byte[PingMessage.Size];
            new PingMessage(NewNonce()).Write(message);
            core.Transport.SendMessage(now, peer, message, path: null);
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
            if (++path.Missed >= MissedUntilDead && path.IsAlive)
            {
                path.IsAlive = false;
                path.DownSince = now;
                peer.ChooseBest();
                Puncher.OnPathLost(now, peer);
                core.Ring.Touch();
            }
        }

        bool unanswered = path.UnansweredSince is { } since && now - since > UnansweredLimit;
        if (now >= path.NextPing || (unanswered && path.IsAlive))
        {
            Ping(now, peer, path);
        }

        return false;
    }

    private void Ping(TimeSpan now, Peer peer, Path path)
    {
        ulong nonce = NewNonce();
        path.OnPing(now, nonce);
        Span<byte> message = stackalloc byte[PingMessage.Size];
        new PingMessage(nonce).Write(message);
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
        if (path.Kind == PathKind.Direct)
        {
            peer.LastDirect = path.Way;
        }

        path.NextPing = now + (peer.Best == path ? ActiveInterval : SpareInterval);
        if (isNew)
        {
            core.Ring.Touch();
        }
    }

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
