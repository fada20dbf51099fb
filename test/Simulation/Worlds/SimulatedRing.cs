using Brunet.Addressing;
using Ipop.Addresses;
using Testing.Simulation;

namespace Simulation.Worlds;

/// <summary>
/// A ring of some size in a world with round trips of 100 ms, and the truth about it: who stands next to whom. Three nodes are the pool's
/// bootstrap list; of the others three of four are behind port-restricted NATs.
/// </summary>
internal sealed class SimulatedRing
{
    /// <summary>Nodes on the pool's bootstrap list, which are the world's first.</summary>
    private const int Bootstraps = 3;

    /// <summary>
    /// Most nodes that are switched on in a second while the ring is small. Each of them is a neighbour of the whole bootstrap list for its first
    /// twenty seconds, and many at once take each other's places on the ring, so that a larger wave costs each of them more.
    /// </summary>
    private const int LargestWave = 50;

    /// <summary>
    /// A ring of more than 150 such waves takes that share of its size a second, so that what the standing ones send meanwhile, which has nothing to do
    /// with forming, stays in bounds: 66 a second at 10,000 nodes. Each that joins has the bootstrap list hand on 37 kB for it, and each of its three
    /// machines hands on 1 MB a second at most: beyond 80 a second in all, frames are refused and go again, and a node costs three times the events.
    /// </summary>
    private const int LargestShare = 150;

    /// <summary>Nodes between two words on how large the ring has grown.</summary>
    private const int Milestone = 1000;

    /// <summary>Bytes of the IPv4 and UDP headers.</summary>
    private const int HeaderSize = 28;

    /// <summary>Of the pool, which is open.</summary>
    internal static readonly Subnet Subnet = Subnet.Parse("10.0.0.0/8");

    /// <summary>The product's own rule of who owns what.</summary>
    internal static readonly RecordPolicy Policy = new(Subnet, isOpen: true);

    private readonly TransportAddress[] _list;
    private readonly int _firsts;
    private SimulatedNode[]? _order;

    /// <param name="seed">The run.</param>
    /// <param name="firsts">How many of the bootstrap list may make a ring of their own.</param>
    public SimulatedRing(int seed, int firsts = 1)
    {
        _firsts = firsts;
        Random = new Random(seed);
        Network = new SimulatedNetwork(seed) { Latency = SimulatedLatencies.HundredMilliseconds };
        _list = new TransportAddress[Bootstraps];
        for (int i = 0; i < Bootstraps; i++)
        {
            _list[i] = SimulatedNetwork.EndpointOf(i);
        }
    }

    public SimulatedNetwork Network { get; }

    /// <summary>Chance of the scenario; the nodes have their own.</summary>
    public Random Random { get; }

    /// <summary>The living nodes in the order of the ring.</summary>
    public SimulatedNode[] Order => _order ??= Sort();

    /// <summary>Switches a node on.</summary>
    public SimulatedNode Add()
    {
        _order = null;
        int index = Network.Nodes.Count;
        NatKind nat = index < Bootstraps || index % 4 == 0 ? NatKind.None : NatKind.PortRestricted;
        return Network.Add(nat, Policy, _list, isFirst: index < _firsts);
    }

    /// <summary>Lets a ring of a size form: waves of nodes, a second each.</summary>
    /// <param name="size">Nodes.</param>
    /// <param name="isFormed">What to wait for in the end, three virtual minutes at most.</param>
    /// <param name="say">Takes lines for people.</param>
    public TimeSpan? Grow(int size, Func<bool> isFormed, Action<string> say)
    {
        while (Network.Nodes.Count < size)
        {
            int wave = Math.Min(Wave(Network.Nodes.Count, size), size - Network.Nodes.Count);
            for (int i = 0; i < wave; i++)
            {
                Add();
                Network.Run(TimeSpan.FromSeconds(1.0 / wave));
                if (Network.Nodes.Count % Milestone == 0)
                {
                    say(FormattableString.Invariant($"{Network.Nodes.Count:N0} nodes at {Network.Now.TotalSeconds:0} s; {Network.Events:N0} events"));
                }
            }
        }

        return Network.RunUntil(isFormed, TimeSpan.FromMinutes(3), TimeSpan.FromSeconds(1));
    }

    /// <summary>Switches a node off without a goodbye.</summary>
    public void Kill(SimulatedNode node)
    {
        node.Kill();
        _order = null;
    }

    /// <summary>A machine that was switched off goes on as after a suspension; its NAT has forgotten it, and gives it another port.</summary>
    public void Wake(SimulatedNode node)
    {
        SimulatedNetwork.Forget(node, moves: true);
        Network.Wake(node);
        _order = null;
    }

    /// <summary>Switches a copy of a machine on, which has its key. The order of the ring names the address once until one of the two is switched off.</summary>
    public SimulatedNode Copy(SimulatedNode original)
    {
        _ = Order;
        return Network.AddCopy(original, NatKind.PortRestricted, Policy);
    }

    /// <summary>Living nodes by chance, none of them of the bootstrap list.</summary>
    public SimulatedNode[] SomeButTheList(int count)
    {
        SimulatedNode[] nodes = Array.FindAll(Order, node => node.Index >= Bootstraps);
        Random.Shuffle(nodes);
        return nodes[..Math.Min(count, nodes.Length)];
    }

    /// <summary>A living node by chance.</summary>
    public SimulatedNode Any() => Order[Random.Next(Order.Length)];

    /// <summary>Share of the living nodes that are linked to their true neighbours on both sides.</summary>
    public double ShareInPlace() => RingTruth.ShareInPlace(Order);

    /// <summary>Whether every living node is linked to its true neighbours on both sides.</summary>
    public bool IsWhole() => RingTruth.IsWhole(Order);

    /// <summary>Bytes that all nodes sent until now, IPv4 and UDP headers counted.</summary>
    public long SentBytes()
    {
        long bytes = 0;
        foreach (SimulatedNode node in Network.Nodes)
        {
            bytes += SentBytes(node);
        }

        return bytes;
    }

    /// <summary>Bytes that a node sent until now, IPv4 and UDP headers counted.</summary>
    public static long SentBytes(SimulatedNode node) => node.SentBytes + (HeaderSize * node.SentDatagrams);

    /// <summary>Announcements of notices that all nodes got, and pieces.</summary>
    public (int Heads, int Pieces) Heard()
    {
        (int heads, int pieces) = (0, 0);
        foreach (SimulatedNode node in Network.Nodes)
        {
            heads += node.HeardOfNotices.Heads;
            pieces += node.HeardOfNotices.Pieces;
        }

        return (heads, pieces);
    }

    /// <summary>Sends a packet from a living node to a position, and follows it.</summary>
    public SimulatedProbe Lookup(SimulatedNode origin, NodeAddress position) =>
        Network.Probe(origin, position, exact: false, RingTruth.Nearest(Order, position));

    /// <summary>A position by chance.</summary>
    public NodeAddress AnyPosition()
    {
        Span<byte> bytes = stackalloc byte[NodeAddress.Size];
        Random.NextBytes(bytes);
        return NodeAddress.Read(bytes);
    }

    /// <summary>Nodes that are switched on in a second: half of the ring before them while it is tiny, fewer where the whole is to be small.</summary>
    private static int Wave(int nodes, int size)
    {
        int most = Math.Max(LargestWave, nodes / LargestShare);
        return Math.Clamp(nodes / 2, 1, Math.Min((size / 20) + 5, most));
    }

    private SimulatedNode[] Sort() => RingTruth.Sort(Network.Nodes.FindAll(node => node.IsAlive));
}
