using Brunet.Relay;

namespace Brunet.Tests.Relay;

public sealed class RelayBudgetTests
{
    private const int Rate = 100_000;

    [Fact]
    public void No_more_goes_on_in_ten_seconds_than_the_rate_and_one_burst()
    {
        var budget = new RelayBudget(Rate);
        for (int i = 0; i < 10_000; i++)
        {
            budget.TryTake(TimeSpan.FromMilliseconds(i), 1000, isRing: true);
        }

        Assert.InRange(budget.Bytes, 10 * Rate, 11 * Rate);
        Assert.Equal(10_000, budget.Frames + budget.Refused);
        Assert.Equal(budget.Frames * 1000, budget.Bytes);
    }

    [Fact]
    public void Who_fills_the_relay_leaves_room_for_handshakes_on_the_ring()
    {
        var budget = new RelayBudget(Rate);
        while (budget.TryTake(default, 1000, isRing: false))
        {
        }

        Assert.Equal(0.8 * Rate, budget.Bytes);
        Assert.True(budget.TryTake(default, 1200, isRing: true));
        Assert.False(budget.TryTake(default, 1000, isRing: false));
    }

    [Fact]
    public void Without_a_limit_everything_goes_on_and_is_counted()
    {
        var budget = new RelayBudget(0);
        for (int i = 0; i < 1000; i++)
        {
            Assert.True(budget.TryTake(default, 4000, isRing: false));
        }

        Assert.Equal((1000, 4_000_000, 0), (budget.Frames, budget.Bytes, budget.Refused));
    }

    [Fact]
    public void The_owner_s_limit_holds_where_it_is_less_and_ends_again()
    {
        foreach (int rate in new[] { Rate, 0 })
        {
            var budget = new RelayBudget(rate);
            budget.Lower(50_000);
            for (int i = 0; i < 10_000; i++)
            {
                budget.TryTake(TimeSpan.FromMilliseconds(i), 1000, isRing: true);
            }

            Assert.InRange(budget.Bytes, 500_000, 550_000);
            budget.Lower(null);
            for (int i = 10_000; i < 20_000; i++)
            {
                budget.TryTake(TimeSpan.FromMilliseconds(i), 100, isRing: true);
            }

            Assert.InRange(budget.Bytes, 1_490_000, 1_550_000);
        }

        var wide = new RelayBudget(Rate);
        wide.Lower(10 * Rate);
        Assert.False(wide.TryTake(default, 2 * Rate, isRing: true));
    }

    [Fact]
    public void Where_all_is_the_machine_s_own_nothing_is_relayed_and_the_ring_goes_on()
    {
        foreach (int rate in new[] { Rate, 0 })
        {
            var budget = new RelayBudget(rate) { IsRingAlone = true };
            Assert.False(budget.TryTake(default, 100, isRing: false));
            Assert.True(budget.TryTake(default, 100, isRing: true));
            budget.IsRingAlone = false;
            Assert.True(budget.TryTake(default, 100, isRing: false));
            Assert.Equal((2, 1), (budget.Frames, budget.Refused));
        }
    }

    [Fact]
    public void A_clock_that_stands_still_or_goes_back_gives_nothing()
    {
        var budget = new RelayBudget(Rate);
        Assert.True(budget.TryTake(TimeSpan.FromSeconds(5), Rate, isRing: true));
        Assert.False(budget.TryTake(TimeSpan.FromSeconds(5), 1, isRing: true));
        Assert.False(budget.TryTake(TimeSpan.FromSeconds(4), 1, isRing: true));
    }
}
