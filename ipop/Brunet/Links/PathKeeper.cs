using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>Takes a pong; false if it answers no ping of its own.</summary>
internal delegate bool PongTaker(TimeSpan now, Peer peer, Arrival arrival, ReadOnlySpan<byte> message);

/// <summary>
/// Finds out which paths work. A ping that comes back makes a path alive; what the peer seals shows where it is now. What the passing of
/// time does to paths is <see cref="PathWatch"/>'s.
/// </summary>
internal sealed class PathKeeper(LocalNode local, PeerTable peers, Transport transport, EspAgreement esp, MappingLife life, LinkEvents events) : IMessageTaker
{
    private static readonly TimeSpan ActiveInterval = TimeSpan.FromSeconds(5);

    /// <summary>While the path in use loses pings, all are measured closely: which of them lose less is to be known soon.</summary>
    private static readonly TimeSpan ComparedInterval = TimeSpan.FromMilliseconds(500);

    /// <summary>What the ring routes by is not to stand dead for long, whatever the NAT would allow.</summary>
    private static readonly TimeSpan RoutingInterval = TimeSpan.FromSeconds(20);

    /// <summary>How long a shortcut may be silent while one end keeps it: the longest pause between two pings.</summary>
    public static readonly TimeSpan LongestRoutingSilence = 1.25 * RoutingInterval;

    private static readonly TimeSpan AgainAfter = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan DetourInterval = TimeSpan.FromSeconds(1);

    /// <summary>A peer that is there again so soon did not sleep: the path had been forgotten by a NAT.</summary>
    private static readonly TimeSpan ForgottenWithin = TimeSpan.FromSeconds(10);

    private readonly PerPeer<TrialShare> _trials = new(peers);

    /// <summary>Asked first whether a pong is the answer to a ping of its own.</summary>
    public PongTaker? OtherPings { get; set; }

    /// <summary>A handshake went both ways over this path, so it lives.</summary>
    public void OnEstablished(TimeSpan now, Peer peer, Arrival arrival)
    {
        peer.LastReceived = now;
        peer.UnansweredSince = null;
        if (arrival.Kind == PathKind.Ring)
        {
            peer.OnRing(arrival.Via);
            return;
        }

        Path path = peer.Paths.GetOrAdd(now, arrival);
        Revive(now, peer, path);
        path.Pings.Plan(now);
    }

    /// <summary>Something sealed by the peer arrived. Only what is newer than all before tells where the peer is now.</summary>
    public void OnReceived(TimeSpan now, Peer peer, Session session, in Arrival arrival, bool isNewest)
    {
        peer.LastReceived = now;

        // Of two machines with one key only the one that the current session is with can answer what is sealed in it.
        if (peer.Current is not { } current || current.RemoteBoot == session.RemoteBoot)
        {
            peer.UnansweredSince = null;
        }

        Path? path = null;
        if (arrival.Kind == PathKind.Ring)
        {
            peer.OnRing(arrival.Via);
        }
        else
        {
            path = peer.Paths.Find(arrival);
            path?.OnHeard(now);
            if (isNewest && path is null or { IsAlive: false, Pings.IsDisproved: false } && peer.Best is { } before && arrival.DiffersByPort(before.Way))
            {
                path = Move(now, peer, before, arrival);
            }
            else if (path is null)
            {
                if (!IsNeedless(now, peer, arrival) && peer.Paths.HasRoom(now))
                {
                    Path heard = peer.Paths.GetOrAdd(now, arrival);
                    heard.OnHeard(now);
                    Wake(now, peer, heard);
                }
            }
            else if (!path.IsAlive && now - path.Pings.SentAt > AgainAfter)
            {
                Ping(now, peer, path);
            }
        }

        if (path is null || path != peer.Best)
        {
            peer.LastElsewhere = now;
            if (peer.Best is { Pings.IsOutstanding: false } best && best.Kind > arrival.Kind && now - best.Pings.SentAt > DetourInterval)
            {
                // The peer takes a detour: what we send it straight may not arrive.
                Ping(now, peer, best);
            }
        }
    }

    /// <summary>Begins to try a way that the peer named.</summary>
    public void TryNamed(TimeSpan now, Peer peer, Arrival way)
    {
        if (!IsNeedless(now, peer, way) && (peer.Paths.Find(way) is not null || peer.Paths.HasRoom(now)))
        {
            peers.Stir(peer);
            Path path = peer.Paths.GetOrAdd(now, way);
            if (!path.IsAlive)
            {
                Wake(now, peer, path);
            }
        }
    }

    /// <summary>
    /// Whether a way need not be tried: over a relay, to a peer that is reached straight and that nothing is sent to. When many join at once, nearly all
    /// that relays would be asked to carry are such pings.
    /// </summary>
    public static bool IsNeedless(TimeSpan now, Peer peer, in Arrival way) =>
        way.Kind == PathKind.Relay && peer.IsStraight && !peer.Use.IsBusy(now);

    /// <summary>The node has found a use for a link: the peer shall know before it lets it go.</summary>
    public void TellWish(TimeSpan now, Peer peer)
    {
        if (peer is { Current: not null, Best: { } best })
        {
            Ping(now, peer, best);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages)
    {
        messages.On(MessageType.Ping, OnPing);
        messages.On(MessageType.Pong, OnPong);
    }

    private void OnPing(in Incoming incoming, ReadOnlySpan<byte> message)
    {
        (TimeSpan now, Peer peer, Session session, Arrival arrival) = incoming;
        esp.Hear(session, message);
        if (PingMessage.TryRead(message, out PingMessage ping))
        {
            Span<byte> answer = stackalloc byte[PongMessage.Size];
            peer.Use.OnPeersWish(now, ping.Wanted);
            new PongMessage(ping.Nonce, Observed(arrival), peer.Use.IsUseful(now), esp.IsOffered).Write(answer);
            transport.Answer(now, peer, answer, arrival);

            // The peer watches this path just now; whatever of ours it does not hear, it will tell by its next pings. Where there is a choice, each end
            // measures for itself: the peer's pings would put ours off for ever, and a round trip of long ago would decide.
            if (peer.Paths.Find(arrival) is { IsAlive: true, RoundTrip: not null, Pings.IsOutstanding: false } path && !HasChoice(peer, path))
            {
                path.Pings.Plan(now + (Interval(now, peer, path) * (1 + (0.25 * local.Random.NextDouble()))));
            }
        }
    }

    private static bool HasChoice(Peer peer, Path path)
    {
        foreach (Path other in peer.Paths)
        {
            if (other.IsAlive && other != path)
            {
                return true;
            }
        }

        return false;
    }

    private void OnPong(in Incoming incoming, ReadOnlySpan<byte> message)
    {
        (TimeSpan now, Peer peer, Session session, Arrival arrival) = incoming;
        esp.Hear(session, message);
        if (OtherPings?.Invoke(now, peer, arrival, message) == true || !PongMessage.TryRead(message, out PongMessage pong))
        {
            return;
        }

        peer.Use.OnPeersWish(now, pong.Wanted);
        foreach (Path path in peer.Paths)
        {
            if (path.OnPong(now, pong.Nonce) is { } sent)
            {
                events.Observed?.Invoke(now, peer, path, pong.Observed, sent);
                if (peer.Best is { } best && best != path && sent >= best.Pings.PresumedSince && path.Way.Is(arrival))
                {
                    // The peer did not move: a ping of its own, or a copy of one, came another way.
                    best.Fall(now);
                }

                Revive(now, peer, path);
                return;
            }
        }
    }

    /// <summary>Looks at once whether every living straight path still works: the machine slept, or moved, or its NAT forgot.</summary>
    public void PingAll(TimeSpan now)
    {
        foreach (Peer peer in peers.Values)
        {
            peers.Stir(peer);
            foreach (Path path in peer.Paths)
            {
                if (path is { IsAlive: true, Kind: PathKind.Direct })
                {
                    // Not all in one moment: on the way back they would meet in one queue.
                    path.Pings.PlanAnew(local.Soon(now));
                }
            }
        }
    }

    /// <summary>Pings by a path; null is the ring.</summary>
    public void Ping(TimeSpan now, Peer peer, Path? path)
    {
        Span<byte> message = stackalloc byte[PingMessage.Size];
        PingMessage ping = NewPing(now, peer);
        path?.OnPing(now, ping.Nonce);
        if (path is { IsProven: false } && !_trials.Of(peer).Take(now, local.Random))
        {
            // For the path it is as if the ping were lost on its way: it has its next one when it is time.
            local.Refusals.Add(Full.Trials);
            return;
        }

        ping.Write(message);
        transport.SendMessage(now, peer, message, path);
    }

    /// <summary>Pings by a path because of something that happened elsewhere, so the peer's own time may come earlier.</summary>
    public void Ask(TimeSpan now, Peer peer, Path path)
    {
        peers.Stir(peer);
        Ping(now, peer, path);
    }

    /// <summary>Sends a ping some way that most likely leads nowhere. No path is made for it: if it gets through, the peer answers from where it is.</summary>
    public void Probe(TimeSpan now, Peer peer, Arrival way)
    {
        Span<byte> message = stackalloc byte[PingMessage.Size];
        NewPing(now, peer).Write(message);
        transport.Answer(now, peer, message, way);
    }

    private PingMessage NewPing(TimeSpan now, Peer peer) => new((ulong)local.Random.NextInt64(long.MinValue, long.MaxValue), peer.Use.IsUseful(now), esp.IsOffered);

    /// <summary>A path leads nowhere any more.</summary>
    public static void Forget(TimeSpan now, Peer peer, Path path)
    {
        peer.Paths.Remove(path);
        peer.ChooseBest(now);
    }

    /// <summary>A socket of a search is closed, and with it go the paths that began there.</summary>
    public static void ForgetSocket(Peer peer, int socket)
    {
        for (int i = peer.Paths.Count - 1; i >= 0; i--)
        {
            if (peer.Paths[i].Way.Socket == socket)
            {
                peer.Paths.Remove(peer.Paths[i]);
            }
        }
    }

    /// <summary>Finds out anew whether a dead path works.</summary>
    public void Wake(TimeSpan now, Peer peer, Path path)
    {
        path.Wake(now);
        Ping(now, peer, path);
    }

    /// <summary>What the other end looks like from here. The listener that we connected to it knows itself.</summary>
    private static TransportAddress Observed(Arrival arrival) =>
        arrival.Kind == PathKind.Direct && arrival.Endpoint.Protocol != TransportProtocol.Tcp && !arrival.Endpoint.IsLinkLocal ? arrival.Endpoint : default;

    /// <summary>
    /// The newest frame came from another port of the machine that was spoken to: its NAT forgot, or it tries another way. Traffic follows at once; both ways
    /// are pinged, and the one that does not answer goes.
    /// </summary>
    private Path Move(TimeSpan now, Peer peer, Path before, Arrival arrival)
    {
        Path path = peer.Paths.GetOrAdd(now, arrival);
        Revive(now, peer, path);
        path.Replace(now, before);
        peer.Follow(path);
        Ping(now, peer, path);
        Ping(now, peer, before);
        return path;
    }

    private void Revive(TimeSpan now, Peer peer, Path path)
    {
        bool isNew = !path.IsAlive;
        if (isNew && path.DiedInSilence && now - path.DownSince < ForgottenWithin)
        {
            events.Forgotten?.Invoke(now);
        }

        path.Live(now);
        peer.ChooseBest(now);
        if (path.Kind == PathKind.Direct && path.Way.Endpoint.IsCallable)
        {
            peer.LastDirect = path.Way;
        }

        path.Pings.Plan(now + Interval(now, peer, path));
        if (isNew)
        {
            peers.Touch();
            if (peer.Best is { Kind: PathKind.Direct, Pings.IsOutstanding: false } best && best != path && path.Kind == PathKind.Direct)
            {
                // A new straight way beside an old one: perhaps in its place. Measured at the same time, the better one wins.
                Ping(now, peer, best);
            }
        }
    }

    /// <summary>
    /// Between two pings: the ring hangs on near neighbours, a relay may go at any time, the reserve of a busy peer must be warm; the rest need
    /// no more than what keeps our NAT's mapping. The peer does as much for its own.
    /// </summary>
    private TimeSpan Interval(TimeSpan now, Peer peer, Path path)
    {
        if (peer.Use.IsBusy(now) && peer.Paths.Comparison.IsUnderWay(now) && HasChoice(peer, path))
        {
            return ComparedInterval;
        }

        if (peer.Best == path && (peer.Use.IsNear || path.Kind == PathKind.Relay))
        {
            return ActiveInterval;
        }

        TimeSpan kept = life.Interval;
        return peer.Use.IsBusy(now) || !path.Way.IsUdp ? MappingLife.Shortest
            : peer.Use.IsShortcut && kept > RoutingInterval ? RoutingInterval
            : kept;
    }
}
