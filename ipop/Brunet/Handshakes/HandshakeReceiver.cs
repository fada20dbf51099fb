using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>
/// Carries handshakes on with what others send, and ends them. Whoever has not the pool's secret gets no answer. When both ends begin at
/// once, the one with the smaller ring address goes on as the client; should both come to an end all the same, both sessions serve.
/// </summary>
internal sealed class HandshakeReceiver(
    LocalNode local, PeerTable peers, Agenda agenda, SessionTable sessions, HandshakeSender sender, HandshakeDoor door, PathKeeper paths, Handshaker handshaker)
    : IMessageTaker
{
    /// <summary>Hears of each node that answered a call to an endpoint.</summary>
    public Action<TimeSpan, NodeAddress>? Stranger { get; set; }

    /// <summary>Hears of each handshake of ours that came back to us.</summary>
    public Action<TimeSpan, Session>? HeardSelf { get; set; }

    /// <summary>Hears that another machine has our key, by its boot id.</summary>
    public Action<TimeSpan, ulong>? TwinProven { get; set; }

    /// <summary>Takes frames that came before their keys.</summary>
    public Action<TimeSpan, Arrival, byte[]>? Early { get; set; }

    /// <inheritdoc/>
    public void Register(MessageTable messages) => messages.On(FrameType.Handshake, Receive);

    private void Receive(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> bytes)
    {
        if (!HandshakeFrame.TryRead(bytes, local.Settings.PoolSecret.Span, out HandshakeFrame frame)
            || (frame.Target != default && frame.Target != local.Self))
        {
            return;
        }

        // A frame of our own address is our own, come back, or that of another machine with our key; which, the handshake's end will tell.
        if (frame.Sender == local.Self && sessions.Find(frame.SenderIndex) is { } own)
        {
            HeardSelf?.Invoke(now, own);
            return;
        }

        Session? session = frame.ReceiverIndex != 0
            ? sessions.Find(frame.ReceiverIndex)
            : sessions.Find(frame.Sender, frame.SenderIndex) ?? Accept(now, arrival, frame);
        if (frame.ReceiverIndex != 0 && frame.HasCookie)
        {
            ShowCookie(now, arrival, session, bytes.Length, frame);
            return;
        }

        if (session is null || !Belongs(session, frame))
        {
            return;
        }

        session.RemoteIndex = frame.SenderIndex;
        session.Opening.Budget.Receive(arrival, bytes.Length, isProof: frame.ReceiverIndex != 0);
        bool isFreed = frame.ReceiverIndex != 0 && session.Opening.Budget.TakeHeldBack();
        if (!session.IsEstablished)
        {
            session.Opening.Route = arrival;
            session.Opening.SecondRoute = null;
        }

        session.Opening.Stream.Acknowledge(frame.Acknowledged);
        bool wasEstablished = session.IsEstablished;
        uint before = session.Opening.Stream.Length;
        if (!frame.Data.IsEmpty && !Advance(now, session, arrival, session.Opening.Stream.Receive(frame.Offset, frame.Data)))
        {
            return;
        }

        if (session.Opening.Stream.Length == before)
        {
            if (isFreed && !session.Opening.Stream.IsAcknowledged)
            {
                sender.Transmit(now, session, 0, session.Opening.Route);
            }
            else if (!frame.Data.IsEmpty)
            {
                sender.Acknowledge(now, session);
            }
        }
        else if (session.IsEstablished == wasEstablished)
        {
            sender.Transmit(now, session, isFreed ? 0 : before, session.Opening.Route);
        }

        if (session.IsEstablished && session.Opening.Stream.IsAcknowledged)
        {
            sessions.Unfinished.Remove(session);
            handshaker.Confirm(now, session);
            if (session.Claimed == local.Self)
            {
                handshaker.Forget(session);
            }
        }
    }

    private bool Belongs(Session session, in HandshakeFrame frame) =>
        (session.RemoteIndex == 0 ? !session.Opening.SeeksStrangers || peers.GetValueOrDefault(frame.Sender) is not { Current: not null }
            : session.RemoteIndex == frame.SenderIndex)
        && (session.Claimed == default || session.Claimed == frame.Sender);

    private Session? Accept(TimeSpan now, Arrival arrival, in HandshakeFrame frame)
    {
        if (frame.Offset != 0 || frame.Data.IsEmpty)
        {
            return null;
        }

        // Both ends began, and we are the client. The peer may not have heard of it: ours may go where it is no more.
        if (peers.GetValueOrDefault(frame.Sender)?.Pending is { IsEstablished: false, RemoteIndex: 0 } own && local.Self < frame.Sender)
        {
            own.Opening.SecondRoute = arrival;
            own.Opening.Budget.Receive(arrival, HandshakeFrame.HeaderSize + frame.Data.Length, isProof: false);
            sender.Transmit(now, own, 0, arrival);
            return null;
        }

        if (door.Admit(now, arrival, frame) is not { } source)
        {
            return null;
        }

        ulong boot = local.Boot.For(now);
        var session = new Session(sessions.NewIndex(), isClient: false, default, local.Handshakes.StartServer(boot), arrival, now)
        {
            LocalBoot = boot,
            Claimed = frame.Sender,
            RemoteIndex = frame.SenderIndex,
            Generation = handshaker.Generation,
        };
        session.Opening.Source = source;
        session.Opening.NextRetransmission = now + HandshakeSender.FirstRetransmission;
        agenda.Wake(session.Opening.NextRetransmission);
        sessions.Add(session);
        return session;
    }

    /// <summary>The other end has much to do and wants to see a cookie. One is taken for each retransmission, so that nobody makes us shoot.</summary>
    private void ShowCookie(TimeSpan now, Arrival arrival, Session? session, int bytes, in HandshakeFrame frame)
    {
        if (session is not { IsClient: true, RemoteIndex: 0, Opening.HasTakenCookie: false } || (arrival != session.Opening.Route && arrival != session.Opening.SecondRoute))
        {
            return;
        }

        session.Opening.HasTakenCookie = true;
        session.Opening.Cookie = frame.Cookie.ToArray();
        session.Opening.Budget.Receive(arrival, bytes, isProof: true);
        sender.Transmit(now, session, 0, arrival);
    }

    /// <summary>Feeds the handshake; false if that was its end.</summary>
    private bool Advance(TimeSpan now, Session session, Arrival arrival, ReadOnlySpan<byte> fresh)
    {
        if (session.IsEstablished || fresh.IsEmpty)
        {
            return true;
        }

        uint before = session.Opening.Stream.Length;
        HandshakeState state = session.Handshake.Advance(fresh, session.Opening.Stream.Output);
        if (state == HandshakeState.Failed || session.Opening.Stream.IsOverfull)
        {
            // TLS says why in an alert. It goes once; should it be lost, the peer gives up by its clock.
            sender.Transmit(now, session, before, arrival);
            handshaker.Fail(now, session);
            return false;
        }

        return state != HandshakeState.Complete || Establish(now, session, arrival);
    }

    private bool Establish(TimeSpan now, Session session, Arrival arrival)
    {
        session.Establish(now, local.Hardware);
        NodeAddress address = session.Identity!.Address;
        if (address == local.Self && !local.Boot.IsOwn(session.RemoteBoot))
        {
            // Nobody else can end a handshake with our key. The last flight goes, so that the other machine learns it as well.
            session.Claimed = address;
            TwinProven?.Invoke(now, session.RemoteBoot);
            sender.Retransmit(now, session);
            return true;
        }

        if (address == local.Self || (session.Claimed != default && session.Claimed != address) || !door.Admit(now, arrival, session))
        {
            handshaker.Fail(now, session);
            return false;
        }

        session.Claimed = address;
        Peer peer = peers.GetOrAdd(now, address);
        if (peer.Pending != session)
        {
            // Ours, not ended, can't have ended at the peer either: the client is the first to be sure.
            handshaker.Forget(peer.Pending);
        }

        peer.Pending = null;
        bool isStranger = session.IsClient && session.Opening.Expected == default && peer.Current is null;
        paths.OnEstablished(now, peer, arrival);
        if (peer.LastDirect is { } direct && direct != session.Opening.Route)
        {
            session.Opening.SecondRoute = direct;
            session.Opening.Budget.Trust(direct);
        }

        // The last flight must be on its way before anything that needs the keys.
        sender.Retransmit(now, session);
        if (session.IsClient && peer.Current is not null)
        {
            handshaker.Retire(now, peer, peer.Next);
            peer.Next = session;
        }
        else
        {
            handshaker.Promote(now, peer, session);
        }

        if (isStranger)
        {
            Stranger?.Invoke(now, address);
        }

        foreach ((Arrival way, byte[] frame) in session.Opening.TakeEarly())
        {
            Early?.Invoke(now, way, frame);
        }

        return true;
    }
}
