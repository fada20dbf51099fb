using Brunet.Clocks;
using Brunet.Dht;
using Brunet.Diagnosis;
using Brunet.Handshakes;
using Brunet.Links;
using Brunet.Nat;
using Brunet.Notices;
using Brunet.Relay;
using Brunet.Ring;
using Brunet.Sessions;

namespace Brunet;

/// <summary>
/// All parts of one node: each is given what it uses, those below before those above, and here alone stands who hears of what. Parts
/// that time matters to have their turns in the order in which they are taken.
/// </summary>
internal sealed class NodeParts
{
    public NodeParts(LocalNode local, ICertificateVerifier? certificates, IRecordPolicy policy)
    {
        Local = local;
        var codec = new RecordCodec(local.Identity, certificates);

        // Links.
        Sessions = new SessionTable(local.Random);
        Esp = new EspAgreement(local);
        Peers = new PeerTable(local, Sessions);
        Agenda = new Agenda(Peers);
        Transport = new Transport(local, Peers, Esp, Messages);
        Paths = Take(new PathKeeper(local, Peers, Transport, Esp, Life, Events));
        Connected = new ConnectionWatch(local, Peers, Paths, Events);
        Order = new PacketOrder(local, Peers, Agenda);

        // Those that time matters to have their turn in this order.
        var sender = new HandshakeSender(local, Peers, Agenda, Transport);
        var door = new HandshakeDoor(local, Sessions, sender, new HandshakeSources(Peers, Messages), new PeerRoom(local, Peers, Transport));
        Handshaker = Take(new Handshaker(local, Peers, Agenda, Sessions, sender, Events));
        var handshakes = Take(new HandshakeReceiver(local, Peers, Agenda, Sessions, sender, door, Paths, Handshaker));
        Receiver = Take(new Receiver(local, Peers, Sessions, Esp, Handshaker, Paths, Order, Messages));
        Twins = Take(new TwinWatch(local, Peers, Transport));
        NetworkChange = Take(new NetworkChange(Agenda));
        var watch = Take(new PathWatch(local, Peers, Agenda, Transport, Paths, Life, Events));
        Mtu = Take(new MtuKeeper(local, Peers, Agenda, Transport));
        Take(Order);

        // Through NATs.
        View = new RingView();
        List = new BootstrapList(local.Settings.Bootstrap);
        Members = new MemberTable(local, Peers);
        Reflected = new ReflectedAddresses();
        Connections = new ReflectedConnections();
        Puncher = Take(new Puncher(local, Peers, Agenda, Transport, Paths, Reflected, Connections));
        var searcher = Take(new PortSearcher(local, Peers, Agenda, Paths, Reflected, Puncher));
        Meetings = Take(new TcpMeetings(local, Peers, Agenda, Transport, Paths, Reflected, Connections, List));
        NatProber = Take(new NatProber(local, Peers, Agenda, Transport, Life, View));
        Take(new KnockResponder(local, Peers, Transport, Members, NatProber));
        var outside = new OutsideWatch(local, Peers, Paths, Reflected, Puncher, Meetings, NatProber);

        // The ring.
        Relayed = new RelayBudget(local.Settings.RelayRate);
        Take(new RelayForwarder(local, Peers, Transport, Receiver, Relayed));
        GreedyRouter = Take(new GreedyRouter(local, Peers, Transport, Messages, Members, Relayed));
        var finder = Take(new NodeFinder(local, Members, View, GreedyRouter));
        Ring = Take(new RingKeeper(local, Peers, Agenda, Transport, Handshaker, View, Members, finder));
        Shortcuts = Take(new ShortcutKeeper(local, Peers, Agenda, Paths, Handshaker, View, GreedyRouter, finder));
        OtherRing = Take(new OtherRing(local, Peers, Transport, Members, finder, Shortcuts, Ring));
        FarMemory = Take(new FarMemory(local, Peers, Handshaker));
        Remembered = new RememberedPeers(local, Peers, Handshaker, View, List);
        Bootstrap = Take(new Bootstrapper(local, Peers, Agenda, Handshaker, View, List, Remembered));
        Take(Remembered);
        Multicast = Take(new MulticastCaller(local, Peers, Receiver, Handshaker, View));

        // What is kept and asked on it.
        DhtServer = Take(new DhtServer(local, Agenda, Transport, View, GreedyRouter, codec, policy, new OwnerCalls(local, Handshaker)));
        DhtClient = Take(new DhtClient(local, Agenda, GreedyRouter, codec, policy));
        Notices = Take(new NoticeKeeper(local, Peers, Agenda, Transport, Members, View));
        Dismissal = Take(new Dismissal(Peers, Transport));
        Pinger = Take(new Pinger(local, Transport, Handshaker, Esp));
        Tracer = Take(new Tracer(local, Peers, GreedyRouter));
        var responder = Take(new TraceResponder(local, GreedyRouter));
        Clocks = Take(new PeerClocks(local, Peers, Transport));
        Absence = Take(new AbsenceJudge(Peers, Handshaker, Pinger));

        // Who hears of what, in this order.
        Agenda.Settling += Members.Note;
        Peers.LinksChanged += Ring.Touch;
        Peers.Removed += Members.Forget;
        Peers.Removed += Mtu.Forget;
        Peers.Removed += Order.Forget;
        Peers.Removed += peer => Notices.Forget(peer.Address);
        Peers.Removed += Meetings.Forget;
        Peers.Removed += NatProber.Forget;
        Peers.Removed += Absence.OnRemoved;

        Events.Established += watch.OnEstablished;
        Events.Established += Transport.SendWaiting;
        Events.Established += Pinger.OnEstablished;
        Events.Established += Puncher.OnEstablished;
        Events.PathLost += Puncher.OnPathLost;
        Events.PathLost += searcher.OnPathLost;
        Events.Silent += outside.OnSilence;
        Events.Doubted += Connected.OnDoubted;
        Events.Missed += Puncher.Seek;
        Events.Missed += outside.OnMiss;
        Events.Suspected += Handshaker.Rekey;
        Events.Lost += FarMemory.OnLost;
        Events.Lost += Ring.OnLost;
        Events.Forgotten += NatProber.Distrust;
        Events.Observed += outside.OnObserved;
        Paths.OtherPings = Pinger.OnPong;

        sender.AnotherWay = Ring.WayTo;
        handshakes.Stranger += OtherRing.Ask;
        handshakes.HeardSelf += Bootstrap.OnSelf;
        handshakes.TwinProven += Twins.OnProven;
        Handshaker.OtherBoot += Twins.OnOtherBoot;
        handshakes.Early += (now, way, frame) => Receiver.Receive(now, way, frame);

        NetworkChange.Restarting += _ => Reflected.Clear();
        NetworkChange.Restarting += _ => Connections.Clear();
        NetworkChange.Restarting += Meetings.Restart;
        NetworkChange.Restarting += NatProber.Restart;
        NetworkChange.Restarting += Paths.PingAll;
        NetworkChange.Restarting += Puncher.OnNewEndpoint;
        NetworkChange.Restarting += Bootstrap.Restart;
        NetworkChange.Restarting += Remembered.Restart;
        NetworkChange.Restarting += Multicast.Restart;
        NetworkChange.Restarting += Handshaker.Restart;

        Puncher.Named += searcher.OnCandidates;
        Puncher.Punched += Meetings.Plan;
        Meetings.Seen += Puncher.OnNewEndpoint;
        Meetings.Calling += Bootstrap.Call;
        Ring.Neared += Paths.TellWish;
        Ring.Neared += OtherRing.OnNear;
        GreedyRouter.FindPasses = finder.OnPassing;
        GreedyRouter.TracePasses = responder.OnTrace;
    }

    public LocalNode Local { get; }

    public LinkEvents Events { get; } = new();

    public MessageTable Messages { get; } = new();

    public SessionTable Sessions { get; }

    public PeerTable Peers { get; }

    public Agenda Agenda { get; }

    public Transport Transport { get; }

    public Receiver Receiver { get; }

    public EspAgreement Esp { get; }

    public PathKeeper Paths { get; }

    public ConnectionWatch Connected { get; }

    public PacketOrder Order { get; }

    public Handshaker Handshaker { get; }

    public TwinWatch Twins { get; }

    public Dismissal Dismissal { get; }

    public NetworkChange NetworkChange { get; }

    public MtuKeeper Mtu { get; }

    public ReflectedAddresses Reflected { get; }

    public ReflectedConnections Connections { get; }

    public Puncher Puncher { get; }

    public TcpMeetings Meetings { get; }

    public NatProber NatProber { get; }

    public MappingLife Life { get; } = new();

    public RelayBudget Relayed { get; }

    public RingView View { get; }

    public BootstrapList List { get; }

    public MemberTable Members { get; }

    public GreedyRouter GreedyRouter { get; }

    public RingKeeper Ring { get; }

    public ShortcutKeeper Shortcuts { get; }

    public OtherRing OtherRing { get; }

    public FarMemory FarMemory { get; }

    public Bootstrapper Bootstrap { get; }

    public RememberedPeers Remembered { get; }

    public MulticastCaller Multicast { get; }

    public DhtServer DhtServer { get; }

    public DhtClient DhtClient { get; }

    public NoticeKeeper Notices { get; }

    public Pinger Pinger { get; }

    public Tracer Tracer { get; }

    public PeerClocks Clocks { get; }

    public AbsenceJudge Absence { get; }

    /// <summary>Notes what a part wants to be called for.</summary>
    private T Take<T>(T part)
        where T : class
    {
        (part as IMessageTaker)?.Register(Messages);
        Agenda.Add(part);
        return part;
    }
}
