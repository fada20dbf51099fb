using Brunet.Notices;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>
/// Whoever was not there when a notice was published has it soon, by his neighbours alone, whatever they are themselves: many seeds each, so that
/// rings and moments differ.
/// </summary>
public sealed class NoticeTests(ITestOutputHelper output)
{
    private const byte Kind = 1;
    private const int Seeds = 20;

    private static readonly SmallerOwnerWins Records = new();

    [Fact]
    public void Late_joiners_have_the_newest_notice_within_ten_seconds_though_most_of_their_neighbours_are_late_too()
    {
        double worst = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedNetwork world = Ring(seed, 4);
            Publish(world, 1);
            world.Loss = 0.05;
            for (int i = 0; i < 20; i++)
            {
                Add(world);
            }

            worst = Math.Max(worst, Wait(world, 10, seed));
        }

        output.WriteLine($"the last of twenty at once, beside four old ones, after {worst:0.0} s at most");
    }

    [Fact]
    public void Two_halves_with_different_notices_of_one_number_keep_what_they_have_and_hear_of_each_other()
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedNetwork world = Ring(seed, 8);
            var policies = world.Nodes.ToDictionary(node => node, _ => new SimulatedNoticePolicy());
            foreach ((SimulatedNode node, SimulatedNoticePolicy policy) in policies)
            {
                node.Node.NoticePolicy = policy;
            }

            world.IsParted = (from, to) => (world.Nodes.IndexOf(from) < 4) != (world.Nodes.IndexOf(to) < 4);
            Notice one = SimulatedNoticePolicy.Sign(Kind, 7, new byte[] { 1 }), other = SimulatedNoticePolicy.Sign(Kind, 7, new byte[] { 2 });
            Assert.True(world.Nodes[0].Node.Publish(world.Now, one) && world.Nodes[7].Node.Publish(world.Now, other));
            world.Run(TimeSpan.FromSeconds(5));
            world.IsParted = null;
            world.Run(TimeSpan.FromSeconds(30));
            Assert.Equal([1, 1, 1, 1, 2, 2, 2, 2], world.Nodes.Select(node => (int)node.Node.NewestNotice(Kind)!.Body.Span[0]));
            Assert.All(policies.Values.SelectMany(policy => policy.Others), heard => Assert.Equal((Kind, 7ul), heard));
            Assert.True(policies.Values.Count(policy => policy.Others.Count > 0) >= 2, $"seed {seed}: nobody heard of it");
        }
    }

    [Fact]
    public void A_leaf_that_comes_late_has_it_within_fifteen_seconds()
    {
        double worst = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedNetwork world = Ring(seed, 8, isOpen: false);
            Publish(world, 1);
            Add(world, isOpen: false, certified: false);
            worst = Math.Max(worst, Wait(world, 15, seed));
        }

        output.WriteLine($"after {worst:0.0} s at most");
    }

    [Fact]
    public void Who_was_cut_off_for_less_time_than_it_takes_to_die_has_it_within_fifteen_seconds()
    {
        double worst = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedNetwork world = Ring(seed, 10);
            SimulatedNode cut = world.Nodes[5];
            world.IsParted = (from, to) => from == cut || to == cut;
            Publish(world, 1, but: cut);
            world.Run(TimeSpan.FromSeconds(seed % 10));
            world.IsParted = null;
            worst = Math.Max(worst, Wait(world, 15, seed));
        }

        output.WriteLine($"after {worst:0.0} s at most");
    }

    [Fact]
    public void Two_halves_that_were_parted_both_have_the_newer_of_what_each_published_within_a_minute()
    {
        double worst = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedNetwork world = Ring(seed, 16);
            world.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
            world.Run(TimeSpan.FromSeconds(30));
            Assert.True(world.Nodes[0].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 7, new byte[2000])));
            Assert.True(world.Nodes[1].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 8, new byte[2000])));
            world.Run(TimeSpan.FromSeconds(30));
            world.IsParted = null;
            worst = Math.Max(worst, Wait(world, 60, seed, 8));
        }

        output.WriteLine($"after {worst:0.0} s at most");
    }

    [Fact]
    public void A_machine_that_was_set_back_to_before_the_notice_has_it_again_within_fifteen_seconds()
    {
        double worst = 0;
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedNetwork world = Ring(seed, 10);
            Publish(world, 1);
            SimulatedNode back = world.Nodes[5];

            // Its neighbours heard from it that it has the notice.
            world.Restart(back, Records);
            back.Node.NoticePolicy = new SimulatedNoticePolicy();
            worst = Math.Max(worst, Wait(world, 15, seed));
        }

        output.WriteLine($"after {worst:0.0} s at most");
    }

    private static SimulatedNetwork Ring(int seed, int nodes, bool isOpen = true)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        for (int i = 0; i < nodes; i++)
        {
            Add(world, isOpen);
        }

        world.Run(TimeSpan.FromSeconds(30));
        return world;
    }

    private static void Add(SimulatedNetwork world, bool isOpen = true, bool certified = true)
    {
        SimulatedNode node = world.Add(world.Nodes.Count % 4 == 0 ? NatKind.None : NatKind.PortRestricted, Records, isOpen, certified);
        node.Node.NoticePolicy = new SimulatedNoticePolicy();
    }

    /// <summary>Publishes a notice, and waits until all that can have it do.</summary>
    private static void Publish(SimulatedNetwork world, ulong number, SimulatedNode? but = null)
    {
        Assert.True(world.Nodes[1].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, number, new byte[2000])));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node == but || Has(node, number)), TimeSpan.FromSeconds(15)));
    }

    private static bool Has(SimulatedNode node, ulong number) => node.Node.NewestNotice(Kind)?.Number == number;

    /// <summary>Seconds until all have it.</summary>
    private static double Wait(SimulatedNetwork world, int limit, int seed, ulong number = 1)
    {
        TimeSpan? passed = world.RunUntil(() => world.Nodes.TrueForAll(node => Has(node, number)), TimeSpan.FromSeconds(limit));
        Assert.True(passed is not null, $"seed {seed}: {world.Nodes.Count(node => !Has(node, number))} of {world.Nodes.Count} have it not after {limit} s");
        return passed!.Value.TotalSeconds;
    }
}
