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
    public void No_conversation_is_silent_for_two_seconds_while_all_NATs_forget_and_some_move(bool isTold)
    {
        var all = new List<(TimeSpan Silence, string Words)>();
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed)
            {
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
                Measure(world, nodes, all, $"seed {seed}, round {round}");
                world.Run(TimeSpan.FromSeconds(random.Next(20)));
            }
        }

        all.Sort();
        Judge("all", all, TimeSpan.FromSeconds(0.5));
        Judge("without UDP", all.FindAll(pair => pair.Words.Contains(nameof(NatKind.UdpBlocked), StringComparison.Ordinal)), TimeSpan.FromSeconds(1));
    }

    private void Judge(string which, List<(TimeSpan Silence, string Words)> all, TimeSpan median)
    {
        output.WriteLine($"{which}: {all.Count} pairs, median {all[all.Count / 2].Silence}, 99th percentile {all[(int)(all.Count * 0.99)].Silence}, longest {all[^1]}");
        Assert.True(all[all.Count / 2].Silence < median, $"{which}: {all[all.Count / 2].Silence}");
        Assert.True(all[^1].Silence < TimeSpan.FromSeconds(2), $"{which}: {all[^1]}");
    }

    private static void Measure(SimulatedNetwork world, SimulatedNode[] nodes, List<(TimeSpan, string)> all, string name)
    {
        int pairs = nodes.Length / 2;
        var last = new TimeSpan[pairs];
        var longest = new TimeSpan[pairs];
        int[] heard = new int[nodes.Length];
        for (int i = 0; i < nodes.Length; i++)
        {
            heard[i] = nodes[i].Delivered.Count;
        }

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
        foreach (int side in (int[])[0, 1])
        {
            for (int i = 0; i < pairs; i++)
            {
                SimulatedNode node = nodes[(2 * i) + side];
                SimulatedNetwork.Forget(node, moves: node.Index % 5 == 1 && node.Index > 1);
                Go(Apart, counts: true);
            }

            Go(Recovered, counts: true);
        }

        Go(TimeSpan.FromSeconds(4.5), counts: true);
        for (int i = 0; i < pairs; i++)
        {
            (SimulatedNode a, SimulatedNode b) = (nodes[2 * i], nodes[(2 * i) + 1]);
            all.Add((longest[i], $"{name}: {a.Index} {Kinds[a.Index]} and {b.Index} {Kinds[b.Index]}"));
        }
    }
}
