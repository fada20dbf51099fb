using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>A machine of the bootstrap list that answers and hands on next to nothing.</summary>
public sealed class BottleneckTests(ITestOutputHelper output)
{
    private const int Listed = 3;
    private const int All = 40;

    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Who_joins_finds_its_neighbours_though_one_machine_of_the_list_hands_nothing_on(int lazy)
    {
        var world = new SimulatedNetwork(seed: 1) { Latency = SimulatedLatencies.HundredMilliseconds };
        TransportAddress[] list = [.. Enumerable.Range(0, Listed).Select(SimulatedNetwork.EndpointOf)];
        TimeSpan longest = TimeSpan.Zero;
        for (int i = 0; i < All; i++)
        {
            world.RelayRate = i == lazy ? 1 : null;
            world.Add(i < Listed ? NatKind.None : NatKind.PortRestricted, Policy, list, isFirst: i == 0);
            if (i < Listed)
            {
                world.Run(TimeSpan.FromSeconds(5));
                continue;
            }

            TimeSpan? formed = world.RunUntil(world.IsOneRing, TimeSpan.FromMinutes(2));
            Assert.NotNull(formed);
            longest = formed > longest ? formed.Value : longest;
        }

        output.WriteLine($"one ring {longest} after a node came, at the longest");
        Assert.InRange(longest, TimeSpan.Zero, TimeSpan.FromSeconds(5));
    }
}
