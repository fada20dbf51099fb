namespace Simulation.Tests;

public sealed class CommandLineTests
{
    [Fact]
    public void Without_arguments_every_scenario_is_played_but_those_that_take_long()
    {
        Assert.True(CommandLine.TryRead([], out CommandLine? command, out _));
        HashSet<string> played = [.. command.Plan().SelectMany(performance => performance.Scenarios).Select(scenario => scenario.Name)];
        Assert.Equal(Simulation.Scenarios.AllScenarios.List.Select(scenario => scenario.Name).Where(name => name is not ("day" or "week" or "quiet")).ToHashSet(), played);
        Assert.True(CommandLine.TryRead(["--scenario", "day"], out command, out _));
        Assert.Equal("day", Assert.Single(Assert.Single(command.Plan()).Scenarios).Name);
        Assert.True(CommandLine.TryRead(["--scenario", "quiet"], out command, out _));
        Assert.Equal((1000, "quiet"), (Assert.Single(command.Plan()).Size, Assert.Single(Assert.Single(command.Plan()).Scenarios).Name));
    }

    [Fact]
    public void Names_and_size_choose_what_is_played_once()
    {
        Assert.True(CommandLine.TryRead(["--scenario", "join,merge", "--size", "50", "--seed", "4"], out CommandLine? command, out _));
        IReadOnlyList<Performance> plan = command.Plan();
        Assert.Equal(["join", "merge"], plan.SelectMany(performance => performance.Scenarios).Select(scenario => scenario.Name).Order());
        Assert.All(plan, performance => Assert.Equal((50, 4), (performance.Size, performance.Seed)));
    }

    [Fact]
    public void Big_is_one_ring_of_ten_thousand_and_two_that_merge()
    {
        Assert.True(CommandLine.TryRead(["--scenario", "big", "--sessions", "cheap"], out CommandLine? command, out _));
        IReadOnlyList<Performance> plan = command.Plan();
        Assert.Equal(["idle,join,death", "merge"], plan.Select(performance => string.Join(',', performance.Scenarios.Select(scenario => scenario.Name))));
        Assert.All(plan, performance => Assert.Equal((10_000, true), (performance.Size, performance.HasCheapSessions)));
    }

    [Theory]
    [InlineData("'--nodes' is not known", "--nodes", "5")]
    [InlineData("--size needs a value", "--size")]
    [InlineData("--size 5: give a number from 10 to 100000", "--size", "5")]
    [InlineData("--seed x: give a whole number", "--seed", "x")]
    [InlineData("there is no scenario 'joins'", "--scenario", "joins")]
    [InlineData("'big' stands alone", "--scenario", "big,day")]
    [InlineData("--sessions none: give real or cheap", "--sessions", "none")]
    public void What_is_wrong_is_named(string expected, params string[] arguments)
    {
        Assert.False(CommandLine.TryRead(arguments, out _, out string? error));
        Assert.Equal(expected, error);
    }
}
