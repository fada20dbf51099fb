using System.Net;
using Brunet.Dht;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>When nodes want to be woken.</summary>
public sealed class TickTests(ITestOutputHelper output)
{
    /// <summary>What falls due within this time is done together, so a tick that comes so little too early may find something to do.</summary>
    private static readonly TimeSpan Together = TimeSpan.FromMilliseconds(50);

    private static readonly SmallerOwnerWins Policy = new();

    /// <summary>
    /// What a part has to do it must have said: a tick that comes earlier, and looks at every peer as if it were due, neither sends anything nor
    /// takes anything away. Else a node would sleep over it.
    /// </summary>
    [Theory]
    [InlineData(1, 0.0, false)]
    [InlineData(2, 0.03, false)]
    [InlineData(3, 0.0, true)]
    public void A_tick_before_its_time_does_nothing(int seed, double loss, bool isLan)
    {
        SimulatedNetwork world = Thirty(seed, loss, isLan);
        var random = new Random(seed);
        SimulatedNode Any() => world.Nodes[random.Next(world.Nodes.Count)];
        int early = 0;
        for (int step = 0; step < 8000; step++)
        {
            world.Run(TimeSpan.FromMilliseconds(37));
            if (step % 40 == 0 && step % 4000 < 2000)
            {
                Stir(world, Any(), Any(), step);
            }

            if (step is 800 or 1200 or 5000)
            {
                world.Nodes[random.Next(1, world.Nodes.Count)].Kill();
            }

            SimulatedNode node = Any();
            TimeSpan next = node.Node.NextTick;
            if (node.IsAlive && next > world.Now + Together)
            {
                early++;
                (long sent, string before) = (node.SentDatagrams, node.Holdings);
                node.TickEarly();
                Assert.True(sent == node.SentDatagrams, $"node {node.Index} at {world.Now} sent something, and wanted to at {next}");
                Assert.Equal(before, node.Holdings);
            }
        }

        output.WriteLine($"{early} ticks came early");
        Assert.InRange(early, 2000, 8000);
    }

    [Fact]
    public void A_node_of_a_ring_that_nobody_uses_sleeps_most_of_the_time()
    {
        // One ring's figure depends on where its nodes stand: 3.0 to 4.4.
        const int Rings = 4;
        double ticks = 0;
        for (int seed = 1; seed <= Rings; seed++)
        {
            SimulatedNetwork world = Thirty(seed, loss: 0);
            world.Run(TimeSpan.FromSeconds(90));
            (long events, long datagrams) = (world.Events, world.Datagrams);
            world.Run(TimeSpan.FromSeconds(30));
            ticks += (double)(world.Events - events - (world.Datagrams - datagrams)) / world.Nodes.Count / 30 / Rings;
        }

        output.WriteLine($"{ticks:0.0} wakes a second a node");
        Assert.InRange(ticks, 0.5, 4);
    }

    [Fact]
    public void A_node_with_nothing_to_do_still_wakes_often_enough_to_see_that_its_machine_slept()
    {
        var world = new SimulatedNetwork(seed: 4) { HasCheapSessions = true };
        SimulatedNode alone = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(20));
        Assert.InRange(alone.Node.NextTick - world.Now, TimeSpan.Zero, TimeSpan.FromSeconds(2));
        long before = world.Events;
        world.Run(TimeSpan.FromSeconds(60));
        Assert.InRange(world.Events - before, 30, 80);
    }

    [Fact]
    public void The_first_node_of_a_closed_pool_sleeps_while_it_has_no_certificate_and_no_list_and_begins_the_ring_when_it_has_one()
    {
        var world = new SimulatedNetwork(seed: 5) { HasCheapSessions = true };
        SimulatedNode leaf = world.Add(NatKind.None, Policy, [], isFirst: true, isOpen: false, certified: false);
        world.Run(TimeSpan.FromSeconds(20));
        long before = world.Events;
        world.Run(TimeSpan.FromSeconds(60));
        output.WriteLine($"{world.Events - before} events in 60 s");
        Assert.InRange(world.Events - before, 30, 80);
        Assert.False(leaf.Node.IsJoined);
        leaf.Identity.Certificate = world.Authority.Issue(leaf.Identity.Address, new IPAddress([10, 128, 0, 1]), "first", true);
        leaf.Node.IdentityChanged(world.Now);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.True(leaf.Node.IsJoined);
    }

    /// <summary>Something of all that a node may be asked for, or that may happen to it.</summary>
    private static void Stir(SimulatedNetwork world, SimulatedNode node, SimulatedNode other, int step)
    {
        var key = new RecordKey(RecordKind.Address, $"10.0.0.{other.Index}");
        switch (step / 40 % 6)
        {
            case 0 when node.IsAlive:
                node.Node.Create(world.Now, key, new byte[4], (_, _) => { });
                break;
            case 1 when node.IsAlive:
                node.Node.Lookup(world.Now, key, (_, _) => { });
                break;
            case 2:
                SimulatedNetwork.Forget(node, moves: step % 80 == 0);
                break;
            case 3 when node.IsAlive:
                node.Node.Ping(world.Now, other.Identity.Address, TimeSpan.FromSeconds(2), (_, _) => { });
                break;
            default:
                if (node.IsAlive)
                {
                    node.Node.Send(world.Now, other.Identity.Address, [1]);
                }

                break;
        }
    }

    private static SimulatedNetwork Thirty(int seed, double loss, bool isLan = false)
    {
        var world = new SimulatedNetwork(seed, loss) { HasCheapSessions = true };
        if (isLan)
        {
            world.Lan = (one, other) => one.Index % 2 == other.Index % 2;
        }

        for (int i = 0; i < 30; i++)
        {
            world.Add((NatKind)(i % 6), Policy);
            world.Run(TimeSpan.FromMilliseconds(50));
        }

        return world;
    }
}
