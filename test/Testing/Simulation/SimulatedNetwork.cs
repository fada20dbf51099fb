using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Net;
using Brunet;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation.Sites;

namespace Testing.Simulation;

/// <summary>
/// A world of nodes in virtual time: latency, loss, NATs, deaths. The nodes are the product's own; a run is its seed.
/// </summary>
public sealed partial class SimulatedNetwork(int seed, double loss = 0)
{
    private const ushort Port = SimulatedNode.Port;

    /// <summary>How long a datagram takes to a machine of the same network.</summary>
    private static readonly TimeSpan Near = TimeSpan.FromMilliseconds(0.5);

    private readonly Random _random = new(seed);
    private readonly SimulatedSchedule _events = new();
    private readonly Stack<SimulatedEvent> _spare = [];
    private readonly RunDigest _digest = new();
    private readonly List<SimulatedNode> _lookedAt = [];
    private SimulatedSites? _sites;
    private SimulatedProbe? _probe;
    private int _probeSteps;

    /// <summary>What all networks lead to.</summary>
    public SimulatedLan Internet { get; } = new();

    /// <summary>Sites to switch nodes on at.</summary>
    public SimulatedSites Sites => _sites ??= new SimulatedSites(Internet, _random);

    /// <summary>Virtual time since the beginning.</summary>
    public TimeSpan Now { get; private set; }

    public SimulatedAuthority Authority { get; } = new();

    public List<SimulatedNode> Nodes { get; } = [];

    /// <summary>Datagrams that were sent.</summary>
    public long Datagrams { get; private set; }

    /// <summary>Datagrams that arrived and ticks.</summary>
    public long Events { get; private set; }

    /// <summary>Handshakes that were begun, by clients.</summary>
    public long Handshakes { get; private set; }

    /// <summary>Datagrams that were sent to <see cref="Group"/>.</summary>
    public long Multicasts { get; private set; }

    /// <summary>A number made of every datagram's time, ends and bytes: two runs of one seed have the same.</summary>
    public ulong Digest => _digest.Value;

    /// <summary>Share of the datagrams that are lost.</summary>
    public double Loss { get; set; } = loss;

    /// <summary>Added to every way.</summary>
    public TimeSpan ExtraLatency { get; set; }

    /// <summary>How long the ways are.</summary>
    public SimulatedLatency Latency { get; set; } = SimulatedLatencies.Line;

    /// <summary>Sees every datagram on the wire and says whether it goes on; null lets all go.</summary>
    public Func<SimulatedNode, TransportAddress, byte[], bool>? Wire { get; set; }

    /// <summary>Makes the handshakes of nodes that are switched on from now on; null for the cheap stand-in.</summary>
    public Func<SimulatedIdentity, IHandshakeProvider>? HandshakesOf { get; set; }

    /// <summary>Whether sessions of nodes that are switched on from now on are sealed by a cheap stand-in instead of AES-256-GCM.</summary>
    public bool HasCheapSessions { get; set; }

    /// <summary>Whether nodes that are added from now on seal ESP once.</summary>
    public bool SealsEspOnce { get; set; } = true;

    /// <summary>Bytes a second that nodes that are added from now on hand on for others at most; null for what a node does by itself.</summary>
    public int? RelayRate { get; set; }

    /// <summary>Says whether two sites are parted; null if none are.</summary>
    public Func<SimulatedNode, SimulatedNode, bool>? IsParted { get; set; }

    /// <summary>Whether nodes behind NATs listen for TCP, too, at a private address. Set it before they are added.</summary>
    public bool AllListen { get; set; }

    /// <summary>Says whether one site's multicast reaches another; null: there is none. Set it before the nodes that use it are added.</summary>
    public Func<SimulatedNode, SimulatedNode, bool>? Lan { get; set; }

    /// <summary>The group of all nodes with multicast.</summary>
    public static TransportAddress Group { get; } = TransportAddress.FromIPv4(0xefff574f, Port);

    /// <summary>Where the first node listens.</summary>
    public TransportAddress FirstEndpoint => Nodes[0].PublicEndpoint;

    /// <summary>What all nodes together refused of a kind, since each was switched on.</summary>
    public long Refused(Full collection) => Nodes.Sum(node => node.Inside.Refusals[collection]);

    /// <summary>Switches a node on. The first is the pool's first node; the others know its endpoint. In a closed pool it may begin without a certificate.</summary>
    public SimulatedNode Add(NatKind nat, IRecordPolicy policy, bool isOpen = true, bool certified = true)
    {
        bool isFirst = Nodes.Count == 0;
        return Add(nat, policy, isFirst ? [] : [FirstEndpoint], isFirst, isOpen, certified);
    }

    /// <summary>Switches a node on that knows a bootstrap list of its own.</summary>
    public SimulatedNode Add(
        NatKind nat, IRecordPolicy policy, IReadOnlyList<TransportAddress> bootstrap, bool isFirst, bool isOpen = true, bool certified = true)
    {
        ArgumentNullException.ThrowIfNull(policy);
        var identity = new SimulatedIdentity(_random);
        if (!isOpen && certified)
        {
            identity.Certificate = Authority.Issue(
                identity.Address, new IPAddress([10, 128, (byte)(Nodes.Count >> 8), (byte)(Nodes.Count + 1)]), $"n{Nodes.Count}", Nodes.Count == 0);
        }

        var settings = new NodeSettings(new byte[32], bootstrap, isFirst, isOpen) { Group = Lan is null ? null : Group, SealsEspOnce = SealsEspOnce };
        return Add(nat, policy, identity, settings with { RelayRate = RelayRate ?? settings.RelayRate });
    }

    /// <summary>Switches a copy of a node's machine on, elsewhere: it has its key.</summary>
    public SimulatedNode AddCopy(SimulatedNode original, NatKind nat, IRecordPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(original);
        NodeSettings settings = original.Settings with { Bootstrap = [FirstEndpoint] };
        return Add(nat, policy, original.Identity, settings);
    }

    private SimulatedNode Add(NatKind nat, IRecordPolicy policy, SimulatedIdentity identity, NodeSettings settings)
    {
        TransportAddress outside = EndpointOf(Nodes.Count);
        var gateway = new SimulatedGateway(Internet, outside, nat, _random) { Hairpins = true };
        var inside = TransportAddress.FromIPv4((10u << 24) | (outside.IPv4 & 0xffff), 0);
        return Add(new SimulatedHost(gateway.Inner, gateway.Nat.Translates ? inside : SimulatedLan.Bare(outside)), outside, policy, identity, settings);
    }

    /// <summary>Switches a node on at one of the known sites. It knows its machine's own addresses, as under the daemon.</summary>
    public SimulatedNode Add(SimulatedHost host, IRecordPolicy policy, IReadOnlyList<TransportAddress> bootstrap, bool isFirst = false)
    {
        ArgumentNullException.ThrowIfNull(host);
        var settings = new NodeSettings(new byte[32], bootstrap, isFirst, IsOpen: true) { Group = Lan is null ? null : Group, SealsEspOnce = SealsEspOnce };
        return Add(host, host.Outside with { Port = Port }, policy, new SimulatedIdentity(_random), settings, knowsItself: true);
    }

    private SimulatedNode Add(
        SimulatedHost host, TransportAddress outside, IRecordPolicy policy, SimulatedIdentity identity, NodeSettings settings, bool knowsItself = false)
    {
        var node = new SimulatedNode(this, Nodes.Count, host, outside, identity, settings) { KnowsItself = knowsItself };
        host.Node = node;
        Nodes.Add(node);
        Start(node, policy);
        return node;
    }

    /// <summary>Where the node of an index listens or will listen.</summary>
    public static TransportAddress EndpointOf(int index) => TransportAddress.FromIPv4((198u << 24) | (18u << 16) | (uint)(index + 1), Port);

    /// <summary>Switches a node off and on again: it has its key, and has forgotten everything else.</summary>
    public void Restart(SimulatedNode node, IRecordPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(node);
        node.Lives++;
        node.Revive();
        Start(node, policy);
    }

    /// <summary>The node's NAT loses its state. One that moves has another port for the node then.</summary>
    public static void Forget(SimulatedNode node, bool moves = false)
    {
        ArgumentNullException.ThrowIfNull(node);
        node.ForgetNat(moves);
        node.Network.ForgetConnections(node);
    }

    /// <summary>A node that was switched off goes on where it was, as after a suspension.</summary>
    public void Wake(SimulatedNode node)
    {
        ArgumentNullException.ThrowIfNull(node);
        node.Lives++;
        node.Revive();
        node.TickAt = TimeSpan.MaxValue;
        SimulatedMapper.Begin(node, _random, () => Now, (wait, deed) => Later(node, node, wait, deed));
        LookAt(node);
    }

    /// <summary>Sends a routed packet that only the simulator sees and that it follows: to one node, or to whoever stands nearest.</summary>
    /// <param name="origin">Who sends it.</param>
    /// <param name="target">The position that it is sent to.</param>
    /// <param name="exact">Whether only the node with this address may have it.</param>
    /// <param name="goal">The node that should get it.</param>
    public SimulatedProbe Probe(SimulatedNode origin, NodeAddress target, bool exact, SimulatedNode goal)
    {
        ArgumentNullException.ThrowIfNull(origin);
        _probe = new SimulatedProbe(goal, Now);
        _probeSteps = 0;
        SimulatedProbe probe = _probe;

        // Nothing follows from an empty reply or question, and neither is answered.
        origin.Inside.Parts.GreedyRouter.Originate(Now, exact, exact ? RoutedType.Reply : RoutedType.Fetch, target, default, []);
        _probe = null;
        return probe;
    }

    /// <summary>Lets virtual time pass.</summary>
    public void Run(TimeSpan duration) => RunUntil(() => false, duration);

    /// <summary>Lets time pass until something holds, and tells after how long; null if it never did.</summary>
    public TimeSpan? RunUntil(Func<bool> condition, TimeSpan limit) => RunUntil(condition, limit, TimeSpan.FromMilliseconds(10));

    /// <summary>Lets time pass until something holds, which is looked at from time to time.</summary>
    public TimeSpan? RunUntil(Func<bool> condition, TimeSpan limit, TimeSpan interval)
    {
        ArgumentNullException.ThrowIfNull(condition);
        TimeSpan start = Now;
        TimeSpan nextLook = Now;
        WatchLookedAt();
        while (_events.Peek() is { } next && next.At <= start + limit)
        {
            if (next.At >= nextLook)
            {
                if (condition())
                {
                    return Now - start;
                }

                nextLook = next.At + interval;
                WatchLookedAt();
                continue;
            }

            _events.Remove();
            Now = next.At;
            Events++;
            Happen(next);
            next.Probe = null;
            _spare.Push(next);
        }

        Now = start + limit;
        return condition() ? limit : null;
    }

    internal void Transmit(SimulatedNode from, int socket, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        Datagrams++;
        from.SentDatagrams++;
        from.SentBytes += datagram.Length;
        if (datagram.Length + 28 > from.Hole)
        {
            return;
        }

        if (destination == Group)
        {
            TransmitToGroup(from, datagram);
            return;
        }

        if (!TryRoute(from, socket, destination, datagram, out ISimulatedStation? station, out TransportAddress source, out TimeSpan setUp)
            || station.Any.Node is not { } to || IsParted?.Invoke(from, to) == true)
        {
            return;
        }

        byte[] copy = ArrayPool<byte>.Shared.Rent(datagram.Length);
        datagram.CopyTo(copy);
        if (Wire is { } wire && !wire(from, destination, copy[..datagram.Length]))
        {
            ArrayPool<byte>.Shared.Return(copy);
            return;
        }

        SimulatedEvent arrival = NewEvent(to);
        arrival.Datagram = copy;
        arrival.Length = datagram.Length;
        arrival.Source = source;
        (arrival.Destination, arrival.Station) = (destination, station);
        if (_probe is { } probe && datagram.Length >= probe.Size)
        {
            probe.Size = probe.Size == 0 ? datagram.Length : probe.Size;
            probe.LastSentTo = to;
            arrival.Probe = probe;
            arrival.Steps = _probeSteps + 1;
        }

        TimeSpan way = Latency(from.Place, to.Place, _random.NextDouble()) + ExtraLatency + setUp;
        _events.Add(arrival, Now + (station is SimulatedHost near && near.Lan == from.Host.Lan && near != from.Host ? Near : way));
    }

    private void TransmitToGroup(SimulatedNode from, ReadOnlySpan<byte> datagram)
    {
        Multicasts++;
        _digest.Add(Now, from.PublicEndpoint, Group, datagram);
        foreach (SimulatedNode to in Nodes)
        {
            if (to == from || Lan?.Invoke(from, to) != true || _random.NextDouble() < Loss)
            {
                continue;
            }

            SimulatedEvent arrival = NewEvent(to);
            arrival.Datagram = ArrayPool<byte>.Shared.Rent(datagram.Length);
            datagram.CopyTo(arrival.Datagram);
            arrival.Length = datagram.Length;
            arrival.Source = from.Host.Addresses[0] with { Port = Port };
            arrival.IsMulticast = true;
            _events.Add(arrival, Now + Latency(from.Place, to.Place, _random.NextDouble()) + ExtraLatency);
        }
    }

    /// <summary>Lets something happen at a node when a packet from another one is there, or some time later.</summary>
    private void Later(SimulatedNode from, SimulatedNode at, TimeSpan wait, Action deed)
    {
        SimulatedEvent happening = NewEvent(at);
        happening.Deed = deed;
        _events.Add(happening, Now + wait + (from == at ? default : Latency(from.Place, at.Place, _random.NextDouble()) + ExtraLatency));
    }

    /// <summary>Where a frame goes and what its source looks like there; false if it is lost. Set-up is the time that a new connection takes.</summary>
    private bool TryRoute(
        SimulatedNode from, int socket, TransportAddress destination, ReadOnlySpan<byte> frame, [NotNullWhen(true)] out ISimulatedStation? station,
        out TransportAddress source, out TimeSpan setUp)
    {
        setUp = default;
        if (destination.Protocol != TransportProtocol.Udp)
        {
            bool isThere = _tcp.TryRoute(Now, from, destination, out SimulatedNode to, out source, out bool isNew, Later);
            setUp = isNew ? 2 * Latency(from.Place, to.Place, _random.NextDouble()) : default;
            _digest.Add(Now, source, destination, frame);
            station = to.Host;
            return isThere;
        }

        station = from.Host.Find(destination, out int gates);
        bool passes = from.Host.Leave(Now, SimulatedNode.PortOf(socket), destination, gates, out source);
        _digest.Add(Now, source, destination, frame);
        if (passes && station is null)
        {
            // Nobody is there, but who watches the wire sees it go.
            Wire?.Invoke(from, destination, frame.ToArray());
        }

        return passes && station is not null && _random.NextDouble() >= Loss;
    }

    internal double NextPlace() => _random.NextDouble();

    private void Happen(SimulatedEvent happening)
    {
        SimulatedNode node = happening.Node;
        if (happening.Deed is { } deed)
        {
            happening.Deed = null;
            deed();
            Watch(node);
            return;
        }

        if (happening.Datagram is not { } datagram)
        {
            if (node.Lives == happening.Life && node.TickAt == Now)
            {
                node.TickAt = TimeSpan.MaxValue;
                Watch(node);
            }

            return;
        }

        if (happening.IsMulticast)
        {
            happening.IsMulticast = false;
            if (node.IsAlive)
            {
                node.Inside.ReceiveMulticast(Now, happening.Source, datagram.AsSpan(0, happening.Length));
            }
        }
        else if (Receiver(happening, out int socket) is { IsAlive: true } receiver && receiver.IsOpen(socket))
        {
            _probe = happening.Probe;
            _probeSteps = happening.Steps;
            _probe?.OnArrival(Now, receiver, _probeSteps);
            receiver.Inside.ReceiveDatagram(Now, happening.Source, datagram.AsSpan(0, happening.Length), socket);
            _probe = null;
            if (receiver != node)
            {
                Watch(receiver);
            }
        }

        ArrayPool<byte>.Shared.Return(datagram);
        happening.Datagram = null;
        Watch(node);
    }

    /// <summary>Who gets a datagram that has come to a station, and by which of its sockets; null if nobody does.</summary>
    private SimulatedNode? Receiver(SimulatedEvent happening, out int socket)
    {
        socket = 0;
        if (happening.Source.Protocol != TransportProtocol.Udp)
        {
            return happening.Node;
        }

        SimulatedNode? node = happening.Station.Enter(Now, happening.Source, happening.Destination, out TransportAddress inside)?.Node;
        socket = SimulatedNode.SocketOf(inside.Port);
        return node;
    }

    /// <summary>Somebody outside takes hold of a node.</summary>
    internal void LookAt(SimulatedNode node)
    {
        if (!node.IsLookedAt)
        {
            node.IsLookedAt = true;
            _lookedAt.Add(node);
        }
    }

    private void WatchLookedAt()
    {
        for (int i = 0; i < _lookedAt.Count; i++)
        {
            _lookedAt[i].IsLookedAt = false;
            Watch(_lookedAt[i]);
        }

        _lookedAt.Clear();
    }

    /// <summary>Lets a node tick if it wants to, and puts its next tick on the list.</summary>
    private void Watch(SimulatedNode node)
    {
        if (!node.IsAlive)
        {
            return;
        }

        if (node.Inside.NextTick <= Now)
        {
            node.Inside.Tick(Now);
        }

        TimeSpan next = node.Inside.NextTick;
        if (next < node.TickAt)
        {
            node.TickAt = next;
            SimulatedEvent tick = NewEvent(node);
            tick.Life = node.Lives;
            _events.Add(tick, next);
        }
    }

    private void Start(SimulatedNode node, IRecordPolicy policy)
    {
        node.StartedAt = Now;
        node.Policy = policy;
        node.Inside = new Node(
            node.Settings,
            node.Identity,
            HandshakesOf?.Invoke(node.Identity) ?? new SimulatedHandshakeProvider(node.Identity, Authority, _random, () => Handshakes++, HasCheapSessions),
            node.Settings.IsOpen ? null : new SimulatedVerifier(Authority, node.Identity),
            policy,
            node,
            _random,
            new SimulatedHardware(_random));
        if (node.OwnEndpoints(AllListen) is { Count: > 0 } own)
        {
            node.Inside.SetLocalEndpoints(Now, own);
        }

        node.TickAt = TimeSpan.MaxValue;
        SimulatedMapper.Begin(node, _random, () => Now, (wait, deed) => Later(node, node, wait, deed));
        LookAt(node);
    }

    private SimulatedEvent NewEvent(SimulatedNode node)
    {
        SimulatedEvent happening = _spare.TryPop(out SimulatedEvent? spare) ? spare : new SimulatedEvent();
        happening.Node = node;
        return happening;
    }
}
