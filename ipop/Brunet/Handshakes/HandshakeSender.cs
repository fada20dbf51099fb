using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Handshakes;

/// <summary>Sends a handshake's bytes, again while they are not acknowledged, and never more to an unproven address than its budget has.</summary>
internal sealed class HandshakeSender(LocalNode local, PeerTable peers, Agenda agenda, Transport transport)
{
    /// <summary>How often packets that wait bring a handshake forward: whoever is not there is not called faster for long.</summary>
    private const int MostHurries = 20;

    /// <summary>How long the first frames wait for an answer before they go again.</summary>
    public static readonly TimeSpan FirstRetransmission = TimeSpan.FromMilliseconds(300);

    /// <summary>How long they wait where a packet comes that waits for them.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromMilliseconds(100);

    private static readonly TimeSpan LastRetransmission = TimeSpan.FromSeconds(2);

    /// <summary>The longest pause where nobody was heard for long: each flight goes over all hops of the ring.</summary>
    private static readonly TimeSpan LastToTheSilent = TimeSpan.FromSeconds(8);

    /// <summary>By way of whom else a node may be called; null if nobody is known.</summary>
    public Func<NodeAddress, NodeAddress?>? AnotherWay { get; set; }

    /// <summary>Sends all that is not acknowledged now, if that is long ago and its clock would wait longer still.</summary>
    public void Hurry(TimeSpan now, Session? session)
    {
        if (session is { IsEstablished: false } && session.Opening.Hurries < MostHurries && now - session.Opening.RetransmittedAt >= Patience)
        {
            session.Opening.Hurries++;
            session.Opening.Retransmissions = Math.Max(session.Opening.Retransmissions - 1, 0);
            Retransmit(now, session);
        }
    }

    /// <summary>Sends all that is not acknowledged, and sets when to do so again.</summary>
    public void Retransmit(TimeSpan now, Session session)
    {
        session.Opening.RetransmittedAt = now;
        session.Opening.NextRetransmission = now + Pause(now, session);
        agenda.Wake(session.Opening.NextRetransmission);
        session.Opening.HasTakenCookie = false;
        if (session is { IsClient: true, RemoteIndex: 0, Opening.Route.Kind: PathKind.Ring } && now - session.StartedAt >= FirstRetransmission && AnotherWay?.Invoke(session.Opening.Expected) is { } another)
        {
            // What was not answered goes another way: the first one may have more to hand on than its limit allows, or no link to the peer any more.
            session.Opening.Route = Arrival.Ring(another);
        }

        if (session is { IsClient: true, IsEstablished: false, RemoteIndex: not 0 } && session.Opening.Stream.IsAcknowledged)
        {
            // The server has all of ours. Its answer was lost, and it may send no more of it before it knows that we hear it here.
            Acknowledge(now, session);
            return;
        }

        Transmit(now, session, 0, session.Opening.Route);
        if (session.Opening.SecondRoute is { } second)
        {
            Transmit(now, session, 0, second);
        }
    }

    /// <summary>Doubles from flight to flight; to whom nobody heard for long it grows four times as fast, and for longer.</summary>
    private TimeSpan Pause(TimeSpan now, Session session)
    {
        int flight = Math.Min(session.Opening.Retransmissions++, 3);
        bool isToTheSilent = session.RemoteIndex == 0 && peers.TryGetValue(session.Opening.Expected, out Peer? peer) && peer.IsLongSilent(now);
        return isToTheSilent ? Earlier(FirstRetransmission * (1 << (2 * flight)), LastToTheSilent)
            : Earlier(FirstRetransmission * (1 << flight), LastRetransmission);
    }

    /// <summary>Sends what is not acknowledged at or after an offset.</summary>
    public void Transmit(TimeSpan now, Session session, uint offset, Arrival route)
    {
        while (session.Opening.Stream.NextChunk(ref offset) is { IsEmpty: false } chunk)
        {
            int room = session.Opening.Budget.Left(route) - HandshakeFrame.HeaderSize;
            if (room <= 0)
            {
                session.Opening.Budget.HoldBack();
                return;
            }

            chunk = chunk[..Math.Min(chunk.Length, room)];
            Send(now, session, offset, chunk, route);
            offset += (uint)chunk.Length;
        }
    }

    /// <summary>Acknowledges what came.</summary>
    public void Acknowledge(TimeSpan now, Session session) => Send(now, session, session.Opening.Stream.Length, [], session.Opening.Route);

    /// <summary>Asks the sender of a first frame to show that it receives; nothing is kept, and the answer is shorter than the question.</summary>
    public void AskForCookie(TimeSpan now, Arrival arrival, in HandshakeFrame frame, ReadOnlySpan<byte> cookie)
    {
        Span<byte> buffer = stackalloc byte[HandshakeFrame.MaxSize];
        int length = new HandshakeFrame
        {
            // Every frame has one; it names nothing.
            SenderIndex = frame.SenderIndex,
            ReceiverIndex = frame.SenderIndex,
            Sender = local.Self,
            Target = frame.Sender,
            Offset = 0,
            Acknowledged = 0,
            Cookie = cookie,
            Data = [],
        }.Write(buffer, local.Settings.PoolSecret.Span);
        transport.SendFrame(now, frame.Sender, buffer[..length], arrival);
    }

    private void Send(TimeSpan now, Session session, uint offset, ReadOnlySpan<byte> data, Arrival route)
    {
        if (session.Opening.Budget.Left(route) < HandshakeFrame.HeaderSize + data.Length)
        {
            return;
        }

        Span<byte> buffer = stackalloc byte[HandshakeFrame.MaxSize];
        int length = new HandshakeFrame
        {
            SenderIndex = session.LocalIndex,
            ReceiverIndex = session.RemoteIndex,
            Sender = local.Self,
            Target = session.Claimed,
            Offset = offset,
            Acknowledged = session.Opening.Stream.Expected,
            Cookie = session.RemoteIndex == 0 ? session.Opening.Cookie : default,
            Data = data,
        }.Write(buffer, local.Settings.PoolSecret.Span);
        session.Opening.Budget.Spend(route, length);
        transport.SendFrame(now, session.Claimed, buffer[..length], route);
    }
}
