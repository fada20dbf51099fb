using Brunet;
using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Relays whose owners' limit is used up by their own packets.</summary>
public sealed class BusyRelayTests(ITestOutputHelper output)
{
    private const int Relays = 3;
    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void Who_is_relayed_goes_another_way_within_seconds_and_comes_back()
    {
        var world = new SimulatedNetwork(seed: 14);
        for (int i = 0; i < Relays; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        SimulatedNode alpha = world.Add(NatKind.Symmetric, Policy), beta = world.Add(NatKind.Symmetric, Policy);
        Assert.NotNull(world.RunUntil(() => alpha.Node.IsJoined && beta.Node.IsJoined, TimeSpan.FromSeconds(15)));
        alpha.Node.Send(world.Now, beta.Node.Address, [1]);
        Assert.NotNull(world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromSeconds(10)));
        world.Run(TimeSpan.FromSeconds(20));

        NodeAddress? relay = alpha.Node.Peers(world.Now).Single(peer => peer.Identity.Address == beta.Node.Address).Paths[0].Relay;
        SimulatedNode[] limited = [.. world.Nodes.Take(Relays).Where(node => node.Node.Address == relay)];
        Assert.Single(limited);
        SetRelays(limited, false);
        TimeSpan start = world.Now;
        List<double> lost = [];
        for (int i = 0; i < 1200; i++)
        {
            int had = beta.Delivered.Count;
            alpha.Node.Send(world.Now, beta.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(100));
            if (beta.Delivered.Count == had)
            {
                lost.Add((world.Now - start).TotalSeconds);
            }
        }

        output.WriteLine($"{lost.Count} of 1200 packets lost in two minutes, at {string.Join(" ", lost)}; then by {alpha.PathTo(beta)}");
        Assert.DoesNotContain(lost, at => at > 8);
        Assert.Equal(PathKind.Relay, alpha.PathTo(beta));
        Assert.All(limited, node => Assert.True(node.Node.IsJoined));
        SetRelays(limited, true);
        Assert.NotNull(world.RunUntil(() => alpha.PathTo(beta) == PathKind.Relay, TimeSpan.FromMinutes(3)));
    }

    private static void SetRelays(SimulatedNode[] nodes, bool relays)
    {
        foreach (SimulatedNode node in nodes)
        {
            node.Node.RelaysForOthers = relays;
        }
    }
}
