using System.Diagnostics;
using Brunet;
using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>What goes wrong between two nodes, and how soon they talk again.</summary>
public sealed class RecoveryTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Two_nodes_that_call_each_other_at_the_same_moment_lose_no_packet_later(int seed)
    {
        var world = new SimulatedNetwork(seed);
        SimulatedNode one = world.Add(NatKind.None, Policy);
        SimulatedNode two = world.Add(NatKind.None, Policy);
        one.Node.SetBootstrap(world.Now, [two.PublicEndpoint]);
        Assert.NotNull(world.RunUntil(() => one.Node.IsJoined && two.Node.IsJoined, TimeSpan.FromSeconds(5)));
        const int Packets = 600;
        for (int i = 0; i < Packets; i++)
        {
            one.Node.Send(world.Now, two.Node.Address, [1]);
            two.Node.Send(world.Now, one.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        Assert.Equal((Packets, Packets), (one.Delivered.Count, two.Delivered.Count));
        Assert.InRange(world.Handshakes, 1, 4);
    }

    [Fact]
    public void A_list_in_another_order_has_nobody_called_more_often_and_who_is_new_on_it_is_called_at_once()
    {
        (long usual, long turning) = (Handshakes(turns: false), Handshakes(turns: true));
        output.WriteLine($"{usual} handshakes, {turning} with a list that turns");
        Assert.InRange(turning, usual * 0.9, usual * 1.1);

        static long Handshakes(bool turns)
        {
            var world = new SimulatedNetwork(seed: 4);
            SimulatedNode node = world.Add(NatKind.None, Policy);
            TransportAddress live = world.Add(NatKind.None, Policy).PublicEndpoint;
            (TransportAddress dead, TransportAddress fresh) = (live with { Port = 9 }, live with { Port = 99 });
            node.Node.SetBootstrap(world.Now, [live, dead]);
            Assert.NotNull(world.RunUntil(() => node.Node.IsJoined, TimeSpan.FromSeconds(5)));
            for (int second = 0; second < 3000; second++)
            {
                if (turns)
                {
                    node.Node.SetBootstrap(world.Now, second % 2 == 0 ? [dead, live] : [live, dead]);
                }

                world.Run(TimeSpan.FromSeconds(1));
            }

            long handshakes = world.Handshakes;
            bool isCalled = false;
            world.Wire = (_, to, _) => isCalled |= to == fresh;
            node.Node.SetBootstrap(world.Now, [fresh, live]);
            world.Run(TimeSpan.FromMilliseconds(100));
            Assert.True(isCalled);
            return handshakes;
        }
    }

    [Fact]
    public void Nodes_on_the_other_side_of_the_world_get_a_direct_path_too()
    {
        var world = new SimulatedNetwork(seed: 11) { ExtraLatency = TimeSpan.FromMilliseconds(250) };
        (SimulatedNode alpha, SimulatedNode beta) = PairBehindNats(world, NatKind.PortRestricted);
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        TimeSpan? direct = world.RunUntil(() => alpha.PathTo(beta) == PathKind.Direct, TimeSpan.FromSeconds(8));
        output.WriteLine($"direct after {direct}");
        Assert.NotNull(direct);
    }

    [Fact]
    public void Peers_that_are_idle_behind_their_NATs_stay_connected_and_make_no_new_handshakes()
    {
        var world = new SimulatedNetwork(seed: 12);
        (SimulatedNode alpha, SimulatedNode beta) = PairBehindNats(world, NatKind.PortRestricted);
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(10));
        (long handshakes, long datagrams) = (world.Handshakes, world.Datagrams);
        world.Run(TimeSpan.FromMinutes(10));
        output.WriteLine($"{(world.Datagrams - datagrams) / 600.0:F1} datagrams/s of three idle nodes");
        Assert.Equal(PathKind.Direct, alpha.PathTo(beta));
        Assert.Equal(handshakes, world.Handshakes);
        beta.Node.Send(world.Now, alpha.Node.Address, [2]);
        Assert.NotNull(world.RunUntil(() => alpha.Delivered.Count == 1, TimeSpan.FromMilliseconds(200)));
    }

    [Fact]
    public void Peers_that_only_the_ring_joins_make_no_new_handshakes_when_idle()
    {
        var world = new SimulatedNetwork(seed: 13);
        SimulatedNode left = world.Add(NatKind.None, Policy);
        SimulatedNode right = world.Add(NatKind.None, Policy);
        SimulatedNode alpha = world.Add(NatKind.Symmetric, Policy);
        SimulatedNode beta = world.Add(NatKind.Symmetric, Policy);
        world.Wire = (from, to, _) => !((from == alpha && to.IPv4 == right.PublicEndpoint.IPv4) || (from == beta && to.IPv4 == left.PublicEndpoint.IPv4));
        beta.Node.SetBootstrap(world.Now, [right.PublicEndpoint]);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined, TimeSpan.FromSeconds(15)));
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(10));
        Assert.Equal(PathKind.Ring, alpha.PathTo(beta));
        long handshakes = world.Handshakes;
        for (int i = 0; i < 60; i++)
        {
            // One-way traffic: nothing answers but the pings.
            alpha.Node.Send(world.Now, beta.Node.Address, [2]);
            world.Run(TimeSpan.FromSeconds(10));
        }

        Assert.Equal(handshakes, world.Handshakes);
        Assert.Equal(61, beta.Delivered.Count);
    }

    [Fact]
    public void When_the_relay_dies_another_one_takes_over_within_seconds()
    {
        var world = new SimulatedNetwork(seed: 14);
        (SimulatedNode alpha, SimulatedNode beta) = PairBehindNats(world, NatKind.Symmetric, relays: 3);
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        Assert.NotNull(world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromSeconds(10)));
        world.Run(TimeSpan.FromSeconds(20));
        world.Nodes[1].Kill();
        world.Nodes[2].Kill();
        int before = beta.Delivered.Count;
        TimeSpan start = world.Now;
        TimeSpan lastLost = start;
        for (int i = 0; i < 300; i++)
        {
            int had = beta.Delivered.Count;
            alpha.Node.Send(world.Now, beta.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(100));
            lastLost = beta.Delivered.Count == had ? world.Now : lastLost;
        }

        output.WriteLine($"{300 - (beta.Delivered.Count - before)} packets lost, the last after {lastLost - start}");
        Assert.True(lastLost - start < TimeSpan.FromSeconds(8), $"lost until {lastLost - start}");
    }

    [Fact]
    public void When_one_direction_of_the_direct_path_dies_traffic_goes_another_way()
    {
        var world = new SimulatedNetwork(seed: 15);
        (SimulatedNode alpha, SimulatedNode beta) = PairBehindNats(world, NatKind.PortRestricted);
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(10));
        Assert.Equal(PathKind.Direct, alpha.PathTo(beta));
        world.Wire = (from, to, _) => !(from == alpha && to == beta.PublicEndpoint);
        TimeSpan start = world.Now;
        TimeSpan lastLost = start;
        for (int i = 0; i < 300; i++)
        {
            int had = beta.Delivered.Count;
            alpha.Node.Send(world.Now, beta.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(100));
            lastLost = beta.Delivered.Count == had ? world.Now : lastLost;
        }

        output.WriteLine($"lost until {lastLost - start}");
        Assert.True(lastLost - start < TimeSpan.FromSeconds(10), $"lost until {lastLost - start}");
    }

    [Theory]
    [InlineData(NatKind.PortRestricted)]
    [InlineData(NatKind.Symmetric)]
    public void A_peer_behind_a_NAT_that_restarts_is_reached_again_within_seconds(NatKind nat)
    {
        var world = new SimulatedNetwork(seed: 16);
        (SimulatedNode alpha, SimulatedNode beta) = PairBehindNats(world, nat);
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(10));
        world.Restart(beta, Policy);
        int before = beta.Delivered.Count;
        TimeSpan start = world.Now;
        TimeSpan lastLost = start;
        for (int i = 0; i < 300; i++)
        {
            int had = beta.Delivered.Count;
            alpha.Node.Send(world.Now, beta.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(100));
            lastLost = beta.Delivered.Count == had ? world.Now : lastLost;
        }

        output.WriteLine($"lost until {lastLost - start}");
        Assert.True(beta.Delivered.Count > before && lastLost - start < TimeSpan.FromSeconds(10), $"lost until {lastLost - start}");
    }

    [Fact]
    public void A_late_goodbye_of_the_life_before_does_not_end_the_new_session()
    {
        var world = new SimulatedNetwork(seed: 17);
        SimulatedNode first = world.Add(NatKind.None, Policy);
        SimulatedNode alpha = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(3));
        var late = new List<byte[]>();
        world.Wire = (from, _, datagram) =>
        {
            if (from == alpha)
            {
                late.Add(datagram);
            }

            return from != alpha;
        };
        alpha.Node.Leave(world.Now);
        world.Wire = null;
        world.Restart(alpha, Policy);
        world.Run(TimeSpan.FromSeconds(2));
        late.ForEach(datagram => first.Node.ReceiveDatagram(world.Now, alpha.PublicEndpoint, datagram));
        Assert.NotEmpty(late);
        alpha.Node.Send(world.Now, first.Node.Address, [1]);
        Assert.NotNull(world.RunUntil(() => first.Delivered.Count == 1, TimeSpan.FromMilliseconds(300)));
    }

    [Fact]
    public void Fifty_idle_peers_cost_little_time()
    {
        var world = new SimulatedNetwork(seed: 18);
        for (int i = 0; i < 51; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        world.Run(TimeSpan.FromSeconds(5));
        Node hub = world.Nodes[0].Node;
        foreach (SimulatedNode node in world.Nodes.Skip(1))
        {
            hub.Send(world.Now, node.Node.Address, [1]);
        }

        world.Run(TimeSpan.FromSeconds(30));
        Assert.Equal(50, hub.Ring.Connections);
        long handshakes = world.Handshakes;
        var busy = Stopwatch.StartNew();
        world.Run(TimeSpan.FromSeconds(60));
        output.WriteLine($"{busy.Elapsed.TotalMilliseconds / 60 / 51:F2} ms of work a node and second");
        Assert.Equal(handshakes, world.Handshakes);
        Assert.True(busy.Elapsed < TimeSpan.FromSeconds(60), $"{busy.Elapsed} for a minute of 51 nodes");
    }

    private static (SimulatedNode Alpha, SimulatedNode Beta) PairBehindNats(SimulatedNetwork world, NatKind nat, int relays = 1)
    {
        for (int i = 0; i < relays; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        SimulatedNode alpha = world.Add(nat, Policy);
        SimulatedNode beta = world.Add(nat, Policy);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined, TimeSpan.FromSeconds(15)));
        return (alpha, beta);
    }
}
