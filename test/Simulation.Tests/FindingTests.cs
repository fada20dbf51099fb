using Brunet.Addressing;
using Simulation.Worlds;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Nodes that find the ring without a living bootstrap: by multicast on their network, by peers that they remember.</summary>
public sealed class FindingTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    /// <summary>Nobody ever has this address.</summary>
    private static readonly TransportAddress Dead = SimulatedNetwork.EndpointOf(60_000);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void On_one_network_two_nodes_find_each_other_by_multicast_within_a_second(int seed)
    {
        var world = new SimulatedNetwork(seed) { Lan = (_, _) => true };
        SimulatedNode first = world.Add(NatKind.None, Policy, [], isFirst: true);
        world.Run(TimeSpan.FromSeconds(1));
        SimulatedNode second = world.Add(NatKind.None, Policy, [Dead], isFirst: false);
        TimeSpan? took = world.RunUntil(() => second.Node.IsJoined && second.IsLinkedTo(first), TimeSpan.FromSeconds(10));
        output.WriteLine($"joined after {took}");
        Assert.InRange(took ?? TimeSpan.MaxValue, default, TimeSpan.FromSeconds(1));
    }

    [Fact]
    public void Two_first_nodes_on_one_network_are_one_ring_soon()
    {
        var world = new SimulatedNetwork(seed: 4) { Lan = (_, _) => true };
        SimulatedNode one = world.Add(NatKind.None, Policy, [], isFirst: true);
        SimulatedNode other = world.Add(NatKind.None, Policy, [], isFirst: true);
        Assert.NotNull(world.RunUntil(() => one.IsLinkedTo(other) && other.IsLinkedTo(one), TimeSpan.FromSeconds(2)));
    }

    [Fact]
    public void Multicast_does_not_leave_the_network_and_a_lonely_node_calls_ever_more_seldom()
    {
        var world = new SimulatedNetwork(seed: 5) { Lan = (from, to) => from.Index % 2 == to.Index % 2 };
        world.Add(NatKind.None, Policy, [], isFirst: true);
        SimulatedNode lonely = world.Add(NatKind.None, Policy, [], isFirst: false);
        world.Run(TimeSpan.FromMinutes(10));
        Assert.False(lonely.Node.IsJoined);
        long before = lonely.SentDatagrams;
        world.Run(TimeSpan.FromMinutes(10));
        output.WriteLine($"{before} datagrams in ten minutes, {lonely.SentDatagrams - before} in the next ten");
        Assert.InRange(lonely.SentDatagrams - before, 10, 60);
    }

    [Fact]
    public void Of_a_hundred_members_on_one_network_few_answer_a_call()
    {
        var world = new SimulatedNetwork(seed: 6) { Lan = (_, _) => true };
        for (int i = 0; i < 100; i++)
        {
            world.Add(NatKind.None, Policy);
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        world.Run(TimeSpan.FromSeconds(30));
        var took = new List<TimeSpan>();
        var answered = new List<int>();
        for (int i = 0; i < 20; i++)
        {
            SimulatedNode late = world.Add(NatKind.None, Policy, [Dead], isFirst: false);
            HashSet<int> answering = [];
            world.Wire = (from, destination, datagram) =>
            {
                if (destination == late.PublicEndpoint && datagram[0] == 0x10 && !late.Node.IsJoined)
                {
                    answering.Add(from.Index);
                }

                return true;
            };
            took.Add(world.RunUntil(() => late.Node.IsJoined, TimeSpan.FromSeconds(20)) ?? TimeSpan.MaxValue);
            answered.Add(answering.Count);
            world.Run(TimeSpan.FromSeconds(5));
        }

        output.WriteLine($"answers {string.Join(' ', answered)}; joined after {string.Join(' ', took.Select(time => $"{time.TotalMilliseconds:F0}"))} ms");
        Assert.InRange(answered.Average(), 1, 10);
        Assert.All(took, time => Assert.InRange(time, default, TimeSpan.FromSeconds(5)));
    }

    [Theory]
    [InlineData(7)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(23)]
    [InlineData(28)]
    public void When_the_power_comes_back_a_network_of_forty_becomes_one_ring_by_multicast_alone(int seed)
    {
        var world = new SimulatedNetwork(seed) { Lan = (_, _) => true };
        for (int i = 0; i < 40; i++)
        {
            world.Add(NatKind.None, Policy, [Dead], isFirst: false);
        }

        TimeSpan? took = world.RunUntil(() => RingTruth.IsWhole(RingTruth.Sort([.. world.Nodes])), TimeSpan.FromSeconds(15));
        output.WriteLine($"whole after {took}, {world.Handshakes} handshakes begun, {world.Multicasts} datagrams to the group");
        Assert.NotNull(took);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_node_whose_bootstrap_is_dead_comes_back_by_its_remembered_peers(int seed)
    {
        SimulatedNetwork world = Ring(seed);
        SimulatedNode node = world.Nodes[5];
        IReadOnlyList<TransportAddress> remembered = node.Node.RememberablePeers();
        Assert.NotEmpty(remembered);
        Assert.DoesNotContain(world.FirstEndpoint, remembered);
        world.Nodes[0].Kill();
        node.Kill();
        world.Run(TimeSpan.FromSeconds(5));
        Assert.InRange(Restarted(world, node, remembered), default, TimeSpan.FromSeconds(5));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_first_node_that_restarts_rejoins_its_ring_by_its_remembered_peers(int seed)
    {
        SimulatedNetwork world = Ring(seed);
        SimulatedNode first = world.Nodes[0];
        IReadOnlyList<TransportAddress> remembered = first.Node.RememberablePeers();
        first.Kill();

        world.Run(TimeSpan.FromMinutes(2));

        // The others, whose bootstrap it is, shall not be who finds it.
        HashSet<TransportAddress> called = [];
        world.Wire = (from, destination, _) =>
        {
            if (from == first)
            {
                called.Add(destination);
            }

            return destination != first.PublicEndpoint || called.Contains(from.PublicEndpoint);
        };
        Assert.InRange(Restarted(world, first, remembered), default, TimeSpan.FromSeconds(3));
    }

    [Fact]
    public void Sixteen_remembered_and_dead_peers_keep_nobody_from_joining_and_cost_little()
    {
        SimulatedNetwork world = Ring(seed: 4);
        SimulatedNode node = world.Nodes[5];
        List<TransportAddress> dead = [.. Enumerable.Range(61_000, 16).Select(SimulatedNetwork.EndpointOf)];
        node.Kill();
        world.Run(TimeSpan.FromSeconds(5));
        TimeSpan took = Restarted(world, node, dead);
        Assert.InRange(took, default, TimeSpan.FromSeconds(1));
        SimulatedNode lonely = world.Add(NatKind.None, Policy, [], isFirst: false);
        lonely.Node.SetRemembered(dead);
        world.Run(TimeSpan.FromMinutes(1));
        long before = lonely.SentDatagrams;
        world.Run(TimeSpan.FromMinutes(10));
        long sent = lonely.SentDatagrams - before;
        output.WriteLine($"{sent} datagrams in ten lonely minutes");
        Assert.InRange(sent, 100, 600 * 5);
    }

    [Fact]
    public void What_nobody_can_be_called_at_is_not_remembered()
    {
        var world = new SimulatedNetwork(seed: 1);
        SimulatedNode node = world.Add(NatKind.None, Policy, [], isFirst: true);
        TransportAddress good = SimulatedNetwork.EndpointOf(70);
        node.Node.SetRemembered(
        [
            SimulatedNetwork.Group, good with { Port = 0 }, good with { Protocol = TransportProtocol.TcpAccepted }, good, good,
            good with { Protocol = TransportProtocol.Tcp },
        ]);
        Assert.Equal([good, good with { Protocol = TransportProtocol.Tcp }], node.Node.RememberablePeers());
    }

    private static SimulatedNetwork Ring(int seed)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < 12; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        world.Run(TimeSpan.FromSeconds(30));
        Assert.All(world.Nodes, node => Assert.True(node.Node.IsJoined));
        return world;
    }

    private TimeSpan Restarted(SimulatedNetwork world, SimulatedNode node, IReadOnlyList<TransportAddress> remembered)
    {
        world.Restart(node, Policy);
        node.Node.SetRemembered(remembered);
        TimeSpan? took = world.RunUntil(() => node.Node.Ring.Connections > 0, TimeSpan.FromSeconds(20));
        output.WriteLine($"linked after {took}");
        return took ?? TimeSpan.MaxValue;
    }
}
