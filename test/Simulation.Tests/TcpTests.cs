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
        var world = new SimulatedNetwork(seed: 5);
        world.Add(NatKind.None, Policy);
        SimulatedNode mute = world.Add(NatKind.UdpBlocked, Policy);
        SimulatedNode two = world.Add(other, Policy);
        Assert.NotNull(world.RunUntil(() => mute.Node.IsJoined && two.Node.IsJoined, TimeSpan.FromSeconds(10)));
        world.Run(TimeSpan.FromSeconds(1));
        mute.Node.Send(world.Now, two.Node.Address, [1]);
        two.Node.Send(world.Now, mute.Node.Address, [2]);
        Assert.NotNull(world.RunUntil(() => mute.Delivered.Count == 1 && two.Delivered.Count == 1, TimeSpan.FromSeconds(1)));
        PathKind wanted = other == NatKind.None ? PathKind.Direct : PathKind.Relay;
        TimeSpan? after = world.RunUntil(() => mute.PathTo(two) == wanted && two.PathTo(mute) == wanted, TimeSpan.FromSeconds(5));
        output.WriteLine($"{wanted} after {after}");
        Assert.NotNull(after);
        world.Run(TimeSpan.FromMinutes(5));
        mute.Node.Send(world.Now, two.Node.Address, [3]);
        Assert.NotNull(world.RunUntil(() => two.Delivered.Count == 2, TimeSpan.FromSeconds(1)));
        Assert.Equal(wanted, mute.PathTo(two));
    }

    [Fact]
    public void Where_UDP_passes_nobody_connects_by_TCP()
    {
        var world = new SimulatedNetwork(seed: 7);
        for (int i = 0; i < 12; i++)
        {
            world.Add(i % 3 == 0 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        world.Run(TimeSpan.FromMinutes(2));
        Assert.All(world.Nodes, node => Assert.True(node.Node.IsJoined));
        Assert.Equal(0, world.Connections);
    }
}
