using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>A machine without a way out, and then with one: its addresses are the same all the time.</summary>
public sealed class NetworkChangeTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan AtOnce = TimeSpan.FromMilliseconds(400);

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void A_node_that_started_without_a_default_route_joins_at_once_when_it_appears(int seed)
    {
        var world = new SimulatedNetwork(seed);
        world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(4));
        SimulatedNode late = world.Add(NatKind.PortRestricted, Policy);
        CutFor(world, late, seconds: 20 + (0.37 * seed));
        Appear(world, late);
        TimeSpan? joined = world.RunUntil(() => late.Node.IsJoined, TimeSpan.FromSeconds(20));
        output.WriteLine($"joined after {joined}");
        Assert.True(joined < AtOnce, $"{joined}");
    }

    [Theory]
    [InlineData(5)]
    [InlineData(6)]
    [InlineData(7)]
    [InlineData(8)]
    public void A_node_whose_default_route_went_and_came_is_reached_again_at_once(int seed)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < 6; i++)
        {
            world.Add(i < 2 ? NatKind.None : NatKind.PortRestricted, Policy);
            world.Run(TimeSpan.FromSeconds(1));
        }

        (SimulatedNode moving, SimulatedNode other) = (world.Nodes[4], world.Nodes[5]);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        moving.Node.Send(world.Now, other.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(3));
        CutFor(world, moving, seconds: 25 + (0.37 * seed));
        Appear(world, moving);
        other.Delivered.Clear();
        TimeSpan back = world.Now;
        while (other.Delivered.Count == 0 && world.Now - back < TimeSpan.FromSeconds(20))
        {
            moving.Node.Send(world.Now, other.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(20));
        }

        output.WriteLine($"reached after {world.Now - back}");
        Assert.True(world.Now - back < AtOnce, $"{world.Now - back}");
    }

    private static void CutFor(SimulatedNetwork world, SimulatedNode node, double seconds)
    {
        world.Wire = (from, to, _) => from != node && to.IPv4 != node.PublicEndpoint.IPv4;
        world.Run(TimeSpan.FromSeconds(seconds));
        world.Wire = null;
    }

    private static void Appear(SimulatedNetwork world, SimulatedNode node) => node.Node.SetLocalEndpoints(world.Now, []);
}
