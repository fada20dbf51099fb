using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>What those cost who fell silent, and that they are found again all the same.</summary>
public sealed class SilenceTests(ITestOutputHelper output)
{
    private const byte HandshakeFrame = 0x10;

    private static readonly SmallerOwnerWins Policy = new();

    /// <summary>Seconds: shorter than what tells the dead from the silent, and longer than each of its limits.</summary>
    public static TheoryData<int> Absences => [20, 35, 50, 62, 70, 74, 100];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void The_dead_are_called_for_half_a_minute_and_then_seldom(int seed)
    {
        SimulatedNetwork world = Ring(seed, nodes: 60);
        List<SimulatedNode> dead = world.Nodes.FindAll(node => node.Index % 3 == 1);
        HashSet<TransportAddress> graves = [.. dead.Select(node => node.PublicEndpoint)];
        dead.ForEach(node => node.Kill());
        int flights = 0;
        world.Wire = (_, to, datagram) =>
        {
            flights += datagram[0] == HandshakeFrame && graves.Contains(to) ? 1 : 0;
            return true;
        };
        long events = world.Events;
        world.Run(TimeSpan.FromSeconds(40));
        (int first, long firstEvents) = (flights, world.Events - events);
        world.Run(TimeSpan.FromSeconds(40));
        output.WriteLine($"{first} flights straight to {dead.Count} dead in 40 s and {firstEvents} events, then {flights - first} and {world.Events - events - firstEvents}");
        Assert.InRange(flights - first, 0, first / 2);
    }

    [Theory]
    [MemberData(nameof(Absences))]
    public void A_ring_that_was_parted_is_one_again_soon_after(int seconds)
    {
        SimulatedNetwork world = Ring(seed: 5, nodes: 40);
        world.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
        Assert.InRange(OneAfter(world, seconds), TimeSpan.Zero, TimeSpan.FromSeconds(10));
    }

    [Theory]
    [MemberData(nameof(Absences))]
    public void Machines_that_were_cut_off_are_back_soon_after(int seconds)
    {
        SimulatedNetwork world = Ring(seed: 6, nodes: 40);
        world.IsParted = (from, to) => from.Index % 5 == 3 || to.Index % 5 == 3;
        Assert.InRange(OneAfter(world, seconds), TimeSpan.Zero, TimeSpan.FromSeconds(10));
    }

    private TimeSpan OneAfter(SimulatedNetwork world, int seconds)
    {
        world.Run(TimeSpan.FromSeconds(seconds));
        world.IsParted = null;
        TimeSpan? one = world.RunUntil(world.IsOneRing, TimeSpan.FromMinutes(3));
        output.WriteLine($"one ring {one?.TotalSeconds:0.0} s after {seconds} s");
        return one ?? TimeSpan.MaxValue;
    }

    private static SimulatedNetwork Ring(int seed, int nodes)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        for (int i = 0; i < nodes; i++)
        {
            world.Add(i % 4 == 0 ? NatKind.None : NatKind.PortRestricted, Policy);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        world.Run(TimeSpan.FromMinutes(2));
        Assert.True(world.IsOneRing());
        return world;
    }
}
