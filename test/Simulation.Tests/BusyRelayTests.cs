using System.Buffers.Binary;
using Brunet;
using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Relays whose owners' limit is used up by their own packets.</summary>
public sealed class BusyRelayTests(ITestOutputHelper output)
{
    private const int Relays = 3;
    private const int Packets = 1200;
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(14)]
    [InlineData(15)]
    [InlineData(16)]
    public void Who_is_relayed_goes_another_way_within_a_second_and_comes_back(int seed)
    {
        SimulatedNetwork world = Relayed(seed, out SimulatedNode alpha, out SimulatedNode beta);
        NodeAddress? relay = alpha.Node.Peers(world.Now).Single(peer => peer.Identity.Address == beta.Node.Address).Paths[0].Relay;
        SimulatedNode[] limited = [.. world.Nodes.Take(Relays).Where(node => node.Node.Address == relay)];
        Assert.Single(limited);
        SetRelays(limited, false);
        AssertFewAreLateOrLost(Say(world, alpha, beta));
        Assert.Equal(PathKind.Relay, alpha.PathTo(beta));
        Assert.All(limited, node => Assert.True(node.Node.IsJoined));
        SetRelays(limited, true);
        Assert.NotNull(world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromMinutes(3)));
    }

    [Theory]
    [InlineData(14)]
    [InlineData(15)]
    [InlineData(16)]
    public void Who_has_no_other_relay_goes_over_the_ring_and_is_not_held_up_by_pings_that_are_lost(int seed)
    {
        SimulatedNetwork world = Relayed(seed, out SimulatedNode alpha, out SimulatedNode beta);
        SimulatedNode[] limited = [.. world.Nodes.Take(Relays)];
        SetRelays(limited, false);
        AssertFewAreLateOrLost(Say(world, alpha, beta));
        Assert.Equal(PathKind.Ring, alpha.PathTo(beta));
        Assert.All(limited, node => Assert.True(node.Node.IsJoined));
        SetRelays(limited, true);
        Assert.NotNull(world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromMinutes(3)));
    }

    private static SimulatedNetwork Relayed(int seed, out SimulatedNode alpha, out SimulatedNode beta)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < Relays; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        SimulatedNode one = alpha = world.Add(NatKind.Symmetric, Policy), other = beta = world.Add(NatKind.Symmetric, Policy);
        Assert.NotNull(world.RunUntil(() => one.Node.IsJoined && other.Node.IsJoined, TimeSpan.FromSeconds(15)));
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        Assert.NotNull(world.RunUntil(() => one.PathTo(other) == PathKind.Relay, TimeSpan.FromSeconds(10)));
        world.Run(TimeSpan.FromSeconds(20));
        return world;
    }

    /// <summary>How long each of two minutes' packets took, ten a second; null for one that never came. Each says which one it is: a late packet is no lost one.</summary>
    private static TimeSpan?[] Say(SimulatedNetwork world, SimulatedNode alpha, SimulatedNode beta)
    {
        TimeSpan start = world.Now;
        var took = new TimeSpan?[Packets];
        for (int step = 0; step < Packets + 50; step++)
        {
            if (step < Packets)
            {
                byte[] packet = new byte[4];
                BinaryPrimitives.WriteInt32BigEndian(packet, step);
                alpha.Node.Send(world.Now, beta.Node.Address, packet);
            }

            TimeSpan end = start + ((step + 1) * Interval);
            while (world.Now < end)
            {
                int had = beta.Delivered.Count;
                world.Run(TimeSpan.FromMilliseconds(5));
                foreach ((_, byte[] packet) in beta.Delivered.Skip(had))
                {
                    int number = BinaryPrimitives.ReadInt32BigEndian(packet);
                    took[number] ??= world.Now - start - (number * Interval);
                }
            }
        }

        return took;
    }

    private void AssertFewAreLateOrLost(TimeSpan?[] took)
    {
        double[] lost = [.. Enumerable.Range(0, Packets).Where(number => took[number] is null).Select(number => number * Interval.TotalSeconds)];
        TimeSpan median = took.OfType<TimeSpan>().Order().ElementAt(took.OfType<TimeSpan>().Count() / 2);
        int late = took.Count(one => one > median + (Interval / 2));
        output.WriteLine($"{lost.Length} of {Packets} packets lost, at {string.Join(" ", lost)}; {late} late; median {median.TotalMilliseconds} ms");
        Assert.DoesNotContain(lost, at => at > 1);
        Assert.InRange(late, 0, Packets / 50);
    }

    private static void SetRelays(SimulatedNode[] nodes, bool relays)
    {
        foreach (SimulatedNode node in nodes)
        {
            node.Node.RelaysForOthers = relays;
        }
    }
}
