using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>How soon a link is known to be dead that nothing but the ring has a use for.</summary>
public sealed class DeadLinkTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Half_a_minute_after_many_died_nobody_routes_over_a_dead_node_however_long_NATs_keep_mappings(int seed)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        for (int i = 0; i < 60; i++)
        {
            world.Add(NatKind.None, Policy);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        world.Run(TimeSpan.FromMinutes(8));
        int patient = world.Nodes.Count(node => node.Node.Ring.KeepAlive > TimeSpan.FromMinutes(1));
        Assert.InRange(patient, 30, 60);
        List<SimulatedNode> dead = world.Nodes.FindAll(node => node.Index % 3 == 1);
        List<SimulatedNode> living = world.Nodes.FindAll(node => node.Index % 3 != 1);
        dead.ForEach(node => node.Kill());
        TimeSpan? known = world.RunUntil(() => !living.Exists(node => dead.Exists(node.IsLinkedTo)), TimeSpan.FromMinutes(3));
        output.WriteLine($"the last dead link is known after {known}; {patient} nodes knew that their NAT keeps mappings for more than a minute");

        // A shortcut's pings come 25 s apart at most, 5 s later it is overdue, and three pings need not two more.
        Assert.InRange(known ?? TimeSpan.MaxValue, TimeSpan.Zero, TimeSpan.FromSeconds(33));
    }
}
