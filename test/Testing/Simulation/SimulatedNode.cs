using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;
using Testing.Simulation.Sites;

namespace Testing.Simulation;

/// <summary>One node of the simulated world.</summary>
public sealed class SimulatedNode : INodeOutput
{
    /// <summary>The port of the node's own socket.</summary>
    internal const ushort Port = 4433;

    /// <summary>Where the ports begin that its further sockets have, and how many there are.</summary>
    private const int FirstFurther = 10000;
    private const int Further = 40000;

    private readonly SimulatedNetwork _network;
    private readonly HashSet<int> _sockets = [];
    private int _lastSocket;

    internal SimulatedNode(
        SimulatedNetwork network, int index, SimulatedHost host, TransportAddress publicEndpoint, SimulatedIdentity identity, NodeSettings settings)
    {
        Settings = settings;
        _network = network;
        Index = index;
        Host = host;
        PublicEndpoint = publicEndpoint;
        Identity = identity;
        Place = network.NextPlace();
    }

    /// <summary>The product's node. Whoever takes hold of it may bring its next tick forward, so the world looks.</summary>
    public Node Node
    {
        get
        {
            _network.LookAt(this);
            return Inside;
        }
    }

    /// <summary>The same for the world itself, which looks anyhow.</summary>
    internal Node Inside { get; set; } = null!;

    /// <summary>When its next tick is on the list.</summary>
    internal TimeSpan TickAt { get; set; } = TimeSpan.MaxValue;

    /// <summary>Whether the world shall look when it wants to tick.</summary>
    internal bool IsLookedAt { get; set; }

    /// <summary>Its place in <see cref="SimulatedNetwork.Nodes"/>.</summary>
    public int Index { get; }

    public SimulatedIdentity Identity { get; }

    public TransportAddress PublicEndpoint { get; }

    public bool IsAlive { get; private set; } = true;

    /// <summary>When it was last switched on.</summary>
    public TimeSpan StartedAt { get; internal set; }

    /// <summary>Packets of the virtual network that arrived, with their proven senders.</summary>
    public List<(PeerIdentity Source, byte[] Packet)> Delivered { get; } = [];

    /// <summary>UDP datagrams sent.</summary>
    public long SentDatagrams { get; internal set; }

    /// <summary>Bytes of their payload.</summary>
    public long SentBytes { get; internal set; }

    /// <summary>Announcements of notices and pieces that it got.</summary>
    public (int Heads, int Pieces) HeardOfNotices => Inside.Parts.Notices.Heard;

    /// <summary>Lets the node tick now, though it did not want to, and look at every peer as if it were due.</summary>
    public void TickEarly()
    {
        Inside.Parts.Agenda.Distrust();
        Node.Tick(_network.Now);
    }

    /// <summary>How many peers, paths, living paths and sessions it has.</summary>
    public string Holdings
    {
        get
        {
            (int paths, int alive) = (0, 0);
            foreach (Brunet.Links.Peer peer in Inside.Parts.Peers.Values)
            {
                paths += peer.Paths.Count;
                alive += peer.Paths.Count(path => path.IsAlive);
            }

            return $"{Inside.Parts.Peers.Count} peers, {paths} paths, {alive} alive, {Sessions} sessions";
        }
    }

    /// <summary>The machine that it is on.</summary>
    public SimulatedHost Host { get; }

    /// <summary>Whether it is told its machine's own addresses, as by the daemon.</summary>
    internal bool KnowsItself { get; init; }

    /// <summary>The endpoints of its own machine that it is told: of TCP alone unless it knows all, and behind a NAT none unless all nodes listen.</summary>
    internal IReadOnlyList<TransportAddress> OwnEndpoints(bool allListen)
    {
        var own = new List<TransportAddress>();
        foreach (TransportAddress address in KnowsItself || Nat.IsPublic || allListen ? Host.Addresses : [])
        {
            TransportAddress udp = address with { Port = Port };
            own.AddRange(KnowsItself ? [udp, .. SimulatedTcp.Listeners(udp)] : SimulatedTcp.Listeners(udp));
        }

        return own;
    }

    internal SimulatedNetwork Network => _network;

    internal TimeSpan Now => _network.Now;

    /// <summary>What stands before its machine.</summary>
    internal SimulatedNat Nat => Host.Lan.Gateway!.Nat;

    internal NodeSettings Settings { get; }

    /// <summary>Counts the restarts, so that an earlier life's timers fall silent.</summary>
    internal int Lives { get; set; }

    internal IRecordPolicy Policy { get; set; } = null!;

    internal double Place { get; }

    /// <summary>Switches the node off, as a power cut does.</summary>
    public void Kill() => IsAlive = false;

    internal void Revive() => IsAlive = true;

    /// <summary>Whether this node has a session with another and a path that is not the ring.</summary>
    public bool IsLinkedTo(SimulatedNode other)
    {
        ArgumentNullException.ThrowIfNull(other);
        return Inside.Parts.Peers.TryGetValue(other.Identity.Address, out Brunet.Links.Peer? peer) && peer.IsConnected;
    }

    /// <summary>Peers with a session.</summary>
    public int Sessions => Inside.Parts.Handshaker.SessionCount;

    /// <summary>The path kind that this node uses to another now; null without a session.</summary>
    public PathKind? PathTo(SimulatedNode other)
    {
        ArgumentNullException.ThrowIfNull(other);
        foreach (PeerStatus peer in Inside.Peers(_network.Now))
        {
            if (peer.Identity.Address == other.Identity.Address)
            {
                return peer.Path;
            }
        }

        return null;
    }

    public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram) => _network.Transmit(this, 0, destination, datagram);

    public void SendDatagram(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        if (IsOpen(socket))
        {
            _network.Transmit(this, socket, destination, datagram);
        }
    }

    /// <summary>What the network carries in one piece from this node, in bytes of an IP packet.</summary>
    public int LinkMtu { get; set; } = 1500;

    /// <summary>Longer IP packets from this node are lost without a word, in bytes.</summary>
    public int Hole { get; set; } = int.MaxValue;

    public bool SendWhole(int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        if (datagram.Length + 28 > LinkMtu)
        {
            return false;
        }

        SendDatagram(socket, destination, datagram);
        return true;
    }

    public int MtuHint(TransportAddress destination) => LinkMtu;

    public int OpenSocket()
    {
        _sockets.Add(++_lastSocket);
        return _lastSocket;
    }

    public void CloseSocket(int socket) => _sockets.Remove(socket);

    /// <summary>Sockets that are open beside the node's own and the one that measures the NAT.</summary>
    public int FurtherSockets => _sockets.Count - (Inside.Parts.NatProber.HasSocket ? 1 : 0);

    /// <summary>How long the site's NAT keeps what nothing passes by.</summary>
    public TimeSpan NatLifetime
    {
        get => Nat.Lifetime;
        set => Nat.Lifetime = value;
    }

    /// <summary>Whether who connects to the site unasked is refused at once; else he hears nothing.</summary>
    public bool RefusesStrangers
    {
        get => Nat.RefusesStrangers;
        set => Nat.RefusesStrangers = value;
    }

    /// <summary>Whether the site's NAT shows one port for all connections.</summary>
    public bool HasOneTcpPort
    {
        get => Nat.HasOneTcpPort;
        set => Nat.HasOneTcpPort = value;
    }

    internal void ForgetNat(bool moves) => Host.Lan.Gateway!.Forget(_network.Now, moves);

    /// <summary>The machine's port of a socket.</summary>
    internal static ushort PortOf(int socket) => (ushort)(socket == 0 ? Port : FirstFurther + (socket % Further));

    /// <summary>The socket of a port; one that is not open if the port is nobody's.</summary>
    internal static int SocketOf(ushort port) => port == Port ? 0 : port - FirstFurther;

    internal bool IsOpen(int socket) => socket == 0 || _sockets.Contains(socket);

    public void Meet(TransportAddress endpoint, bool isClient) => _network.Meet(this, endpoint);

    public void Redial(TransportAddress endpoint) => _network.Redial(this, endpoint);

    public void HangUp(TransportAddress endpoint) => _network.HangUp(this, endpoint);

    public bool ComesFromListener(TransportAddress endpoint) => _network.ComesFromListener(this, endpoint);

    public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet, bool lacksChecksum) => Delivered.Add((source, packet.ToArray()));
}
