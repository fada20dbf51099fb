using Brunet;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Nodes of a ring start anew all the time: how soon the first packet between two of them is answered.</summary>
public sealed class FirstPacketTests(ITestOutputHelper output)
{
    private const int Rounds = 40;
    private const int PairsAtOnce = 3;

    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(20);

    /// <summary>Many that only a relay reaches each other by.</summary>
    private static readonly NatKind[] Kinds =
    [
        NatKind.None, NatKind.None, NatKind.FullCone, NatKind.AddressRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted,
        NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted,
        NatKind.Symmetric, NatKind.Symmetric, NatKind.SymmetricSequential, NatKind.UdpBlocked, NatKind.UdpBlocked,
    ];

    [Fact]
    public void The_first_packet_between_two_that_just_started_is_answered_within_a_second()
    {
        var times = new List<TimeSpan>();
        for (int seed = 1; seed <= 3; seed++)
        {
            SimulatedNetwork world = Ring(seed);
            var random = new Random(seed);
            for (int round = 0; round < Rounds; round++)
            {
                SimulatedNode[] chosen = [.. world.Nodes.Skip(1).OrderBy(_ => random.Next()).Take(2 * PairsAtOnce)];
                foreach (SimulatedNode node in chosen)
                {
                    node.Node.Leave(world.Now);
                    node.Kill();
                }

                world.Run(TimeSpan.FromMilliseconds(50 + random.Next(300)));
                foreach (SimulatedNode node in chosen)
                {
                    node.Delivered.Clear();
                    world.Restart(node, Policy);
                    world.Run(TimeSpan.FromMilliseconds(random.Next(60)));
                }

                times.AddRange(Talk(world, chosen));
                world.Run(TimeSpan.FromSeconds(2));
            }
        }

        times.Sort();
        TimeSpan late = times[(int)(0.99 * times.Count)];
        output.WriteLine($"{times.Count} pairs: median {times[times.Count / 2]}, 99th percentile {late}, longest {times[^1]}");
        Assert.True(times[times.Count / 2] < TimeSpan.FromSeconds(0.1), $"{times[times.Count / 2]}");

        // One patience of a packet that waits, not two.
        Assert.True(late < TimeSpan.FromSeconds(0.2), $"{late}");
        Assert.True(times[^1] < TimeSpan.FromSeconds(1), $"{times[^1]}");
    }

    [Theory]
    [InlineData(NatKind.Symmetric)]
    [InlineData(NatKind.UdpBlocked)]
    public void A_peer_behind_a_relay_hears_the_goodbye(NatKind kind)
    {
        // Without jitter: what is sent first arrives first, as on nearly every network.
        var world = new SimulatedNetwork(seed: 5) { HasCheapSessions = true, Latency = (_, _, _) => TimeSpan.FromMilliseconds(5) };
        HearGoodbye(world, kind, NatKind.Symmetric);
    }

    [Fact]
    public void A_goodbye_over_a_relay_is_heard_though_the_relay_hears_its_own_before()
    {
        for (int seed = 1; seed <= 10; seed++)
        {
            // Ways that turn around what is sent at once.
            var world = new SimulatedNetwork(seed) { HasCheapSessions = true, Latency = (_, _, chance) => TimeSpan.FromMilliseconds(2 + (6 * chance)) };
            HearGoodbye(world, NatKind.Symmetric, NatKind.UdpBlocked);
        }
    }

    // Two that only a relay joins talk; one leaves, and the other knows it at once.
    private static void HearGoodbye(SimulatedNetwork world, NatKind leaving, NatKind staying)
    {
        for (int i = 0; i < 6; i++)
        {
            world.Add(i < 2 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        SimulatedNode leaves = world.Add(leaving, Policy);
        SimulatedNode stays = world.Add(staying, Policy);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), Limit));
        for (int i = 0; i < 30; i++)
        {
            leaves.Node.Send(world.Now, stays.Node.Address, [1]);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        Assert.Equal(PathKind.Relay, stays.PathTo(leaves));
        leaves.Node.Leave(world.Now);
        leaves.Kill();
        Assert.NotNull(world.RunUntil(() => stays.PathTo(leaves) is null, TimeSpan.FromSeconds(0.3)));
    }

    private static SimulatedNetwork Ring(int seed)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true, Latency = (_, _, chance) => TimeSpan.FromMilliseconds(0.3 + (chance * 3)) };
        foreach (NatKind kind in Kinds)
        {
            world.Add(kind, Policy);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), Limit));
        world.Run(TimeSpan.FromSeconds(5));
        return world;
    }

    /// <summary>Every first node of a pair sends its second one a packet each 50 ms as soon as both are on the ring; the time to the first answer.</summary>
    private static List<TimeSpan> Talk(SimulatedNetwork world, SimulatedNode[] nodes)
    {
        var result = new List<TimeSpan>();
        var up = new Dictionary<SimulatedNode, TimeSpan>();
        int[] heard = new int[nodes.Length];
        TimeSpan end = world.Now + Limit;
        for (TimeSpan nextSend = world.Now; result.Count < nodes.Length / 2; world.Run(TimeSpan.FromMilliseconds(5)))
        {
            Assert.True(world.Now < end, "a pair got no answer");
            bool isTime = world.Now >= nextSend;
            nextSend += isTime ? TimeSpan.FromMilliseconds(50) : default;
            for (int i = 0; i < nodes.Length; i += 2)
            {
                (SimulatedNode asks, SimulatedNode answers) = (nodes[i], nodes[i + 1]);
                if (!up.ContainsKey(asks) && asks.Node.IsJoined && answers.Node.IsJoined)
                {
                    up[asks] = world.Now;
                }

                if (isTime && up.ContainsKey(asks) && heard[i] == 0)
                {
                    asks.Node.Send(world.Now, answers.Node.Address, [1]);
                }

                for (; heard[i + 1] < answers.Delivered.Count; heard[i + 1]++)
                {
                    answers.Node.Send(world.Now, asks.Node.Address, [2]);
                }

                if (heard[i] == 0 && asks.Delivered.Count > 0)
                {
                    heard[i] = 1;
                    result.Add(world.Now - up[asks]);
                }
            }
        }

        return result;
    }
}
