using System.Text.Json;
using Brunet;
using Brunet.Addressing;
using Testing.Simulation;
using Testing.Simulation.Sites;
using Xunit.Abstractions;

namespace Simulation.Tests.Sites;

/// <summary>Every pair of the simulated sites, in rounds in which each site talks to one other: the grid of test/netns in virtual time.</summary>
public sealed class SitePairTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly string[] First = ["198.19.1.1", "2001:db8:57::1"];

    /// <summary>The pairs that cannot be straight, as test/netns/grid has them.</summary>
    private static readonly HashSet<(string, string)> Excused = [.. Listed()];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Every_pair_of_kinds_connects_and_all_that_can_be_are_direct(int seed)
    {
        var world = new SimulatedNetwork(seed) { Lan = (one, other) => one.Host.Lan == other.Host.Lan && !one.Host.Lan.IsIsolated };
        TransportAddress[] list = [.. First.Select(text => SimulatedSites.Address(text) with { Port = 4433 })];
        world.Add(world.Sites.MakePublic(First), Policy, [], isFirst: true);
        var nodes = new List<(string Name, SimulatedNode Node)>();
        foreach (string name in SimulatedSites.Names)
        {
            nodes.Add((name, world.Add(world.Sites.Make(name), Policy, list)));
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        world.Run(TimeSpan.FromSeconds(5));
        var all = new List<Pair>();
        foreach (List<Pair> round in Rounds(nodes))
        {
            Talk(world, round);
            all.AddRange(round);
        }

        foreach (Pair pair in all.Where(pair => pair.Direct is null))
        {
            output.WriteLine($"{pair.One.Name} {pair.Other.Name}: first packet {pair.First}, {pair.Kind}");
        }

        Assert.Equal(SimulatedSites.Names.Count * (SimulatedSites.Names.Count - 1) / 2, all.Count);
        Assert.All(all, pair => Assert.True(pair.First < TimeSpan.FromSeconds(2), $"{pair.One.Name} {pair.Other.Name}: {pair.First}"));
        Assert.All(all.Where(MustBeDirect), pair => Assert.True(pair.Direct < TimeSpan.FromSeconds(10), $"{pair.One.Name} {pair.Other.Name}: {pair.Direct}"));
        output.WriteLine($"{all.Count} pairs, {all.Count(pair => pair.Kind == PathKind.Direct)} direct, first packet {all.Max(pair => pair.First)} at most");
    }

    private static bool MustBeDirect(Pair pair) => !Excused.Contains((pair.One.Name, pair.Other.Name)) && !Excused.Contains((pair.Other.Name, pair.One.Name));

    private static IEnumerable<(string, string)> Listed()
    {
        string list = Path.Combine(global::Tests.CloneFolder.Path, "test/netns/grid/not-direct.json");
        using JsonDocument document = JsonDocument.Parse(File.ReadAllText(list));
        foreach (JsonElement entry in document.RootElement.EnumerateArray())
        {
            foreach (JsonElement site in entry.GetProperty("sites").EnumerateArray())
            {
                foreach (JsonElement other in entry.GetProperty("with").EnumerateArray())
                {
                    yield return (site.GetString()!, other.GetString()!);
                }
            }
        }
    }

    private static void Talk(SimulatedNetwork world, List<Pair> round)
    {
        TimeSpan begun = world.Now;
        while (world.Now - begun < TimeSpan.FromSeconds(10))
        {
            round.ForEach(pair => pair.Say(world.Now));
            for (int i = 0; i < 10; i++)
            {
                world.Run(TimeSpan.FromMilliseconds(10));
                round.ForEach(pair => pair.Hear(world.Now, begun));
            }

            round.ForEach(pair => pair.Look(world.Now, begun));
        }
    }

    /// <summary>A tournament: in every round each plays one other, or rests.</summary>
    private static IEnumerable<List<Pair>> Rounds(List<(string Name, SimulatedNode Node)> nodes)
    {
        int places = nodes.Count + (nodes.Count % 2);
        for (int round = 0; round < places - 1; round++)
        {
            var pairs = new List<Pair>();
            for (int i = 0; i < places / 2; i++)
            {
                int one = i == 0 ? places - 1 : (round + i) % (places - 1);
                int other = (round + places - 1 - i) % (places - 1);
                if (one < nodes.Count && other < nodes.Count)
                {
                    pairs.Add(new Pair(nodes[one], nodes[other]));
                }
            }

            yield return pairs;
        }
    }

    private sealed class Pair((string Name, SimulatedNode Node) one, (string Name, SimulatedNode Node) other)
    {
        private int _asked = other.Node.Delivered.Count;
        private readonly int _answered = one.Node.Delivered.Count;

        public (string Name, SimulatedNode Node) One => one;

        public (string Name, SimulatedNode Node) Other => other;

        /// <summary>From the first question to its answer; null: never.</summary>
        public TimeSpan? First { get; private set; }

        /// <summary>Until both use a straight path; null: never.</summary>
        public TimeSpan? Direct { get; private set; }

        /// <summary>The path in the end.</summary>
        public PathKind? Kind { get; private set; }

        public void Say(TimeSpan now) => one.Node.Node.Send(now, other.Node.Node.Address, [1]);

        public void Hear(TimeSpan now, TimeSpan begun)
        {
            for (; _asked < other.Node.Delivered.Count; _asked++)
            {
                other.Node.Node.Send(now, one.Node.Node.Address, [2]);
            }

            First ??= one.Node.Delivered.Count > _answered ? now - begun : null;
        }

        public void Look(TimeSpan now, TimeSpan begun)
        {
            Kind = one.Node.PathTo(other.Node);
            Direct ??= Kind == PathKind.Direct && other.Node.PathTo(one.Node) == PathKind.Direct ? now - begun : null;
        }
    }
}
