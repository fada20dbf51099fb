using Brunet;
using Brunet.Nat;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>What a node finds out about its NAT by having neighbours knock: whom it lets in, and how long it keeps a silent mapping.</summary>
public sealed class KeepAliveTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(20, 15, 16)]
    [InlineData(30, 20, 24)]
    [InlineData(60, 44, 48)]
    [InlineData(300, 120, 120)]
    public void A_node_learns_how_long_its_NAT_keeps_a_silent_mapping(int lifetime, int atLeast, int atMost)
    {
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed, loss: 0.01) { HasCheapSessions = true };
            SimulatedNode node = Ring(world, NatKind.PortRestricted, lifetime)[0];
            world.Run(TimeSpan.FromMinutes(12));
            double learnt = node.Node.Ring.KeepAlive.TotalSeconds;
            output.WriteLine($"{learnt} s");
            Assert.InRange(learnt, atLeast, atMost);
        }
    }

    [Theory]
    [InlineData(20)]
    [InlineData(30)]
    [InlineData(60)]
    [InlineData(300)]
    public void No_idle_link_is_lost_while_the_lifetime_is_learnt_or_after(int lifetime)
    {
        var world = new SimulatedNetwork(seed: 11) { HasCheapSessions = true };
        List<SimulatedNode> nodes = Ring(world, NatKind.PortRestricted, lifetime);
        for (int round = 0; round < 4; round++)
        {
            Talk(world, nodes);
            Assert.Equal(0, Broken(nodes));
            for (int second = 0; second < 230; second++)
            {
                world.Run(TimeSpan.FromSeconds(1));
                Assert.Equal(0, Broken(nodes));
            }
        }
    }

    [Fact]
    public void A_NAT_that_keeps_mappings_long_costs_fewer_keep_alives()
    {
        // Public nodes enough that hardly any of the others is without a link to one: only they can help to learn. One world's figure is chance.
        long[] sent = Array.ConvertAll([30, 300], lifetime => Enumerable.Range(12, 4).Sum(seed =>
        {
            var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
            List<SimulatedNode> nodes = Ring(world, NatKind.PortRestricted, lifetime, count: 20, publics: 12);
            world.Run(TimeSpan.FromMinutes(12));
            Talk(world, nodes);
            world.Run(TimeSpan.FromSeconds(70));
            long before = nodes.Sum(node => node.SentDatagrams);
            world.Run(TimeSpan.FromMinutes(3));
            return nodes.Sum(node => node.SentDatagrams) - before;
        }));
        output.WriteLine($"{sent[0]} datagrams with NATs of 30 s, {sent[1]} with NATs of 300 s");
        Assert.True(sent[1] < 0.85 * sent[0], $"{sent[0]} and {sent[1]}");
    }

    [Theory]
    [InlineData(NatKind.None, NatFiltering.Independent)]
    [InlineData(NatKind.FullCone, NatFiltering.Independent)]
    [InlineData(NatKind.AddressRestricted, NatFiltering.AddressDependent)]
    [InlineData(NatKind.PortRestricted, NatFiltering.AddressAndPortDependent)]
    [InlineData(NatKind.Symmetric, NatFiltering.AddressAndPortDependent)]
    [InlineData(NatKind.SymmetricSequential, NatFiltering.AddressAndPortDependent)]
    [InlineData(NatKind.UdpBlocked, NatFiltering.Unknown)]
    public void A_node_learns_from_its_neighbours_whom_its_NAT_lets_in(NatKind nat, NatFiltering filtering)
    {
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
            SimulatedNode node = Ring(world, nat, lifetime: 30)[0];
            world.Run(TimeSpan.FromSeconds(30));
            Assert.Equal(filtering, node.Node.Ring.Filtering);
        }
    }

    [Fact]
    public void A_NAT_that_becomes_worse_is_noticed_and_learnt_anew()
    {
        var world = new SimulatedNetwork(seed: 13) { HasCheapSessions = true };
        List<SimulatedNode> nodes = Ring(world, NatKind.PortRestricted, lifetime: 300);
        world.Run(TimeSpan.FromMinutes(12));
        Assert.Equal(MaximumSeconds, nodes[0].Node.Ring.KeepAlive.TotalSeconds);
        nodes.ForEach(node => node.NatLifetime = TimeSpan.FromSeconds(40));
        Talk(world, nodes);
        world.Run(TimeSpan.FromMinutes(8));

        // Whose links died knows. The others ask again within the hour.
        Assert.Contains(nodes, node => node.Node.Ring.KeepAlive.TotalSeconds < 33);
        world.Run(TimeSpan.FromMinutes(52));
        Assert.DoesNotContain(nodes, node => node.Node.Ring.KeepAlive.TotalSeconds > 33);
    }

    private const double MaximumSeconds = 120;

    /// <summary>A ring of some public nodes and some behind NATs of a kind and lifetime, who are returned.</summary>
    private static List<SimulatedNode> Ring(SimulatedNetwork world, NatKind nat, int lifetime, int count = 6, int publics = 4)
    {
        for (int i = 0; i < publics; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        var nodes = new List<SimulatedNode>();
        for (int i = 0; i < count; i++)
        {
            SimulatedNode node = world.Add(nat, Policy);
            node.NatLifetime = TimeSpan.FromSeconds(lifetime);
            nodes.Add(node);
        }

        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        return nodes;
    }

    /// <summary>Each of these nodes talks to each other, until all are reached straight.</summary>
    private static void Talk(SimulatedNetwork world, List<SimulatedNode> nodes)
    {
        for (int i = 0; i < 50; i++)
        {
            foreach (SimulatedNode from in nodes)
            {
                foreach (SimulatedNode to in nodes)
                {
                    if (from != to)
                    {
                        from.Node.Send(world.Now, to.Node.Address, [1]);
                    }
                }
            }

            world.Run(TimeSpan.FromMilliseconds(100));
        }
    }

    private static int Broken(List<SimulatedNode> nodes) =>
        nodes.Sum(from => nodes.Count(to => from != to && from.PathTo(to) != PathKind.Direct));
}
