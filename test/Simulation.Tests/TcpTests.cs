using Brunet;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Nodes whose networks let no UDP pass.</summary>
public sealed class TcpTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_node_without_UDP_joins_by_TCP_within_three_seconds(int seed)
    {
        var world = new SimulatedNetwork(seed) { ExtraLatency = TimeSpan.FromMilliseconds(50) };
        world.Add(NatKind.None, Policy);
        SimulatedNode mute = world.Add(NatKind.UdpBlocked, Policy);
        TimeSpan? joined = world.RunUntil(() => mute.Node.IsJoined, TimeSpan.FromSeconds(10));
        output.WriteLine($"joined after {joined}");
        Assert.InRange(joined ?? TimeSpan.MaxValue, default, TimeSpan.FromSeconds(3));
    }

    [Theory]
    [InlineData(NatKind.None)]
    [InlineData(NatKind.PortRestricted)]
    [InlineData(NatKind.Symmetric)]
    [InlineData(NatKind.UdpBlocked)]
    public void A_node_without_UDP_and_any_other_reach_each_other(NatKind other)
    {
        var world = new SimulatedNetwork(seed: 5) { AllListen = true };
        world.Add(NatKind.None, Policy);
        SimulatedNode mute = world.Add(NatKind.UdpBlocked, Policy);
        SimulatedNode two = world.Add(other, Policy);
        Assert.NotNull(world.RunUntil(() => mute.Node.IsJoined && two.Node.IsJoined, TimeSpan.FromSeconds(10)));
        world.Run(TimeSpan.FromSeconds(1));
        mute.Node.Send(world.Now, two.Node.Address, [1]);
        two.Node.Send(world.Now, mute.Node.Address, [2]);
        Assert.NotNull(world.RunUntil(() => mute.Delivered.Count == 1 && two.Delivered.Count == 1, TimeSpan.FromSeconds(1)));
        PathKind wanted = other == NatKind.Symmetric ? PathKind.Relay : PathKind.Direct;
        TimeSpan? after = world.RunUntil(() => mute.PathTo(two) == wanted && two.PathTo(mute) == wanted, TimeSpan.FromSeconds(5));
        output.WriteLine($"{wanted} after {after}");
        Assert.NotNull(after);
        world.Run(TimeSpan.FromMinutes(5));
        mute.Node.Send(world.Now, two.Node.Address, [3]);
        Assert.NotNull(world.RunUntil(() => two.Delivered.Count == 2, TimeSpan.FromSeconds(1)));
        Assert.Equal(wanted, mute.PathTo(two));
    }

    /// <summary>Whoever connects unasked is told so at once, or hears nothing; 20 ms are a country's way, 150 ms half the world's.</summary>
    [Theory]
    [InlineData(false, false, 20)]
    [InlineData(false, true, 20)]
    [InlineData(true, true, 20)]
    [InlineData(false, false, 150)]
    [InlineData(true, false, 150)]
    [InlineData(true, true, 150)]
    public void Two_nodes_without_UDP_meet_by_TCP(bool oneRefuses, bool twoRefuses, int oneWay)
    {
        for (int seed = 0; seed < 20; seed++)
        {
            var world = new SimulatedNetwork(seed) { ExtraLatency = TimeSpan.FromMilliseconds(oneWay), AllListen = true };
            world.Add(NatKind.None, Policy);
            SimulatedNode one = world.Add(NatKind.UdpBlocked, Policy), two = world.Add(NatKind.UdpBlocked, Policy);
            (one.RefusesStrangers, two.RefusesStrangers) = (oneRefuses, twoRefuses);
            Assert.NotNull(world.RunUntil(() => one.Node.IsJoined && two.Node.IsJoined, TimeSpan.FromSeconds(10)));
            one.Node.Send(world.Now, two.Node.Address, [1]);
            TimeSpan? after = world.RunUntil(() => one.PathTo(two) == PathKind.Direct && two.PathTo(one) == PathKind.Direct, TimeSpan.FromSeconds(10));
            output.WriteLine($"seed {seed}: straight after {after}, {world.Calls} calls");
            Assert.InRange(after ?? TimeSpan.MaxValue, default, TimeSpan.FromSeconds(6));
            int calls = world.Calls;
            world.Run(TimeSpan.FromMinutes(3));
            Assert.Equal(PathKind.Direct, one.PathTo(two));
            Assert.Equal(calls, world.Calls);
        }
    }

    /// <summary>In a ring this large nobody keeps a link to the list's machine for its own sake: the others have to call it to be seen.</summary>
    [Fact]
    public void A_node_that_is_linked_to_no_public_member_meets_one_without_UDP()
    {
        var world = new SimulatedNetwork(seed: 11) { AllListen = true };
        SimulatedNode first = world.Add(NatKind.None, Policy);
        for (int i = 0; i < 30; i++)
        {
            world.Add(NatKind.PortRestricted, Policy);
        }

        SimulatedNode mute = world.Add(NatKind.UdpBlocked, Policy);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(60)));
        world.Run(TimeSpan.FromMinutes(10));
        List<SimulatedNode> others = world.Nodes.FindAll(node => node != first && node != mute && node.PathTo(first) is null && node.PathTo(mute) is null);
        output.WriteLine($"{others.Count} are linked to neither");
        Assert.InRange(others.Count, 5, 30);
        foreach (SimulatedNode other in others)
        {
            mute.Node.Send(world.Now, other.Node.Address, [1]);
            TimeSpan? after = world.RunUntil(() => mute.PathTo(other) == PathKind.Direct && other.PathTo(mute) == PathKind.Direct, TimeSpan.FromSeconds(30));
            output.WriteLine($"straight after {after}");
            Assert.InRange(after ?? TimeSpan.MaxValue, default, TimeSpan.FromSeconds(5));
        }
    }

    [Fact]
    public void Where_the_NAT_has_a_port_for_each_connection_nobody_calls_in_vain_for_long()
    {
        var world = new SimulatedNetwork(seed: 3) { AllListen = true };
        world.Add(NatKind.None, Policy);
        world.Add(NatKind.None, Policy);
        SimulatedNode one = world.Add(NatKind.UdpBlocked, Policy), two = world.Add(NatKind.UdpBlocked, Policy);
        one.HasOneTcpPort = false;
        Assert.NotNull(world.RunUntil(() => one.Node.IsJoined && two.Node.IsJoined, TimeSpan.FromSeconds(10)));
        world.Run(TimeSpan.FromMinutes(1));
        one.Node.Send(world.Now, two.Node.Address, [1]);
        world.Run(TimeSpan.FromMinutes(10));
        Assert.Equal(PathKind.Relay, one.PathTo(two));
        output.WriteLine($"{world.Calls} calls");
        Assert.InRange(world.Calls, 0, 100);
    }

    [Fact]
    public void Where_UDP_passes_nobody_connects_by_TCP()
    {
        var world = new SimulatedNetwork(seed: 7) { AllListen = true };
        for (int i = 0; i < 12; i++)
        {
            world.Add(i % 3 == 0 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        world.Run(TimeSpan.FromMinutes(2));
        Assert.All(world.Nodes, node => Assert.True(node.Node.IsJoined));
        Assert.Equal(0, world.Connections);
    }
}
