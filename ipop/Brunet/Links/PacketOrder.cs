using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>
/// Hands packets to the virtual network in the order in which the peer sent them, also when their path changes to a shorter one: what comes by the new one
/// waits until what is under way on the former has come, for TCP takes what is overtaken for lost. While the path stays nothing waits, so what a wire
/// loses or turns around costs no more than it does without us. The ring's ways change without a word, so there each gap in the counters may be a change;
/// <see cref="RingGaps"/> says which are waited for.
/// </summary>
internal sealed class PacketOrder(LocalNode local, PeerTable peers, Agenda agenda) : ITimed, IPeerTimed
{
    /// <summary>Bytes that wait at most, of all peers together; beyond that order is given up, not packets.</summary>
    public const int MostBytes = 4 << 20;

    /// <summary>Assumed of the ring, whose ways nobody measures.</summary>
    private static readonly TimeSpan RingRoundTrip = TimeSpan.FromMilliseconds(200);

    /// <summary>What a path's delay differs from its mean.</summary>
    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(5);

    /// <summary>No packet waits longer, however often its path changes: where frames are lost time and again, what they left out never comes.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(100);

    private readonly PerPeer<Kept> _kept = new(peers);

    private int _bytes;

    /// <summary>When a peer's packets have waited long enough.</summary>
    public TimeSpan NextOf(TimeSpan now, Peer peer) => _kept.Find(peer)?.Held?.Until ?? TimeSpan.MaxValue;

    /// <summary>Takes a message with a packet, Packet or Segment.</summary>
    /// <param name="now">The present.</param>
    /// <param name="peer">Who sent it.</param>
    /// <param name="session">What opened it.</param>
    /// <param name="arrival">How it came.</param>
    /// <param name="counter">Of its frame.</param>
    /// <param name="message">Borrowed.</param>
    public void Receive(TimeSpan now, Peer peer, Session session, in Arrival arrival, ulong counter, ReadOnlySpan<byte> message)
    {
        peer.OnPacket(now);
        Kept kept = _kept.Of(peer);
        bool isFull = kept.Held is not null && _bytes + PacketHold.SizeOf(message) > MostBytes;
        if (isFull)
        {
            local.Refusals.Add(Full.HeldPackets);
        }

        if (kept.Held is { } held && (isFull || now >= held.Until))
        {
            Release(now, peer, held);
        }

        NewestFrame newest = session.NewestPacket;
        if (newest.Counter is not { } former)
        {
            newest.Set(counter, arrival);
            OnOtherSession(now, peer, session, counter, arrival);
        }
        else if (counter > former)
        {
            bool isSame = newest.Way.Is(arrival);
            if (isSame && arrival.Kind == PathKind.Relay && counter > former + 1)
            {
                OnRelayGap(now, peer);
            }

            // Over the ring the way between changes without a word.
            bool mayDiffer = !isSame || (arrival.Kind == PathKind.Ring && !kept.RingGaps.AreLosses(now));
            if (mayDiffer && session.Keys!.Missing(former, counter) is > 0 and ulong missing)
            {
                kept.IsGap = kept.Held is null ? isSame : kept.IsGap && isSame;
                Hold(now, peer, session, counter, missing, Wait(peer, newest.Way, arrival));
            }

            if (isSame)
            {
                newest.Set(counter);
            }
            else
            {
                newest.Set(counter, arrival);
            }
        }
        else if (arrival.Kind == PathKind.Ring && newest.Way.Is(arrival))
        {
            kept.RingGaps.OnOvertaken();
        }

        if (kept.Held is { } waiting && waiting.Session == session && counter >= waiting.First)
        {
            waiting.Add(counter, message);
            _bytes += PacketHold.SizeOf(message);
        }
        else
        {
            Deliver(now, session, message);
        }
    }

    /// <summary>A peer is forgotten, and what waits of its packets with it.</summary>
    public void Forget(Peer peer)
    {
        if (_kept.Find(peer) is { Held: { } held } kept)
        {
            _bytes -= held.Size;
            kept.Held = null;
        }
    }

    /// <summary>A frame of any kind was worked off.</summary>
    public void OnOpened(TimeSpan now, Peer peer, Session session, ulong counter)
    {
        if (_kept.Find(peer)?.Held is { } held && held.Session == session && held.IsLast(counter))
        {
            Release(now, peer, held);
        }
    }

    /// <summary>Lets go what has waited long enough.</summary>
    public void Tick(TimeSpan now)
    {
        foreach (Peer peer in agenda.Due)
        {
            if (_kept.Find(peer)?.Held is { } held && now >= held.Until)
            {
                Release(now, peer, held);
            }
        }
    }

    // Perhaps the relay refuses a part, and most likely of what goes the other way, too: pings find out. The gap may as well be frames of other paths.
    private static void OnRelayGap(TimeSpan now, Peer peer)
    {
        if (peer.Best is { Kind: PathKind.Relay } && peer.Paths.Comparison.Begin(now))
        {
            foreach (Path path in peer.Paths)
            {
                path.Pings.Hasten(now);
            }

            peer.Stir();
        }
    }

    // A session that was made over the new path. How much of the former one's is under way can't be told, so the wait ends with its time.
    private void OnOtherSession(TimeSpan now, Peer peer, Session session, ulong counter, Arrival arrival)
    {
        Kept kept = _kept.Of(peer);
        if (kept.Session?.NewestPacket is { Counter: not null } former && (arrival.Kind == PathKind.Ring || !former.Way.Is(arrival)))
        {
            kept.IsGap = false;
            Hold(now, peer, session, counter, ulong.MaxValue, Wait(peer, former.Way, arrival));
        }

        kept.Session = session;
    }

    private void Hold(TimeSpan now, Peer peer, Session session, ulong counter, ulong missing, TimeSpan wait)
    {
        Kept kept = _kept.Of(peer);
        if (kept.Held is null)
        {
            kept.Held = new PacketHold(session, counter, missing, now + wait, now + Longest);
            peer.Stir();
        }
        else if (kept.Held.Session == session)
        {
            kept.Held.Extend(counter, missing, now + wait);
        }
    }

    private void Release(TimeSpan now, Peer peer, PacketHold held)
    {
        Kept kept = _kept.Of(peer);
        kept.Held = null;
        if (kept.IsGap)
        {
            kept.RingGaps.OnWaited(now, held.WasOvertaken);
        }

        peer.Stir();
        _bytes -= held.Size;
        foreach ((_, byte[] message) in held.InOrder())
        {
            Deliver(now, held.Session, message);
        }
    }

    private void Deliver(TimeSpan now, Session session, ReadOnlySpan<byte> message) =>
        local.Output.Deliver(now, session.Identity!, message[1..], lacksChecksum: (MessageType)message[0] == MessageType.Segment);

    // What was under way on a path that died is lost.
    private static TimeSpan Wait(Peer peer, Arrival former, Arrival arrival)
    {
        TimeSpan before = former.Kind == PathKind.Ring ? RingRoundTrip : peer.Paths.Find(former) is { IsAlive: true, RoundTrip: { } known } ? known : default;
        TimeSpan longer = (before - (peer.Paths.Find(arrival)?.RoundTrip ?? default)) / 2;
        TimeSpan wait = (longer > default(TimeSpan) ? longer : default) + Margin;
        return wait < Longest ? wait : Longest;
    }

    private sealed class Kept
    {
        /// <summary>The newest session that a packet came with.</summary>
        public Session? Session { get; set; }

        /// <summary>Packets that wait for older ones; null if none do.</summary>
        public PacketHold? Held { get; set; }

        /// <summary>Whether they wait for a gap on the ring alone, and no path changed.</summary>
        public bool IsGap { get; set; }

        /// <summary>What gaps on the ring are.</summary>
        public RingGaps RingGaps { get; } = new();
    }
}
