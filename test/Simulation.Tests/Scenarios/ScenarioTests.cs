using Simulation.Reports;
using Simulation.Scenarios;
using Xunit.Abstractions;

namespace Simulation.Tests.Scenarios;

/// <summary>Small editions of what `make sim` plays.</summary>
public sealed class ScenarioTests(ITestOutputHelper output)
{
    [Fact]
    public void A_run_is_its_seed_and_repeats_to_the_byte()
    {
        PerformanceResult one = Play(30, 5, "idle", "join", "death");
        PerformanceResult again = Play(30, 5, "idle", "join", "death");
        Assert.Equal(one.Digest, again.Digest);
        Assert.Equal(one.Events, again.Events);
        Assert.Equal(Reached(one), Reached(again));
        Assert.NotEqual(one.Digest, Play(30, 6, "idle", "join", "death").Digest);
    }

    [Fact]
    public void In_a_ring_of_a_hundred_every_lookup_reaches_the_right_node_within_the_hops_allowed()
    {
        PerformanceResult result = Play(100, 1, "idle");
        AssertMet(result, "hops of a lookup, mean");
        AssertMet(result, "lookups that reach the right node at once");
        AssertMet(result, "links a node, mean");
    }

    [Fact]
    public void With_a_cheap_stand_in_for_sealing_the_ring_is_the_same()
    {
        PerformanceResult real = Play(60, 8, hasCheapSessions: false, "idle");
        PerformanceResult cheap = Play(60, 8, "idle");
        Assert.Equal(real.Events, cheap.Events);
        Assert.Equal(Reached(real), Reached(cheap));
        Assert.NotEqual(real.Digest, cheap.Digest);
    }

    [Fact]
    public void A_node_that_joins_a_ring_of_a_hundred_is_routable_within_three_seconds()
    {
        PerformanceResult result = Play(100, 2, "join");
        AssertMet(result, "time to routable, 99th percentile");
        AssertMet(result, "joiners that became routable within a minute");
    }

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    public void Two_rings_that_formed_under_a_partition_become_one_when_it_heals(int seed) =>
        AssertMet(Play(100, seed, "merge"), "one ring after");

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    public void When_a_third_of_the_nodes_dies_at_once_lookups_work_again_within_the_minute(int seed)
    {
        PerformanceResult result = Play(100, seed, "death");
        AssertMet(result, "lookups right at once after 30 s");
        AssertMet(result, "lookups right at once after 60 s");
    }

    [Fact]
    public void Under_churn_no_acknowledged_record_is_lost()
    {
        PerformanceResult result = Play(30, 3, "records");
        AssertMet(result, "records acknowledged within a minute");
        AssertMet(result, "acknowledged records lost");
    }

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    public void When_a_third_of_the_holders_dies_at_once_the_living_keep_their_records_and_the_dead_keep_theirs_for_their_life(int seed)
    {
        PerformanceResult result = Play(60, seed, "holders");
        AssertMet(result, "living owners' records found, asked 30 s after");
        AssertMet(result, "answers that a living owner's record is not there");
        AssertMet(result, "keys of a living owner that somebody with less claim got");
        AssertMet(result, "keys of the dead that somebody with less claim got within their life");
        AssertMet(result, "records of the dead that stand 620 s after");
        AssertMet(result, "records that a living owner lost");
    }

    [Fact]
    public void The_machines_of_the_bootstrap_list_send_not_much_more_than_others_while_nobody_asks_anything()
    {
        PerformanceResult result = Play(60, 1, "quiet");
        AssertMet(result, "bytes sent by an idle node after ten minutes, mean");
        AssertMet(result, "the most that a node sends, as a multiple of the mean");
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Machines_that_sleep_are_reached_soon_after_they_wake_and_of_copied_ones_one_goes_on(int seed)
    {
        PerformanceResult result = Play(60, seed, "sleep", "clone");
        AssertMet(result, "woken machines that are routable within a minute");
        AssertMet(result, "time from waking to routable, longest");
        AssertMet(result, "every node linked to its true neighbours after waking");
        AssertMet(result, "copied machines of which exactly one goes on");
        AssertMet(result, "all that go on are routable after the last settled");
        AssertMet(result, "every node linked to its true neighbours after");
        AssertMet(result, "nodes that believe in a copy and have none");
    }

    // Sealing is a third of what a scenario takes of a processor, and changes nothing of it: that is a test above.
    private PerformanceResult Play(int size, int seed, params string[] names) => Play(size, seed, hasCheapSessions: true, names);

    private PerformanceResult Play(int size, int seed, bool hasCheapSessions, params string[] names)
    {
        PerformanceResult result = new Performance(size, seed, [.. names.Select(name => AllScenarios.Find(name)!)], hasCheapSessions).Play(output.WriteLine);
        Assert.Null(result.Failure);
        return result;
    }

    private static List<double?> Reached(PerformanceResult result) =>
        [.. result.Reports.SelectMany(report => report.Figures).Select(figure => figure.Reached)];

    private static void AssertMet(PerformanceResult result, string name)
    {
        Figure figure = result.Reports.SelectMany(report => report.Figures).Single(figure => figure.Name == name);
        Assert.True(figure.Met, $"{name}: {figure.Reached} {figure.Unit}, to reach {figure.Goal}");
    }
}
