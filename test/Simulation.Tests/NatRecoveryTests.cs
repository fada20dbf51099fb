using Brunet;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>NATs that forget while two nodes talk, machines that sleep: how long the conversation stands still.</summary>
public sealed class NatRecoveryTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    [Theory]
    [InlineData(NatKind.PortRestricted, NatKind.PortRestricted, false)]
    [InlineData(NatKind.PortRestricted, NatKind.PortRestricted, true)]
    [InlineData(NatKind.FullCone, NatKind.SymmetricSequential, false)]
    [InlineData(NatKind.AddressRestricted, NatKind.Symmetric, false)]
    [InlineData(NatKind.Symmetric, NatKind.Symmetric, false)]
    public void A_NAT_that_forgets_silences_a_conversation_for_less_than_a_second(NatKind one, NatKind two, bool moves)
    {
        var silences = new List<TimeSpan>();
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed);
            (SimulatedNode asks, SimulatedNode answers) = Talk(world, one, two);
            foreach (SimulatedNode forgets in (SimulatedNode[])[asks, answers, answers, asks])
            {
                SimulatedNetwork.Forget(forgets, moves);
                silences.Add(Silence(world, asks, answers, TimeSpan.FromSeconds(8)));
            }
        }

        silences.Sort();
        output.WriteLine($"median {silences[silences.Count / 2]}, longest {silences[^1]}");
        Assert.True(silences[^1] < TimeSpan.FromSeconds(1.5), $"{silences[^1]}");
        Assert.True(silences[silences.Count / 2] < TimeSpan.FromSeconds(1), $"{silences[silences.Count / 2]}");
    }

    [Theory]
    [InlineData(NatKind.SymmetricSequential)]
    [InlineData(NatKind.Symmetric)]
    public void A_way_that_was_searched_for_is_left_at_once_when_all_NATs_forget_one_after_the_other(NatKind hard)
    {
        // A search leaves twenty straight ways, which all end together; and who could help over a relay has forgotten as well.
        var silences = new List<TimeSpan>();
        for (int seed = 1; seed <= 12; seed++)
        {
            var world = new SimulatedNetwork(seed);
            (SimulatedNode asks, SimulatedNode answers) = seed % 2 == 0 ? Talk(world, hard, NatKind.PortRestricted) : Talk(world, NatKind.PortRestricted, hard);
            Assert.Equal(PathKind.Direct, asks.PathTo(answers));
            TimeSpan last = world.Now;
            TimeSpan longest = default;
            void Go(int exchanges)
            {
                for (int i = 0; i < exchanges; i++)
                {
                    last = Exchange(world, asks, answers) ? world.Now : last;
                    longest = world.Now - last > longest ? world.Now - last : longest;
                }
            }

            foreach (int half in (int[])[0, 1])
            {
                foreach (SimulatedNode node in world.Nodes.Where(node => node.Index % 2 == half))
                {
                    SimulatedNetwork.Forget(node, moves: node.Index % 5 == 1);
                    Go(2);
                }

                Go(35);
            }

            silences.Add(longest);
        }

        silences.Sort();
        output.WriteLine($"median {silences[silences.Count / 2]}, longest {silences[^1]}");
        Assert.True(silences[^1] < TimeSpan.FromSeconds(2), $"{silences[^1]}");
        Assert.True(silences[silences.Count / 2] < TimeSpan.FromSeconds(1), $"{silences[silences.Count / 2]}");
    }

    [Fact]
    public void When_the_straight_path_is_cut_both_ways_traffic_moves_within_two_seconds()
    {
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed);
            (SimulatedNode asks, SimulatedNode answers) = Talk(world, NatKind.PortRestricted, NatKind.PortRestricted);
            world.Wire = (from, to, _) =>
                !((from == asks && to.IPv4 == answers.PublicEndpoint.IPv4) || (from == answers && to.IPv4 == asks.PublicEndpoint.IPv4));
            TimeSpan silence = Silence(world, asks, answers, TimeSpan.FromSeconds(8));
            output.WriteLine($"{silence}");
            Assert.True(silence < TimeSpan.FromSeconds(2), $"{silence}");
        }
    }

    [Fact]
    public void A_killed_node_is_noticed_within_five_seconds()
    {
        var world = new SimulatedNetwork(seed: 3);
        (SimulatedNode asks, SimulatedNode answers) = Talk(world, NatKind.PortRestricted, NatKind.PortRestricted);
        answers.Kill();
        TimeSpan begun = world.Now;
        while (asks.PathTo(answers) is not (null or PathKind.Ring) && world.Now - begun < TimeSpan.FromSeconds(20))
        {
            asks.Node.Send(world.Now, answers.Node.Address, [1]);
            world.Run(Interval);
        }

        output.WriteLine($"noticed after {world.Now - begun}");
        Assert.True(world.Now - begun < TimeSpan.FromSeconds(5), $"{world.Now - begun}");
    }

    [Fact]
    public void A_machine_that_slept_for_forty_seconds_talks_again_within_five()
    {
        var world = new SimulatedNetwork(seed: 4);
        (SimulatedNode asks, SimulatedNode answers) = Talk(world, NatKind.PortRestricted, NatKind.PortRestricted);
        asks.Kill();
        world.Run(TimeSpan.FromSeconds(40));
        SimulatedNetwork.Forget(asks, moves: true);
        world.Wake(asks);
        TimeSpan begun = world.Now;
        int before = asks.Delivered.Count;
        while (asks.Delivered.Count == before && world.Now - begun < TimeSpan.FromSeconds(20))
        {
            Exchange(world, asks, answers);
        }

        output.WriteLine($"talks after {world.Now - begun}");
        Assert.True(world.Now - begun < TimeSpan.FromSeconds(5), $"{world.Now - begun}");
    }

    /// <summary>Two nodes of a small ring that have talked for a while.</summary>
    private static (SimulatedNode Asks, SimulatedNode Answers) Talk(SimulatedNetwork world, NatKind one, NatKind two)
    {
        for (int i = 0; i < 8; i++)
        {
            world.Add(i < 3 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        SimulatedNode asks = world.Add(one, Policy);
        SimulatedNode answers = world.Add(two, Policy);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        for (int i = 0; i < 120; i++)
        {
            Exchange(world, asks, answers);
        }

        Assert.True(asks.Delivered.Count > 80, $"{asks.Delivered.Count} of 120");
        return (asks, answers);
    }

    private static TimeSpan Silence(SimulatedNetwork world, SimulatedNode asks, SimulatedNode answers, TimeSpan watched)
    {
        TimeSpan end = world.Now + watched;
        (TimeSpan last, TimeSpan longest) = (world.Now, default);
        while (world.Now < end)
        {
            if (Exchange(world, asks, answers))
            {
                last = world.Now;
            }

            longest = world.Now - last > longest ? world.Now - last : longest;
        }

        return longest;
    }

    /// <summary>One asks, the other answers whatever arrives within the interval; true if an answer came.</summary>
    private static bool Exchange(SimulatedNetwork world, SimulatedNode asks, SimulatedNode answers)
    {
        int had = asks.Delivered.Count;
        asks.Node.Send(world.Now, answers.Node.Address, [1]);
        TimeSpan end = world.Now + Interval;
        while (world.Now < end)
        {
            int heard = answers.Delivered.Count;
            world.Run(TimeSpan.FromMilliseconds(5));
            for (; heard < answers.Delivered.Count; heard++)
            {
                answers.Node.Send(world.Now, asks.Node.Address, [2]);
            }
        }

        return asks.Delivered.Count > had;
    }
}
