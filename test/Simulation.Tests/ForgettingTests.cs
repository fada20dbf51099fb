using Brunet;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Pairs that have just begun to talk, all at once, while the NATs of all sites forget one after the other, some with another port for their machine then.</summary>
public sealed class ForgettingTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Warm = TimeSpan.FromSeconds(2.5);
    private static readonly TimeSpan Apart = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan Recovered = TimeSpan.FromSeconds(3.5);

    /// <summary>What is said of a pair that had no path yet when NATs began to forget: the links of the ring that carried it forgot, too.</summary>
    private const string ByRing = ", by the ring";

    /// <summary>Who is not straight by then is still looked at.</summary>
    private static readonly TimeSpan StraightWithin = TimeSpan.FromSeconds(10);

    private static readonly NatKind[] Kinds =
    [
        NatKind.None, NatKind.None, NatKind.FullCone, NatKind.AddressRestricted, NatKind.PortRestricted, NatKind.Symmetric, NatKind.SymmetricSequential,
        NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted,
        NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted, NatKind.PortRestricted,
        NatKind.PortRestricted, NatKind.PortRestricted, NatKind.UdpBlocked, NatKind.UdpBlocked, NatKind.UdpBlocked,
    ];

    /// <summary>Of a forgotten connection the machine is told when it sends, or nobody ever is.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void No_path_is_silent_for_two_seconds_while_all_NATs_forget_and_some_move_and_all_are_straight_again(bool isTold)
    {
        var all = new List<(TimeSpan Silence, string Words)>();
        var straight = new List<(TimeSpan After, string Words)>();
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed)
            {
                HasCheapSessions = true,
                Latency = (_, _, chance) => TimeSpan.FromMilliseconds(0.3 + chance),
                ResetsForgotten = isTold,
            };
            foreach (NatKind kind in Kinds)
            {
                world.Add(kind, Policy);
                world.Run(TimeSpan.FromMilliseconds(100));
            }

            Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
            world.Run(TimeSpan.FromSeconds(5));
            var random = new Random(seed);
            for (int round = 0; round < 8; round++)
            {
                SimulatedNode[] nodes = [.. world.Nodes.Skip(1).OrderBy(_ => random.Next()).Take(22)];
                Measure(world, nodes, all, straight, $"seed {seed}, round {round}");
                world.Run(TimeSpan.FromSeconds(random.Next(20)));
            }

            Assert.Equal(0, world.Refused(Full.Trials));
        }

        all.Sort();
        Judge("all", all, TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(4));
        Judge("with a path", all.FindAll(pair => !pair.Words.Contains(ByRing, StringComparison.Ordinal)), TimeSpan.FromSeconds(0.5), TimeSpan.FromSeconds(2));
        Judge("without UDP", all.FindAll(pair => pair.Words.Contains(nameof(NatKind.UdpBlocked), StringComparison.Ordinal)), TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(4));
        straight.Sort();
        JudgeStraight("all", straight);
    }

    private void JudgeStraight(string which, List<(TimeSpan After, string Words)> all)
    {
        output.WriteLine($"{which}: {all.Count} pairs straight again, median {all[all.Count / 2].After}, 99th percentile {all[(int)(all.Count * 0.99)].After}, " +
            $"later than after 3 s {all.Count(pair => pair.After > TimeSpan.FromSeconds(3))}, last {all[^1]}");
        Assert.True(all[^1].After <= StraightWithin, $"{which}: {all[^1]}");
    }

    private void Judge(string which, List<(TimeSpan Silence, string Words)> all, TimeSpan median, TimeSpan longest)
    {
        output.WriteLine($"{which}: {all.Count} pairs, median {all[all.Count / 2].Silence}, 99th percentile {all[(int)(all.Count * 0.99)].Silence}, longest {all[^1]}");
        Assert.True(all[all.Count / 2].Silence < median, $"{which}: {all[all.Count / 2].Silence}");
        Assert.True(all[^1].Silence < longest, $"{which}: {all[^1]}");
    }

    private static void Measure(SimulatedNetwork world, SimulatedNode[] nodes, List<(TimeSpan, string)> all, List<(TimeSpan, string)> straight, string name)
    {
        int pairs = nodes.Length / 2;
        var last = new TimeSpan[pairs];
        var longest = new TimeSpan[pairs];
        var detour = new TimeSpan[pairs];
        var forgot = new TimeSpan[pairs];
        int[] heard = new int[nodes.Length];
        for (int i = 0; i < nodes.Length; i++)
        {
            heard[i] = nodes[i].Delivered.Count;
        }

        bool IsStraight(int pair) =>
            nodes[2 * pair].PathTo(nodes[(2 * pair) + 1]) == PathKind.Direct && nodes[(2 * pair) + 1].PathTo(nodes[2 * pair]) == PathKind.Direct;

        TimeSpan begun = world.Now;
        int sent = 0;
        void Go(TimeSpan time, bool counts)
        {
            TimeSpan end = world.Now + time;
            while (world.Now < end)
            {
                bool isTime = world.Now - begun >= sent * Interval;
                sent += isTime ? 1 : 0;
                for (int i = 0; i < pairs; i++)
                {
                    (SimulatedNode asks, SimulatedNode answers) = (nodes[2 * i], nodes[(2 * i) + 1]);
                    if (isTime)
                    {
                        detour[i] = IsStraight(i) ? detour[i] : world.Now;
                        asks.Node.Send(world.Now, answers.Node.Address, [1]);
                    }

                    for (; heard[(2 * i) + 1] < answers.Delivered.Count; heard[(2 * i) + 1]++)
                    {
                        answers.Node.Send(world.Now, asks.Node.Address, [2]);
                    }

                    if (asks.Delivered.Count > heard[2 * i])
                    {
                        heard[2 * i] = asks.Delivered.Count;
                        last[i] = world.Now;
                    }

                    if (counts && world.Now - last[i] > longest[i])
                    {
                        longest[i] = world.Now - last[i];
                    }
                }

                world.Run(Step);
            }
        }

        Go(Warm, counts: false);
        Assert.All(last, time => Assert.True(world.Now - time < TimeSpan.FromSeconds(1), $"{name}: a conversation did not begin"));
        bool[] hadPath = [.. nodes.Chunk(2).Select(pair => pair[0].PathTo(pair[1]) is not PathKind.Ring && pair[1].PathTo(pair[0]) is not PathKind.Ring)];
        bool[] wasStraight = [.. Enumerable.Range(0, pairs).Select(IsStraight)];
        foreach (int side in (int[])[0, 1])
        {
            for (int i = 0; i < pairs; i++)
            {
                SimulatedNode node = nodes[(2 * i) + side];
                forgot[i] = world.Now;
                SimulatedNetwork.Forget(node, moves: node.Index % 5 == 1 && node.Index > 1);
                Go(Apart, counts: true);
            }

            Go(Recovered, counts: true);
        }

        Go(TimeSpan.FromSeconds(4.5), counts: true);
        for (int i = 0; i < pairs; i++)
        {
            (SimulatedNode a, SimulatedNode b) = (nodes[2 * i], nodes[(2 * i) + 1]);
            string words = $"{name}: {a.Index} {Kinds[a.Index]} and {b.Index} {Kinds[b.Index]}{(hadPath[i] ? "" : ByRing)}";
            all.Add((longest[i], words));
            if (wasStraight[i])
            {
                straight.Add((detour[i] < forgot[i] ? default : detour[i] - forgot[i], words));
            }
        }
    }
}
