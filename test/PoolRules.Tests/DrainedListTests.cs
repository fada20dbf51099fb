using System.Text;

namespace PoolRules.Tests;

public sealed class DrainedListTests
{
    [Fact]
    public void A_list_comes_back_from_its_text()
    {
        DrainedMachine[] machines = [new("alpha", 1), new(new string('b', 63), Agreed.LatestRestart), new("w-10-0-0-1", 1795707748)];
        Assert.True(DrainedList.TryCreate(machines, out DrainedList? made, out _));
        Assert.Equal($"wow-drained 1\nalpha 1\n{new string('b', 63)} 9999999999\nw-10-0-0-1 1795707748\n", Encoding.ASCII.GetString(made.Write()));
        Assert.True(DrainedList.TryRead(made.Write(), out DrainedList? read));
        Assert.Equal(machines, read.Machines);
        Assert.True(DrainedList.TryRead(DrainedList.Empty.Write(), out read));
        Assert.Empty(read.Machines);
    }

    [Fact]
    public void As_many_as_there_may_be_fit_into_a_notice_with_the_longest_names_and_one_more_is_refused()
    {
        DrainedMachine[] machines = [.. Enumerable.Range(0, Agreed.MostDrained).Select(at => new DrainedMachine($"{at:d3}{new string('x', 60)}", Agreed.LatestRestart))];
        Assert.True(DrainedList.TryCreate(machines, out DrainedList? made, out _));
        Assert.InRange(made.Write().Length, 1, 65536);
        Assert.True(DrainedList.TryRead(made.Write(), out _));
        Assert.False(DrainedList.TryCreate([.. machines, new("one", 1)], out _, out string reason));
        Assert.Contains("--end", reason, StringComparison.Ordinal);
        Assert.False(DrainedList.TryRead([.. made.Write(), .. "one 1\n"u8], out _));
    }

    [Theory]
    [InlineData("")]
    [InlineData("wow-drained 1")]
    [InlineData("wow-drained 2\n")]
    [InlineData("wow-drained 1\n\n")]
    [InlineData("wow-drained 1\nalpha 5")]
    [InlineData("wow-drained 1\nalpha 5\r\n")]
    [InlineData("wow-drained 1\nalpha\n")]
    [InlineData("wow-drained 1\nalpha 0\n")]
    [InlineData("wow-drained 1\nalpha 05\n")]
    [InlineData("wow-drained 1\nalpha 10000000000\n")]
    [InlineData("wow-drained 1\nalpha 5\0\n")]
    [InlineData("wow-drained 1\nalpha  5\n")]
    [InlineData("wow-drained 1\nalpha 5\nalpha 6\n")]
    [InlineData("wow-drained 1\nAlpha 5\n")]
    [InlineData("wow-drained 1\na.b 5\n")]
    [InlineData("wow-drained 1\n\"||true 5\n")]
    public void Anything_else_is_none(string text) => Assert.False(DrainedList.TryRead(Encoding.UTF8.GetBytes(text), out _), text);
}
