using Brunet;
using Testing.Simulation;
using Testing.Simulation.Sites;
using Xunit.Abstractions;

namespace Simulation.Tests.Sites;

/// <summary>Several nodes behind one NAT that takes another port for each destination: each searches for a way at the same time, and they do not stand in each other's way.</summary>
public sealed class SharedNatTests(ITestOutputHelper output)
{
    private const int Together = 4;
    private const int Publics = 4;
    private const int Worlds = 10;

    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void Four_nodes_behind_one_hard_NAT_that_search_at_once_get_through_as_one_alone_does()
    {
        List<TimeSpan> alone = Search(1), together = Search(Together);
        output.WriteLine($"alone: median {alone[alone.Count / 2]}, slowest {alone[^1]}; {Together} at once: median {together[together.Count / 2]}, slowest {together[^1]}");
        Assert.True(together[together.Count / 2] < TimeSpan.FromSeconds(3), $"{together[together.Count / 2]}");
        Assert.True(together[^1] < TimeSpan.FromSeconds(10), $"{together[^1]}");
    }

    /// <summary>Times until straight of as many nodes behind one NAT, each with a peer of its own behind a port-restricted one; sorted.</summary>
    private static List<TimeSpan> Search(int together)
    {
        var times = new List<TimeSpan>();
        for (int seed = 1; seed <= Worlds; seed++)
        {
            var world = new SimulatedNetwork(seed);
            for (int i = 0; i < Publics + Together; i++)
            {
                world.Add(i < Publics ? NatKind.None : NatKind.PortRestricted, Policy);
            }

            SimulatedNode[] peers = [.. world.Nodes.Skip(Publics)];
            var gateway = new SimulatedGateway(world.Internet, SimulatedSites.Address("198.19.0.50"), NatKind.Symmetric, new Random(seed));
            SimulatedNode[] nodes =
            [
                .. Enumerable.Range(2, together).Select(last =>
                    world.Add(new SimulatedHost(gateway.Inner, SimulatedSites.Address($"10.50.0.{last}")), Policy, [world.FirstEndpoint])),
            ];
            bool isJoined = world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)) is not null;
            Assert.True(isJoined);
            world.Run(TimeSpan.FromSeconds(2));
            times.AddRange(Talk(world, nodes, peers));
        }

        times.Sort();
        return times;
    }

    private static TimeSpan[] Talk(SimulatedNetwork world, SimulatedNode[] nodes, SimulatedNode[] peers)
    {
        var times = new TimeSpan[nodes.Length];
        Array.Fill(times, TimeSpan.MaxValue);
        TimeSpan start = world.Now;
        for (; world.Now - start < TimeSpan.FromSeconds(20) && times.Contains(TimeSpan.MaxValue); world.Run(TimeSpan.FromMilliseconds(100)))
        {
            for (int i = 0; i < nodes.Length; i++)
            {
                nodes[i].Node.Send(world.Now, peers[i].Node.Address, [1]);
                peers[i].Node.Send(world.Now, nodes[i].Node.Address, [2]);
                bool isStraight = nodes[i].PathTo(peers[i]) == PathKind.Direct && peers[i].PathTo(nodes[i]) == PathKind.Direct;
                times[i] = isStraight && times[i] == TimeSpan.MaxValue ? world.Now - start : times[i];
            }
        }

        return times;
    }
}
