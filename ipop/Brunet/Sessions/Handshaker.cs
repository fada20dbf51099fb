using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Sessions;

/// <summary>
/// Begins, carries on and ends handshakes. Whoever has not the pool's secret gets no answer. When both ends begin at once, the one
/// with the smaller ring address goes on as the client; should both come to an end all the same, both sessions serve.
/// </summary>
internal sealed class Handshaker : IMessageTaker, ITimed, IPeerTimed
{
    /// <summary>Sessions of one peer that no longer seal, and still open.</summary>
    public const int MaxOlder = 4;

    private static readonly TimeSpan GiveUpAfter = TimeSpan.FromSeconds(15);

    private readonly NodeCore _core;
    private readonly SessionTable _sessions;
    private readonly HandshakeSender _sender;
    private readonly HandshakeDoor _door;
    private int _generation;

    public Handshaker(NodeCore core)
    {
        _core = core;
        _sessions = new SessionTable(core.Random);
        _sender = new HandshakeSender(core);
        _door = new HandshakeDoor(core, _sessions, _sender);
    }

    /// <summary>When a handshake has to be gone on with.</summary>
    public TimeSpan NextTick => _sessions.NextTick(GiveUpAfter);

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        TimeSpan next = SessionAge.NextOf(peer);
        if (peer.Pending is not null || peer.Next is not null || (peer.Current is null && !peer.HasWaiting))
        {
            return next;
        }

        TimeSpan rekey = peer.Current is { } current ? SessionAge.WornOutAt(current, _generation) : TimeSpan.Zero;
        return Earlier(Later(rekey, peer.NextHandshake), next);
    }

    /// <summary>Sessions and handshakes that are kept.</summary>
    public int SessionCount => _sessions.Count;

    public IReadOnlyList<Session> Unfinished => _sessions.Unfinished;

    public Session? Find(uint localIndex) => _sessions.Find(localIndex);

    /// <summary>
    /// Makes sure that there is a session with a node, or that one is on its way. Via is a node with a link to it, if one is known.
    /// </summary>
    public Peer Connect(TimeSpan now, NodeAddress address, NodeAddress via)
    {
        Peer peer = _core.GetOrAddPeer(now, address);
        if (via != default && via != address && via != _core.Self)
        {
            peer.Via = via;
        }

        if (peer.Current is null && peer.Pending is null && now >= peer.NextHandshake)
        {
            Start(now, peer);
        }

        return peer;
    }

    /// <summary>A packet waits for a handshake: one that began while the peer was not there yet shall not make it wait for its clock.</summary>
    public void Hurry(TimeSpan now, Peer peer) => _sender.Hurry(now, peer.Pending);

    /// <summary>Agrees on new keys with a peer; the present session serves until then.</summary>
    public void Rekey(TimeSpan now, Peer peer)
    {
        if (peer.Pending is null && peer.Next is null && now >= peer.NextHandshake)
        {
            Start(now, peer);
        }
    }

    /// <summary>The peer has a session's keys as well, so it may seal from now on.</summary>
    public void Confirm(TimeSpan now, Session session)
    {
        if (_core.Peers.TryGetValue(session.Claimed, out Peer? peer) && peer.Next == session)
        {
            peer.Next = null;
            Promote(now, peer, session);
        }
    }

    /// <summary>The local certificate changed: whoever knows us by the old one shall learn the new one.</summary>
    public void IdentityChanged(TimeSpan now)
    {
        _generation++;
        foreach (Peer peer in _core.Peers.Values)
        {
            if (peer.Current is not null)
            {
                peer.NextHandshake = default;
                Rekey(now, peer);
            }
        }
    }

    /// <summary>
    /// This machine may be one of two with the same keys: drops them all, without goodbye, for the other may go on with them, and agrees on
    /// new ones with whom it needs.
    /// </summary>
    public void ForgetKeys(TimeSpan now)
    {
        while (_sessions.Unfinished.Count > 0)
        {
            Forget(_sessions.Unfinished[0]);
        }

        foreach (Peer peer in _core.Peers.Values)
        {
            bool isNeeded = peer.Current is not null && peer.IsWanted(now);
            _core.ForgetSessions(peer);
            peer.NextHandshake = default;
            if (isNeeded)
            {
                Start(now, peer);
            }
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.Goodbye, (in incoming, _) => OnGoodbye(incoming.Now, incoming.Peer, incoming.Session));

    /// <summary>
    /// The peer ended a session. Only the end of the current one is the peer's end: a late goodbye of its life before must not take
    /// the new one with it.
    /// </summary>
    public void OnGoodbye(TimeSpan now, Peer peer, Session session)
    {
        if (peer.Current == session)
        {
            _core.Part(now, peer);
        }
        else if (peer.Older.Remove(session))
        {
            Forget(session);
        }
    }

    /// <summary>Begins a handshake with whoever listens at an endpoint.</summary>
    public Session ConnectEndpoint(TimeSpan now, TransportAddress endpoint) => Start(now, default, Arrival.Direct(endpoint), null);

    /// <summary>Whether a handshake still runs.</summary>
    public bool IsUnfinished(Session session) => _sessions.Unfinished.Contains(session);

    public void Forget(Session? session) => _sessions.Forget(session);

    public void Tick(TimeSpan now)
    {
        List<Session> unfinished = _sessions.Unfinished;
        for (int i = unfinished.Count - 1; i >= 0; i--)
        {
            if (i >= unfinished.Count)
            {
                continue;
            }

            Session session = unfinished[i];
            if (now - session.StartedAt >= GiveUpAfter)
            {
                Fail(now, session);
            }
            else if (now >= session.NextRetransmission)
            {
                _sender.Retransmit(now, session);
            }
        }

        foreach (Peer peer in _core.Agenda.Due)
        {
            for (int i = peer.Older.Count - 1; i >= 0; i--)
            {
                if (now >= SessionAge.ForgottenAt(peer.Older[i], peer.Current))
                {
                    Forget(peer.Older[i]);
                    peer.Older.RemoveAt(i);
                }
            }

            if (peer.Current is { } current ? now >= SessionAge.WornOutAt(current, _generation) : peer.HasWaiting)
            {
                Rekey(now, peer);
            }
        }
    }

    public void Receive(TimeSpan now, Arrival arrival, ReadOnlySpan<byte> bytes)
    {
        if (!HandshakeFrame.TryRead(bytes, _core.Settings.PoolSecret.Span, out HandshakeFrame frame)
            || (frame.Target != default && frame.Target != _core.Self))
        {
            return;
        }

        // A frame of our own address is our own, come back, or that of another machine with our key; which, the handshake's end will tell.
        if (frame.Sender == _core.Self && _sessions.Find(frame.SenderIndex) is { } own)
        {
            _core.Bootstrap.OnSelf(now, own);
            return;
        }

        Session? session = frame.ReceiverIndex != 0
            ? _sessions.Find(frame.ReceiverIndex)
            : _sessions.Find(frame.Sender, frame.SenderIndex) ?? Accept(now, arrival, frame);
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
        session.Budget.Receive(arrival, bytes.Length, isProof: frame.ReceiverIndex != 0);
        bool isFreed = frame.ReceiverIndex != 0 && session.Budget.TakeHeldBack();
        if (!session.IsEstablished)
        {
            session.Route = arrival;
            session.SecondRoute = null;
        }

        session.Stream.Acknowledge(frame.Acknowledged);
        bool wasEstablished = session.IsEstablished;
        uint before = session.Stream.Length;
        if (!frame.Data.IsEmpty && !Advance(now, session, arrival, session.Stream.Receive(frame.Offset, frame.Data)))
        {
            return;
        }

        if (session.Stream.Length == before)
        {
            if (isFreed && !session.Stream.IsAcknowledged)
            {
                _sender.Transmit(now, session, 0, session.Route);
            }
            else if (!frame.Data.IsEmpty)
            {
                _sender.Acknowledge(now, session);
            }
        }
        else if (session.IsEstablished == wasEstablished)
        {
            _sender.Transmit(now, session, isFreed ? 0 : before, session.Route);
        }

        if (session.IsEstablished && session.Stream.IsAcknowledged)
        {
            _sessions.Unfinished.Remove(session);
            Confirm(now, session);
            if (session.Claimed == _core.Self)
            {
                Forget(session);
            }
        }
    }

    private bool Belongs(Session session, in HandshakeFrame frame) =>
        (session.RemoteIndex == 0 ? !session.SeeksStrangers || _core.Peers.GetValueOrDefault(frame.Sender) is not { Current: not null }
            : session.RemoteIndex == frame.SenderIndex)
        && (session.Claimed == default || session.Claimed == frame.Sender);

    private void Start(TimeSpan now, Peer peer)
    {
        peer.NextHandshake = now + TimeSpan.FromSeconds(Math.Min(1 << Math.Min(peer.FailedHandshakes, 5), 30));
        peer.Pending = Start(now, peer.Address, Arrival.Ring(peer.Via), peer.LastDirect);
    }

    private Session Start(TimeSpan now, NodeAddress expected, Arrival route, Arrival? secondRoute)
    {
        ulong boot = _core.Boot.For(now);
        var session = new Session(_sessions.NewIndex(), isClient: true, expected, _core.HandshakeProvider.StartClient(boot), route, now)
        {
            LocalBoot = boot,
            SecondRoute = secondRoute,
            Generation = _generation,
        };
        session.Budget.Trust(route);
        if (secondRoute is { } second)
        {
            session.Budget.Trust(second);
        }

        _sessions.Add(session);
        session.Handshake.Advance([], session.Stream.Output);
        _sender.Retransmit(now, session);
        return session;
    }

    private Session? Accept(TimeSpan now, Arrival arrival, in HandshakeFrame frame)
    {
        bool isKnown = _core.Peers.TryGetValue(frame.Sender, out Peer? peer);
        if (frame.Offset != 0 || frame.Data.IsEmpty || !_door.HasRoomForPeer(isKnown))
        {
            return null;
        }

        // Both ends began, and we are the client. The peer may not have heard of it: ours may go where it is no more.
        if (peer?.Pending is { IsEstablished: false, RemoteIndex: 0 } own && _core.Self < frame.Sender)
        {
            own.SecondRoute = arrival;
            own.Budget.Receive(arrival, HandshakeFrame.HeaderSize + frame.Data.Length, isProof: false);
            _sender.Transmit(now, own, 0, arrival);
            return null;
        }

        if (!_door.Admit(now, arrival, frame))
        {
            return null;
        }

        ulong boot = _core.Boot.For(now);
        var session = new Session(_sessions.NewIndex(), isClient: false, default, _core.HandshakeProvider.StartServer(boot), arrival, now)
        {
            LocalBoot = boot,
            Claimed = frame.Sender,
            RemoteIndex = frame.SenderIndex,
            Generation = _generation,
        };
        session.NextRetransmission = now + HandshakeSender.FirstRetransmission;
        _core.Agenda.Wake(session.NextRetransmission);
        _sessions.Add(session);
        return session;
    }

    /// <summary>The other end has much to do and wants to see a cookie. One is taken for each retransmission, so that nobody makes us shoot.</summary>
    private void ShowCookie(TimeSpan now, Arrival arrival, Session? session, int bytes, in HandshakeFrame frame)
    {
        if (session is not { IsClient: true, RemoteIndex: 0, HasTakenCookie: false } || (arrival != session.Route && arrival != session.SecondRoute))
        {
            return;
        }

        session.HasTakenCookie = true;
        session.Cookie = frame.Cookie.ToArray();
        session.Budget.Receive(arrival, bytes, isProof: true);
        _sender.Transmit(now, session, 0, arrival);
    }

    /// <summary>Feeds the handshake; false if that was its end.</summary>
    private bool Advance(TimeSpan now, Session session, Arrival arrival, ReadOnlySpan<byte> fresh)
    {
        if (session.IsEstablished || fresh.IsEmpty)
        {
            return true;
        }

        uint before = session.Stream.Length;
        HandshakeState state = session.Handshake.Advance(fresh, session.Stream.Output);
        if (state == HandshakeState.Failed || session.Stream.IsOverfull)
        {
            // TLS says why in an alert. It goes once; should it be lost, the peer gives up by its clock.
            _sender.Transmit(now, session, before, arrival);
            Fail(now, session);
            return false;
        }

        return state != HandshakeState.Complete || Establish(now, session, arrival);
    }

    private bool Establish(TimeSpan now, Session session, Arrival arrival)
    {
        session.Establish(now, _core.Hardware);
        NodeAddress address = session.Identity!.Address;
        if (address == _core.Self && !_core.Boot.IsOwn(session.RemoteBoot))
        {
            // Nobody else can end a handshake with our key. The last flight goes, so that the other machine learns it as well.
            session.Claimed = address;
            _core.Twins.OnProven(now, session.RemoteBoot);
            _sender.Retransmit(now, session);
            return true;
        }

        if (address == _core.Self || (session.Claimed != default && session.Claimed != address))
        {
            Fail(now, session);
            return false;
        }

        session.Claimed = address;
        Peer peer = _core.GetOrAddPeer(now, address);
        if (peer.Pending != session)
        {
            // Ours, not ended, can't have ended at the peer either: the client is the first to be sure.
            Forget(peer.Pending);
        }

        peer.Pending = null;
        bool isStranger = session.IsClient && session.Expected == default && peer.Current is null;
        _core.Paths.OnEstablished(now, peer, arrival);
        if (peer.LastDirect is { } direct && direct != session.Route)
        {
            session.SecondRoute = direct;
            session.Budget.Trust(direct);
        }

        // The last flight must be on its way before anything that needs the keys.
        _sender.Retransmit(now, session);
        if (session.IsClient && peer.Current is not null)
        {
            Retire(now, peer, peer.Next);
            peer.Next = session;
        }
        else
        {
            Promote(now, peer, session);
        }

        if (isStranger)
        {
            _core.Ring.OnStranger(now, address);
        }

        foreach ((Arrival way, byte[] frame) in session.TakeEarly())
        {
            _core.Transport.ReceiveFrame(now, way, frame);
        }

        return true;
    }

    private void Promote(TimeSpan now, Peer peer, Session session)
    {
        Retire(now, peer, peer.Current);
        peer.Current = session;
        peer.FailedHandshakes = 0;
        peer.NextHandshake = default;
        _core.OnEstablished(now, peer);
    }

    /// <summary>Seals no more with a session; the peer may for a while.</summary>
    private void Retire(TimeSpan now, Peer peer, Session? session)
    {
        if (session is null)
        {
            return;
        }

        session.LastOpened = now;
        peer.Older.Add(session);
        if (peer.Older.Count > MaxOlder)
        {
            Forget(peer.Older[0]);
            peer.Older.RemoveAt(0);
        }
    }

    private void Fail(TimeSpan now, Session session)
    {
        if (session.IsEstablished && _core.Peers.TryGetValue(session.Claimed, out Peer? established)
            && (established.Current == session || established.Older.Contains(session)))
        {
            // The last acknowledgement never came, but the session works or its liveness will tell.
            _sessions.Unfinished.Remove(session);
            return;
        }

        Forget(session);
        if (_core.Peers.TryGetValue(session.Claimed, out Peer? peer) && (peer.Pending == session || peer.Next == session))
        {
            peer.Pending = peer.Pending == session ? null : peer.Pending;
            peer.Next = peer.Next == session ? null : peer.Next;
            peer.FailedHandshakes++;
            peer.NextHandshake = now + TimeSpan.FromSeconds(Math.Min(1 << Math.Min(peer.FailedHandshakes, 5), 30));
        }
    }
}
