using Brunet;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

public sealed class RingTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void Two_nodes_behind_port_restricted_NATs_get_a_direct_path_within_two_seconds()
    {
        var world = new SimulatedNetwork(seed: 1) { HasCheapSessions = true };
        world.Add(NatKind.None, Policy);
        SimulatedNode alpha = world.Add(NatKind.PortRestricted, Policy);
        SimulatedNode beta = world.Add(NatKind.PortRestricted, Policy);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined, TimeSpan.FromSeconds(5)));
        alpha.Node.Send(world.Now, beta.Node.Address, [1, 2, 3]);
        TimeSpan? first = world.RunUntil(() => beta.Delivered.Count == 1, TimeSpan.FromSeconds(2));
        TimeSpan? direct = world.RunUntil(() => alpha.PathTo(beta) == PathKind.Direct, TimeSpan.FromSeconds(2));
        output.WriteLine($"first packet {first}, direct {direct}");
        Assert.NotNull(first);
        Assert.NotNull(direct);
        Assert.Equal(alpha.Node.Address, beta.Delivered[0].Source.Address);
    }

    [Fact]
    public void Two_nodes_behind_symmetric_NATs_reach_each_other_without_a_direct_path()
    {
        var world = new SimulatedNetwork(seed: 2) { HasCheapSessions = true };
        world.Add(NatKind.None, Policy);
        SimulatedNode alpha = world.Add(NatKind.Symmetric, Policy);
        SimulatedNode hard = world.Add(NatKind.Symmetric, Policy);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined && hard.Node.IsJoined, TimeSpan.FromSeconds(5)));
        alpha.Node.Send(world.Now, hard.Node.Address, [1]);
        Assert.NotNull(world.RunUntil(() => hard.Delivered.Count == 1, TimeSpan.FromSeconds(2)));
        world.Run(TimeSpan.FromSeconds(30));
        hard.Node.Send(world.Now, alpha.Node.Address, [2]);
        Assert.NotNull(world.RunUntil(() => alpha.Delivered.Count == 1, TimeSpan.FromSeconds(1)));
        Assert.NotEqual(PathKind.Direct, alpha.PathTo(hard));
    }

    [Theory]
    [InlineData(3, 0.0)]
    [InlineData(4, 0.05)]
    public void Fifty_nodes_behind_mixed_NATs_form_one_ring_and_reach_each_other(int seed, double loss)
    {
        SimulatedNetwork world = Fifty(seed, loss);
        TimeSpan? formed = world.RunUntil(world.IsOneRing, TimeSpan.FromSeconds(120));
        output.WriteLine($"one ring after {formed}, {world.Datagrams} datagrams");
        Assert.NotNull(formed);
        var random = new Random(seed);
        int sent = 0;
        for (int i = 0; i < 100; i++)
        {
            SimulatedNode from = world.Nodes[random.Next(world.Nodes.Count)];
            SimulatedNode to = world.Nodes[random.Next(world.Nodes.Count)];
            if (from != to)
            {
                sent++;
                from.Node.Send(world.Now, to.Node.Address, [(byte)i]);
            }
        }

        world.Run(TimeSpan.FromSeconds(10));
        int arrived = world.Nodes.Sum(n => n.Delivered.Count);
        output.WriteLine($"{arrived} of {sent} first packets arrived");
        Assert.InRange(arrived, loss == 0 ? sent : sent * 0.8, sent);
    }

    [Fact]
    public void The_ring_closes_again_when_a_fifth_of_it_dies_at_once()
    {
        SimulatedNetwork world = Fifty(seed: 5, loss: 0);
        Assert.NotNull(world.RunUntil(world.IsOneRing, TimeSpan.FromSeconds(120)));
        foreach (SimulatedNode node in world.Nodes.Skip(1).Where((_, i) => i % 5 == 0))
        {
            node.Kill();
        }

        bool IsHealed() => world.IsOneRing()
            && world.Nodes.Where(n => n.IsAlive).All(n => n.Node.Ring.NearNeighbours == 4 && world.Nodes.All(d => d.IsAlive || n.PathTo(d) is null or PathKind.Ring));
        TimeSpan? healed = world.RunUntil(IsHealed, TimeSpan.FromSeconds(120));
        output.WriteLine($"closed again after {healed}");
        Assert.NotNull(healed);
        Assert.All(
            world.Nodes.Where(n => n.IsAlive),
            n => Assert.Equal(n.Node.Ring.NearNeighbours, n.Node.Peers(world.Now).Count(peer => peer.Purpose == LinkPurpose.Near)));
        Assert.Contains(world.Nodes.Where(n => n.IsAlive), n => n.Node.Peers(world.Now).Any(peer => peer.Purpose == LinkPurpose.Shortcut));
        SimulatedNode[] living = [.. world.Nodes.Where(n => n.IsAlive)];
        for (int i = 0; i < living.Length; i++)
        {
            living[i].Node.Send(world.Now, living[(i + 7) % living.Length].Node.Address, [1]);
        }

        world.Run(TimeSpan.FromSeconds(10));
        Assert.All(living, n => Assert.Single(n.Delivered));
    }

    [Fact]
    public void A_quiet_ring_keeps_near_neighbours_and_shortcuts_and_lets_all_other_links_go()
    {
        var world = new SimulatedNetwork(seed: 9) { HasCheapSessions = true };
        for (int i = 0; i < 150; i++)
        {
            world.Add(NatKind.None, Policy);
            world.Run(TimeSpan.FromMilliseconds(50));
        }

        Assert.NotNull(world.RunUntil(world.IsOneRing, TimeSpan.FromSeconds(60)));
        world.Run(TimeSpan.FromSeconds(120));
        Assert.True(world.IsOneRing());
        int[] links = [.. world.Nodes.Select(n => n.Node.Ring.Connections).Order()];
        output.WriteLine($"links: least {links[0]}, median {links[links.Length / 2]}, most {links[^1]}");
        Assert.InRange(links[0], 5, 12);
        Assert.InRange(links[links.Length / 2], 7, 16);
        Assert.InRange(links[^1], 8, 50);
    }

    [Fact]
    public void A_node_that_restarts_with_its_key_is_reached_again()
    {
        var world = new SimulatedNetwork(seed: 6) { HasCheapSessions = true };
        world.Add(NatKind.None, Policy);
        SimulatedNode alpha = world.Add(NatKind.PortRestricted, Policy);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined, TimeSpan.FromSeconds(5)));
        world.Restart(world.Nodes[0], Policy);
        TimeSpan? again = world.RunUntil(
            () => world.Nodes[0].Node.Ring.Connections == 1 && world.Nodes[0].PathTo(alpha) == PathKind.Direct, TimeSpan.FromSeconds(30));
        output.WriteLine($"rejoined after {again}");
        Assert.NotNull(again);
        world.Nodes[0].Node.Send(world.Now, alpha.Node.Address, [7]);
        Assert.NotNull(world.RunUntil(() => alpha.Delivered.Count == 1, TimeSpan.FromSeconds(2)));
    }

    [Theory]
    [InlineData(NatKind.PortRestricted, 0, false)]
    [InlineData(NatKind.PortRestricted, 0.05, false)]
    [InlineData(NatKind.Symmetric, 0, false)]
    [InlineData(NatKind.None, 0, false)]
    [InlineData(NatKind.PortRestricted, 0, true)]
    [InlineData(NatKind.PortRestricted, 0.05, true)]
    [InlineData(NatKind.Symmetric, 0, true)]
    public void Traffic_to_a_node_that_restarted_flows_again_within_seconds_and_both_ways(NatKind nat, double loss, bool saysGoodbye)
    {
        for (int seed = 0; seed < 10; seed++)
        {
            var world = new SimulatedNetwork(seed, loss) { HasCheapSessions = true };
            world.Add(NatKind.None, Policy);
            SimulatedNode one = world.Add(NatKind.PortRestricted, Policy);
            SimulatedNode two = world.Add(nat, Policy);
            world.Add(NatKind.Symmetric, Policy);
            Assert.NotNull(world.RunUntil(() => world.Nodes.All(node => node.Node.Ring.Connections == 3), TimeSpan.FromSeconds(20)));
            world.Run(TimeSpan.FromSeconds(5));

            if (saysGoodbye)
            {
                // Then the others look for it while it is away, and their handshakes must not stand in the way of its own.
                two.Node.Leave(world.Now);
                world.Run(TimeSpan.FromMilliseconds(20 + (50 * seed)));
            }

            world.Restart(two, Policy);
            TimeSpan? reached = Reaches(world, one, two, TimeSpan.FromSeconds(20));
            output.WriteLine($"seed {seed}: reached after {reached}");
            Assert.NotNull(reached);
            Assert.InRange(reached.Value, TimeSpan.Zero, TimeSpan.FromSeconds(loss > 0 ? 12 : 5));

            // It stays so: no end may go on with keys that the other has not, or has forgotten.
            for (int second = 0; second < 60; second++)
            {
                world.Run(TimeSpan.FromSeconds(1));
                if (loss == 0)
                {
                    Assert.NotNull(Reaches(world, one, two, TimeSpan.FromSeconds(1)));
                    Assert.NotNull(Reaches(world, two, one, TimeSpan.FromSeconds(1)));
                }
            }
        }
    }

    /// <summary>Sends a packet every 200 ms until one arrives, and tells after how long.</summary>
    private static TimeSpan? Reaches(SimulatedNetwork world, SimulatedNode from, SimulatedNode to, TimeSpan limit)
    {
        TimeSpan start = world.Now;
        int before = to.Delivered.Count;
        while (world.Now - start < limit)
        {
            from.Node.Send(world.Now, to.Node.Address, [1]);
            if (world.RunUntil(() => to.Delivered.Count > before, TimeSpan.FromMilliseconds(200)) is not null)
            {
                return world.Now - start;
            }
        }

        return null;
    }

    private static SimulatedNetwork Fifty(int seed, double loss)
    {
        var world = new SimulatedNetwork(seed, loss) { HasCheapSessions = true };
        for (int i = 0; i < 50; i++)
        {
            world.Add((i % 5) switch { 0 => NatKind.None, 4 => NatKind.Symmetric, _ => NatKind.PortRestricted }, Policy);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        return world;
    }
}
