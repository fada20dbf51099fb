using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using static Brunet.Moment;

namespace Brunet.Handshakes;

/// <summary>
/// Begins handshakes, gives them up, and says which session of a peer seals. What others send of handshakes is
/// <see cref="HandshakeReceiver"/>'s.
/// </summary>
internal sealed class Handshaker(
    LocalNode local, PeerTable peers, Agenda agenda, SessionTable sessions, HandshakeSender sender, LinkEvents events)
    : IMessageTaker, ITimed, IPeerTimed
{
    private static readonly TimeSpan GiveUpAfter = TimeSpan.FromSeconds(15);

    private readonly PerPeer<Kept> _kept = new(peers);

    /// <summary>Hears of frames of a session whose machine is in another life than that of the current one.</summary>
    public Action<TimeSpan, Peer, Session>? OtherBoot { get; set; }

    /// <summary>When a handshake has to be gone on with.</summary>
    public TimeSpan NextTick => sessions.NextTick(GiveUpAfter);

    /// <summary>When <see cref="Tick"/> has something to do for a peer to which nothing happens until then.</summary>
    public TimeSpan NextOf(TimeSpan now, Peer peer)
    {
        TimeSpan next = SessionAge.NextOf(peer);
        if (peer.Pending is not null || peer.Next is not null || (peer.Current is null && !peer.Waiting.HasAny))
        {
            return next;
        }

        TimeSpan rekey = peer.Current is { } current ? SessionAge.WornOutAt(current, Generation) : TimeSpan.Zero;
        return Earlier(Later(rekey, peer.NextHandshake), next);
    }

    /// <summary>Which of the local node's identities counts now.</summary>
    public int Generation { get; private set; }

    /// <summary>Sessions and handshakes that are kept.</summary>
    public int SessionCount => sessions.Count;

    /// <summary>
    /// Makes sure that there is a session with a node, or that one is on its way. Via is a node with a link to it, if one is known.
    /// </summary>
    public Peer Connect(TimeSpan now, NodeAddress address, NodeAddress via)
    {
        Peer peer = peers.GetOrAdd(now, address);
        peer.OnNamed(via);
        if (peer.Current is null && peer.Pending is null && now >= peer.NextHandshake)
        {
            Start(now, peer);
        }

        return peer;
    }

    /// <summary>A packet waits for a handshake: one that began while the peer was not there yet shall not make it wait for its clock.</summary>
    public void Hurry(TimeSpan now, Peer peer) => sender.Hurry(now, peer.Pending);

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
        if (peers.TryGetValue(session.Claimed, out Peer? peer) && peer.Next == session)
        {
            peer.Next = null;
            Promote(now, peer, session);
        }
    }

    /// <summary>The local certificate changed: whoever knows us by the old one shall learn the new one.</summary>
    public void IdentityChanged(TimeSpan now)
    {
        Generation++;
        foreach (Peer peer in peers.Values)
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
        while (sessions.Unfinished.Count > 0)
        {
            Forget(sessions.Unfinished[0]);
        }

        foreach (Peer peer in peers.Values)
        {
            bool isNeeded = peer.Current is not null && peer.Use.IsWanted(now);
            peers.ForgetSessions(peer);
            peer.NextHandshake = default;
            if (isNeeded)
            {
                Start(now, peer);
            }
        }
    }

    /// <summary>All is tried again at once, spread a little: the machine slept, or has other ways out.</summary>
    public void Restart(TimeSpan now)
    {
        foreach (Peer peer in peers.Values)
        {
            _kept.Of(peer).Failures = 0;
            peer.NextHandshake = Earlier(peer.NextHandshake, local.Soon(now));
        }

        foreach (Session session in sessions.Unfinished)
        {
            session.Opening.Retransmissions = 0;
            session.Opening.NextRetransmission = Earlier(session.Opening.NextRetransmission, local.Soon(now));
            agenda.Wake(session.Opening.NextRetransmission);
        }
    }

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(MessageType.Goodbye, (in incoming, _) => OnGoodbye(incoming.Now, incoming.Peer, incoming.Session));

    /// <summary>A frame opened in a session: so the peer has its keys.</summary>
    public void OnOpened(TimeSpan now, Peer peer, Session session)
    {
        if (peer.Next == session)
        {
            Confirm(now, session);
        }

        if (peer.Current is { } current && current.RemoteBoot != session.RemoteBoot)
        {
            OtherBoot?.Invoke(now, peer, session);
        }
    }

    /// <summary>
    /// The peer ended a session. Only the end of the current one is the peer's end: a late goodbye of its life before must not take
    /// the new one with it.
    /// </summary>
    public void OnGoodbye(TimeSpan now, Peer peer, Session session)
    {
        if (peer.Current == session)
        {
            peers.Part(now, peer);
        }
        else if (peer.Older.Remove(session))
        {
            Forget(session);
        }
    }

    /// <summary>Begins a handshake with whoever listens at an endpoint.</summary>
    public Session ConnectEndpoint(TimeSpan now, TransportAddress endpoint) => Start(now, default, Arrival.Direct(endpoint), null);

    /// <summary>The boot id that a peer proved last, and when it proved that first; null before its first session.</summary>
    public (ulong Boot, TimeSpan At)? BootMet(Peer peer) => _kept.Find(peer)?.BootMet;

    /// <summary>Whether a handshake still runs.</summary>
    public bool IsUnfinished(Session session) => sessions.Unfinished.Contains(session);

    public void Forget(Session? session) => sessions.Forget(session);

    public void Tick(TimeSpan now)
    {
        List<Session> unfinished = sessions.Unfinished;
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
            else if (now >= session.Opening.NextRetransmission)
            {
                sender.Retransmit(now, session);
            }
        }

        foreach (Peer peer in agenda.Due)
        {
            for (int i = peer.Older.Count - 1; i >= 0; i--)
            {
                if (now >= SessionAge.ForgottenAt(peer.Older[i], peer.Current))
                {
                    Forget(peer.Older[i]);
                    peer.Older.RemoveAt(i);
                }
            }

            if (peer.Current is { } current ? now >= SessionAge.WornOutAt(current, Generation) : peer.Waiting.HasAny)
            {
                Rekey(now, peer);
            }
        }
    }

    /// <summary>Between two handshakes with one peer: twice as long after each that failed, 30 s at most.</summary>
    private static TimeSpan Pause(int failures) => TimeSpan.FromSeconds(Math.Min(1 << Math.Min(failures, 5), 30));

    private void Start(TimeSpan now, Peer peer)
    {
        peer.NextHandshake = now + Pause(_kept.Find(peer)?.Failures ?? 0);
        peer.Pending = Start(now, peer.Address, Arrival.Ring(peer.Via), peer.LastDirect);
    }

    private Session Start(TimeSpan now, NodeAddress expected, Arrival route, Arrival? secondRoute)
    {
        ulong boot = local.Boot.For(now);
        var session = new Session(sessions.NewIndex(), isClient: true, expected, local.Handshakes.StartClient(boot), route, now)
        {
            LocalBoot = boot,
            Generation = Generation,
        };
        session.Opening.SecondRoute = secondRoute;
        session.Opening.Budget.Trust(route);
        if (secondRoute is { } second)
        {
            session.Opening.Budget.Trust(second);
        }

        sessions.Add(session);
        session.Handshake.Advance([], session.Opening.Stream.Output);
        sender.Retransmit(now, session);
        return session;
    }

    /// <summary>Seals with a session from now on.</summary>
    public void Promote(TimeSpan now, Peer peer, Session session)
    {
        Retire(now, peer, peer.Current);
        peer.Current = session;
        Kept kept = _kept.Of(peer);
        kept.Failures = 0;
        if (kept.BootMet is not { } met || met.Boot != session.RemoteBoot)
        {
            kept.BootMet = (session.RemoteBoot, now);
        }

        peer.NextHandshake = default;
        events.Established?.Invoke(now, peer);
        peers.Touch();
    }

    /// <summary>Seals no more with a session; the peer may for a while.</summary>
    public void Retire(TimeSpan now, Peer peer, Session? session)
    {
        if (session is null)
        {
            return;
        }

        session.LastOpened = now;
        peer.Older.Add(session);
        if (peer.Older.Count > SessionTable.MaxOlder)
        {
            Forget(peer.Older[0]);
            peer.Older.RemoveAt(0);
        }
    }

    /// <summary>A handshake came to nothing.</summary>
    public void Fail(TimeSpan now, Session session)
    {
        if (session.IsEstablished && peers.TryGetValue(session.Claimed, out Peer? established)
            && (established.Current == session || established.Older.Contains(session)))
        {
            // The last acknowledgement never came, but the session works or its liveness will tell.
            sessions.Unfinished.Remove(session);
            return;
        }

        Forget(session);
        if (peers.TryGetValue(session.Claimed, out Peer? peer) && (peer.Pending == session || peer.Next == session))
        {
            peer.Pending = peer.Pending == session ? null : peer.Pending;
            peer.Next = peer.Next == session ? null : peer.Next;
            peer.NextHandshake = now + Pause(++_kept.Of(peer).Failures);
        }
    }

    private sealed class Kept
    {
        /// <summary>How many handshakes failed one after the other.</summary>
        public int Failures { get; set; }

        /// <summary>The boot id that it proved last, and when it proved that first.</summary>
        public (ulong Boot, TimeSpan At)? BootMet { get; set; }
    }
}
