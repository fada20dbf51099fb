using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>
/// Hands packets to the virtual network in the order in which the peer sent them, also when their path changes to a shorter one: what comes by the new one
/// waits until what is under way on the former has come, for TCP takes what is overtaken for lost. While the path stays nothing waits, so what a wire
/// loses or turns around costs no more than it does without us.
/// </summary>
internal sealed class PacketOrder(NodeCore core) : ITimed, IPeerTimed
{
    /// <summary>Bytes that wait at most, of all peers together; beyond that order is given up, not packets.</summary>
    public const int MostBytes = 4 << 20;

    /// <summary>Assumed of the ring, whose ways nobody measures.</summary>
    private static readonly TimeSpan RingRoundTrip = TimeSpan.FromMilliseconds(200);

    /// <summary>What a path's delay differs from its mean.</summary>
    private static readonly TimeSpan Margin = TimeSpan.FromMilliseconds(5);

    /// <summary>No packet waits longer, however often its path changes: where frames are lost time and again, what they left out never comes.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(100);

    private int _bytes;

    /// <summary>When a peer's packets have waited long enough.</summary>
    public TimeSpan NextOf(TimeSpan now, Peer peer) => peer.Held?.Until ?? TimeSpan.MaxValue;

    /// <summary>Takes a message with a packet, Packet or Segment.</summary>
    /// <param name="now">The present.</param>
    /// <param name="peer">Who sent it.</param>
    /// <param name="session">What opened it.</param>
    /// <param name="arrival">How it came.</param>
    /// <param name="counter">Of its frame.</param>
    /// <param name="message">Borrowed.</param>
    public void Receive(TimeSpan now, Peer peer, Session session, Arrival arrival, ulong counter, ReadOnlySpan<byte> message)
    {
        peer.OnPacket(now);
        bool isFull = peer.Held is not null && _bytes + PacketHold.SizeOf(message) > MostBytes;
        if (isFull)
        {
            core.Refusals.Add(Full.HeldPackets);
        }

        if (peer.Held is { } held && (isFull || now >= held.Until))
        {
            Release(now, peer, held);
        }

        if (session.NewestPacket is not { } former)
        {
            session.NewestPacket = (counter, arrival);
            OnOtherSession(now, peer, session, counter, arrival);
        }
        else if (counter > former.Counter)
        {
            session.NewestPacket = (counter, arrival);
            if (MayDiffer(former.Way, arrival) && session.Keys!.Missing(former.Counter, counter) is > 0 and ulong missing)
            {
                Hold(now, peer, session, counter, missing, Wait(peer, former.Way, arrival));
            }
        }

        if (peer.Held is { } waiting && waiting.Session == session && counter >= waiting.First)
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
        _bytes -= peer.Held?.Size ?? 0;
        peer.Held = null;
    }

    /// <summary>A frame of any kind was worked off.</summary>
    public void OnOpened(TimeSpan now, Peer peer, Session session, ulong counter)
    {
        if (peer.Held is { } held && held.Session == session && held.IsLast(counter))
        {
            Release(now, peer, held);
        }
    }

    /// <summary>Lets go what has waited long enough.</summary>
    public void Tick(TimeSpan now)
    {
        foreach (Peer peer in core.Agenda.Due)
        {
            if (peer.Held is { } held && now >= held.Until)
            {
                Release(now, peer, held);
            }
        }
    }

    // A session that was made over the new path. How much of the former one's is under way can't be told, so the wait ends with its time.
    private static void OnOtherSession(TimeSpan now, Peer peer, Session session, ulong counter, Arrival arrival)
    {
        if (peer.PacketSession?.NewestPacket is { } former && MayDiffer(former.Way, arrival))
        {
            Hold(now, peer, session, counter, ulong.MaxValue, Wait(peer, former.Way, arrival));
        }

        peer.PacketSession = session;
    }

    private static void Hold(TimeSpan now, Peer peer, Session session, ulong counter, ulong missing, TimeSpan wait)
    {
        if (peer.Held is null)
        {
            peer.Held = new PacketHold(session, counter, missing, now + wait, now + Longest);
        }
        else if (peer.Held.Session == session)
        {
            peer.Held.Extend(counter, missing, now + wait);
        }
    }

    private void Release(TimeSpan now, Peer peer, PacketHold held)
    {
        peer.Held = null;
        _bytes -= held.Size;
        foreach ((_, byte[] message) in held.InOrder())
        {
            Deliver(now, held.Session, message);
        }
    }

    private void Deliver(TimeSpan now, Session session, ReadOnlySpan<byte> message) =>
        core.Output.Deliver(now, session.Identity!, message[1..], lacksChecksum: (MessageType)message[0] == MessageType.Segment);

    // Over the ring the way between changes without a word.
    private static bool MayDiffer(Arrival former, Arrival arrival) => former != arrival || arrival.Kind == PathKind.Ring;

    // What was under way on a path that died is lost.
    private static TimeSpan Wait(Peer peer, Arrival former, Arrival arrival)
    {
        TimeSpan before = former.Kind == PathKind.Ring ? RingRoundTrip : peer.FindPath(former) is { IsAlive: true, RoundTrip: { } known } ? known : default;
        TimeSpan longer = (before - (peer.FindPath(arrival)?.RoundTrip ?? default)) / 2;
        TimeSpan wait = (longer > default(TimeSpan) ? longer : default) + Margin;
        return wait < Longest ? wait : Longest;
    }
}
