using System.Net;
using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;

namespace Testing.Simulation;

/// <summary>
/// A world of nodes in virtual time: latency, loss, NATs, deaths. The nodes are the product's own; a run is its seed.
/// </summary>
public sealed class SimulatedNetwork(int seed, double loss = 0)
{
    private const ushort Port = 4433;

    private readonly Random _random = new(seed);
    private readonly PriorityQueue<Action, (TimeSpan At, long Order)> _events = new();
    private readonly Dictionary<uint, SimulatedNode> _byPublicAddress = [];
    private long _order;

    /// <summary>Virtual time since the beginning.</summary>
    public TimeSpan Now { get; private set; }

    public SimulatedAuthority Authority { get; } = new();

    public List<SimulatedNode> Nodes { get; } = [];

    /// <summary>Datagrams that were sent.</summary>
    public long Datagrams { get; private set; }

    /// <summary>Handshakes that were begun, by clients.</summary>
    public long Handshakes { get; private set; }

    /// <summary>Added to every way.</summary>
    public TimeSpan ExtraLatency { get; set; }

    /// <summary>Sees every datagram on the wire and says whether it goes on; null lets all go.</summary>
    public Func<SimulatedNode, TransportAddress, byte[], bool>? Wire { get; set; }

    /// <summary>Where the first node listens.</summary>
    public TransportAddress FirstEndpoint => Nodes[0].PublicEndpoint;

    /// <summary>Switches a node on. The first is the pool's first node; the others know its endpoint. In a closed pool it may begin without a certificate.</summary>
    public SimulatedNode Add(NatKind nat, IRecordPolicy policy, bool isOpen = true, bool certified = true)
    {
        ArgumentNullException.ThrowIfNull(policy);
        uint address = (198u << 24) | (18u << 16) | (uint)(Nodes.Count + 1);
        var identity = new SimulatedIdentity(_random);
        if (!isOpen && certified)
        {
            identity.Certificate = Authority.Issue(
                identity.Address, new IPAddress([10, 128, (byte)(Nodes.Count >> 8), (byte)(Nodes.Count + 1)]), $"n{Nodes.Count}", Nodes.Count == 0);
        }

        bool isFirst = Nodes.Count == 0;
        var settings = new NodeSettings(new byte[32], isFirst ? [] : [FirstEndpoint], isFirst, isOpen);
        var site = new SimulatedNat(nat, address, Port, _random);
        var node = new SimulatedNode(this, site, TransportAddress.FromIPv4(address, Port), identity, settings);
        _byPublicAddress.Add(address, node);
        Nodes.Add(node);
        Start(node, policy);
        return node;
    }

    /// <summary>Switches a node off and on again: it has its key, and has forgotten everything else.</summary>
    public void Restart(SimulatedNode node, IRecordPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(node);
        node.Lives++;
        Start(node, policy);
    }

    /// <summary>Lets virtual time pass.</summary>
    public void Run(TimeSpan duration) => RunUntil(() => false, duration);

    /// <summary>Lets time pass until something holds, and tells after how long; null if it never did.</summary>
    public TimeSpan? RunUntil(Func<bool> condition, TimeSpan limit)
    {
        TimeSpan start = Now;
        TimeSpan nextLook = Now;
        while (_events.TryPeek(out _, out (TimeSpan At, long Order) next) && next.At <= start + limit)
        {
            if (next.At >= nextLook)
            {
                if (condition())
                {
                    return Now - start;
                }

                nextLook = next.At + TimeSpan.FromMilliseconds(10);
            }

            Action action = _events.Dequeue();
            Now = next.At;
            action();
        }

        Now = start + limit;
        return condition() ? limit : null;
    }

    internal void Transmit(SimulatedNode from, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        Datagrams++;
        TransportAddress source = from.Nat.Outbound(Now, destination);
        if (!destination.IsIPv4 || !_byPublicAddress.TryGetValue(destination.IPv4, out SimulatedNode? to) || _random.NextDouble() < loss)
        {
            return;
        }

        byte[] copy = datagram.ToArray();
        if (Wire is { } wire && !wire(from, destination, copy))
        {
            return;
        }

        double jitter = _random.NextDouble() * 2;
        var latency = TimeSpan.FromMilliseconds(5 + (Math.Abs(from.Latency - to.Latency) * 40) + jitter);
        Schedule(Now + latency + ExtraLatency, () =>
        {
            if (to.IsAlive && to.Nat.Admits(Now, source, destination.Port))
            {
                to.Node.ReceiveDatagram(Now, source, copy);
            }
        });
    }

    internal double NextLatency() => _random.NextDouble();

    private void Start(SimulatedNode node, IRecordPolicy policy)
    {
        node.Node = new Node(
            node.Settings,
            node.Identity,
            new SimulatedHandshakeProvider(node.Identity, Authority, _random, () => Handshakes++),
            node.Settings.IsOpen ? null : Authority,
            policy,
            node,
            _random);
        ScheduleTick(node, node.Lives, Now);
    }

    private void ScheduleTick(SimulatedNode node, int life, TimeSpan at) => Schedule(at, () =>
    {
        if (node.IsAlive && node.Lives == life)
        {
            node.Node.Tick(Now);
            ScheduleTick(node, life, node.Node.NextTick);
        }
    });

    private void Schedule(TimeSpan at, Action action) => _events.Enqueue(action, (at, _order++));
}

/// <summary>One node of the simulated world.</summary>
public sealed class SimulatedNode : INodeOutput
{
    private readonly SimulatedNetwork _network;

    internal SimulatedNode(SimulatedNetwork network, SimulatedNat nat, TransportAddress publicEndpoint, SimulatedIdentity identity, NodeSettings settings)
    {
        Settings = settings;
        _network = network;
        Nat = nat;
        PublicEndpoint = publicEndpoint;
        Identity = identity;
        Latency = network.NextLatency();
    }

    public Node Node { get; internal set; } = null!;

    public SimulatedIdentity Identity { get; }

    public TransportAddress PublicEndpoint { get; }

    public bool IsAlive { get; private set; } = true;

    /// <summary>Packets of the virtual network that arrived, with their proven senders.</summary>
    public List<(PeerIdentity Source, byte[] Packet)> Delivered { get; } = [];

    internal SimulatedNat Nat { get; }

    internal NodeSettings Settings { get; }

    /// <summary>Counts the restarts, so that an earlier life's timers fall silent.</summary>
    internal int Lives { get; set; }

    internal double Latency { get; }

    /// <summary>Switches the node off, as a power cut does.</summary>
    public void Kill() => IsAlive = false;

    /// <summary>The path kind that this node uses to another now; null without a session.</summary>
    public PathKind? PathTo(SimulatedNode other)
    {
        ArgumentNullException.ThrowIfNull(other);
        foreach (PeerStatus peer in Node.Peers(_network.Now))
        {
            if (peer.Identity.Address == other.Identity.Address)
            {
                return peer.Path;
            }
        }

        return null;
    }

    public void SendDatagram(TransportAddress destination, ReadOnlySpan<byte> datagram) => _network.Transmit(this, destination, datagram);

    public void Deliver(TimeSpan now, PeerIdentity source, ReadOnlySpan<byte> packet) => Delivered.Add((source, packet.ToArray()));
}
