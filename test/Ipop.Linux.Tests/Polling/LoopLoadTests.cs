using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class LoopLoadTests
{
    [Fact]
    public void It_is_nothing_before_the_first_round() => Assert.Equal(0, new LoopLoad().Share);

    [Theory]
    [InlineData(0, 100, 1.0)]
    [InlineData(100, 100, 0.5)]
    [InlineData(950, 50, 0.05)]
    public void It_is_the_share_of_time_that_is_worked(int waited, int worked, double share)
    {
        var load = new LoopLoad();
        Rounds(load, 100, waited, worked);
        Assert.Equal(share, load.Share, 3);
    }

    [Fact]
    public void One_long_round_amid_short_ones_is_soon_forgotten()
    {
        var load = new LoopLoad();
        Rounds(load, 50, 1000, 10);
        Rounds(load, 1, 1000, 10_000);
        Assert.InRange(load.Share, 0.3, 1);
        Rounds(load, 30, 1000, 10);
        Assert.InRange(load.Share, 0, 0.05);
    }

    [Fact]
    public void After_a_long_sleep_a_flood_is_known_within_dozens_of_rounds()
    {
        var load = new LoopLoad();
        Rounds(load, 1, 3_600_000_000, 10);
        Assert.InRange(load.Share, 0, 0.01);
        Rounds(load, 50, 5, 20);
        Assert.InRange(load.Share, 0.5, 1);
    }

    /// <summary>Microseconds.</summary>
    private static void Rounds(LoopLoad load, int count, long waited, long worked)
    {
        for (int round = 0; round < count; round++)
        {
            load.OnRound(TimeSpan.FromMicroseconds(waited), TimeSpan.FromMicroseconds(worked));
        }
    }
}
