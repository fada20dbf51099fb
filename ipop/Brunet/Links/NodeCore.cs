using Brunet.Addressing;
using Brunet.Clocks;
using Brunet.Dht;
using Brunet.Diagnosis;
using Brunet.Nat;
using Brunet.Notices;
using Brunet.Relay;
using Brunet.Ring;
using Brunet.Sessions;

namespace Brunet.Links;

/// <summary>What the parts of one node share: its settings, its peers, and each other.</summary>
internal sealed class NodeCore
{
    /// <summary>Peers above which nobody new is let in who calls. Whom the node itself calls, it needs.</summary>
    public const int MaxPeers = 4096;

    private static readonly TimeSpan Spread = TimeSpan.FromMilliseconds(100);

    public NodeCore(
        NodeSettings settings,
        ILocalIdentity identity,
        IHandshakeProvider handshakes,
        ICertificateVerifier? certificates,
        IRecordPolicy policy,
        INodeOutput output,
        Random random,
        IHardwareRandom hardware)
    {
        Settings = settings;
        Identity = identity;
        HandshakeProvider = handshakes;
        Output = output;
        Random = random;
        Hardware = hardware;
        Agenda = new Agenda(this);
        Boot = new BootId(hardware);
        Esp = new EspAgreement(this);
        Members = new MemberTable(this);
        Outside = new OutsideWatch(this);
        Relayed = new RelayBudget(settings.RelayRate);
        var codec = new RecordCodec(identity, certificates);

        Transport = Take(new Transport(this));
        Router = Take(new Router(this));
        Paths = Take(new PathKeeper(this));
        Relays = Take(new RelayForwarder(this));
        Twins = Take(new TwinWatch(this));
        Finder = Take(new NodeFinder(this));
        OtherRing = Take(new OtherRing(this));
        KnockResponder = Take(new KnockResponder(this));
        TraceResponder = Take(new TraceResponder(this));

        // Those that time matters to have their turn in this order.
        Handshaker = Take(new Handshaker(this));
        NetworkChange = Take(new NetworkChange(this));
        PathWatch = Take(new PathWatch(this));
        Mtu = Take(new MtuKeeper(this));
        Order = Take(new PacketOrder(this));
        Puncher = Take(new Puncher(this));
        PortSearcher = Take(new PortSearcher(this));
        Meetings = Take(new TcpMeetings(this));
        NatProber = Take(new NatProber(this));
        Ring = Take(new RingKeeper(this));
        Shortcuts = Take(new ShortcutKeeper(this));
        FarMemory = Take(new FarMemory(this));
        Bootstrap = Take(new Bootstrapper(this, settings.Bootstrap));
        Remembered = Take(new RememberedPeers(this));
        Lan = Take(new LanCaller(this));
        DhtServer = Take(new DhtServer(this, codec, policy));
        DhtClient = Take(new DhtClient(this, codec, policy));
        Notices = Take(new NoticeKeeper(this));
        Dismissal = Take(new Dismissal(this));
        Pinger = Take(new Pinger(this));
        Tracer = Take(new Tracer(this));
        Clocks = Take(new PeerClocks(this));
    }

    /// <summary>Who takes messages of which type.</summary>
    public MessageTable Messages { get; } = new();

    /// <summary>The parts that time matters to, in the order of their turns.</summary>
    [field: Own("the parts of a node")]
    public List<ITimed> Timed { get; } = [];

    /// <summary>The parts that have something to do with each peer at a time of its own.</summary>
    [field: Own("the parts of a node")]
    public List<IPeerTimed> PeerTimed { get; } = [];

    public NodeSettings Settings { get; }

    public ILocalIdentity Identity { get; }

    public IHandshakeProvider HandshakeProvider { get; }

    public INodeOutput Output { get; }

    public Random Random { get; }

    public IHardwareRandom Hardware { get; }

    [field: Bounded(nameof(MaxPeers))]
    public Dictionary<NodeAddress, Peer> Peers { get; } = [];

    public Agenda Agenda { get; }

    public LossCounters Losses { get; } = new();

    public Refusals Refusals { get; } = new();

    public BootId Boot { get; }

    public TwinWatch Twins { get; }

    public Transport Transport { get; }

    public Handshaker Handshaker { get; }

    public EspAgreement Esp { get; }

    public PathKeeper Paths { get; }

    public PathWatch PathWatch { get; }

    public MtuKeeper Mtu { get; }

    public PacketOrder Order { get; }

    public MemberTable Members { get; }

    public Router Router { get; }

    public RingKeeper Ring { get; }

    public NodeFinder Finder { get; }

    public OtherRing OtherRing { get; }

    public ShortcutKeeper Shortcuts { get; }

    public FarMemory FarMemory { get; }

    public Bootstrapper Bootstrap { get; }

    public RememberedPeers Remembered { get; }

    public LanCaller Lan { get; }

    public Puncher Puncher { get; }

    public OutsideWatch Outside { get; }

    public NetworkChange NetworkChange { get; }

    public PortSearcher PortSearcher { get; }

    public TcpMeetings Meetings { get; }

    public NatProber NatProber { get; }

    public KnockResponder KnockResponder { get; }

    public RelayForwarder Relays { get; }

    public RelayBudget Relayed { get; }

    public Pinger Pinger { get; }

    public Tracer Tracer { get; }

    public TraceResponder TraceResponder { get; }

    public PeerClocks Clocks { get; }

    public DhtServer DhtServer { get; }

    public DhtClient DhtClient { get; }

    public NoticeKeeper Notices { get; }

    public Dismissal Dismissal { get; }

    public NodeAddress Self => Identity.Address;

    /// <summary>Whether the local node may store, route and relay for others.</summary>
    public bool IsMember => Settings.IsOpen || Identity.Certificate is not null;

    /// <summary>Whether a connected peer may. The uncertified are leaves.</summary>
    public bool IsMemberPeer(Peer peer) => peer.IsConnected && IsEntitled(peer);

    /// <summary>Whether a peer would be a member if it were connected.</summary>
    public bool IsEntitled(Peer peer) => peer.Identity is { } identity && (Settings.IsOpen || identity.Certificate is not null);

    /// <summary>A moment within the next tenth of a second: what begins with others is not all done at once.</summary>
    public TimeSpan Soon(TimeSpan now) => now + (Spread * Random.NextDouble());

    /// <summary>A token for a question to the ring: random, never zero.</summary>
    public uint NewToken() => (uint)Random.NextInt64(1, 1L << 32);

    public Peer GetOrAddPeer(TimeSpan now, NodeAddress address)
    {
        if (Peers.TryGetValue(address, out Peer? peer) && peer is { PartedAt: not null, Pending: null })
        {
            // Goodbye was said; this is the beginning of something new.
            RemovePeer(peer);
            peer = null;
        }

        if (peer is null)
        {
            peer = new Peer(address, now, Agenda);
            Peers.Add(address, peer);
        }

        Agenda.Stir(peer);
        return peer;
    }

    /// <summary>Goodbye was said. For a moment what is on its way from the peer is still taken, and what it wants handed on: its goodbyes to others.</summary>
    public void Part(TimeSpan now, Peer peer)
    {
        ForgetHandshakes(peer);
        peer.PartedAt = now;
        Ring.Touch();
    }

    /// <summary>Forgets a peer with everything that belongs to it.</summary>
    public void RemovePeer(Peer peer)
    {
        if (Peers.TryGetValue(peer.Address, out Peer? present) && present == peer)
        {
            Peers.Remove(peer.Address);
            Losses.Unsent += peer.Waiting;
        }

        Members.Forget(peer);
        Mtu.Forget(peer);
        Order.Forget(peer);
        Notices.Forget(peer.Address);
        Meetings.Forget(peer);
        NatProber.Forget(peer);
        ForgetSessions(peer);
        Ring.Touch();
    }

    /// <summary>Forgets a peer's sessions and handshakes, not the peer.</summary>
    public void ForgetSessions(Peer peer)
    {
        Agenda.Stir(peer);
        ForgetHandshakes(peer);
        Handshaker.Forget(peer.Current);
        peer.Older.ForEach(Handshaker.Forget);
        peer.Older.Clear();
        peer.Current = null;
    }

    /// <summary>Notes what a part wants to be called for.</summary>
    private T Take<T>(T part)
        where T : class
    {
        (part as IMessageTaker)?.Register(Messages);
        if (part is ITimed timed)
        {
            Timed.Add(timed);
        }

        if (part is IPeerTimed peerTimed)
        {
            PeerTimed.Add(peerTimed);
        }

        return part;
    }

    private void ForgetHandshakes(Peer peer)
    {
        Handshaker.Forget(peer.Pending);
        Handshaker.Forget(peer.Next);
        peer.Pending = peer.Next = null;
    }

    /// <summary>A session with a peer stands: what waited may go, and better paths are sought.</summary>
    public void OnEstablished(TimeSpan now, Peer peer)
    {
        while (peer.TryTakeWaiting(out byte[] message))
        {
            Transport.SendMessage(now, peer, message);
        }

        Pinger.OnEstablished(now, peer);

        // What is told now where we are asks for an answer itself; a ping over the ring beside it would cost as many hops.
        peer.LastRingPing = now;
        Puncher.OnEstablished(now, peer);
        Ring.Touch();
    }
}
