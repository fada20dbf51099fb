using Brunet.Addressing;
using Brunet.Relay;

namespace Brunet.Tests.Relay;

public sealed class RelayBudgetTests
{
    private const int Rate = 100_000;
    private const int Small = 84;
    private const int Handshake = 1100;

    private static readonly NodeAddress Alpha = new(1, 1);
    private static readonly NodeAddress Beta = new(1, 2);
    private static readonly NodeAddress Gamma = new(1, 3);

    [Fact]
    public void No_more_goes_on_in_ten_seconds_than_the_rate_and_one_burst()
    {
        var budget = new RelayBudget(Rate);
        for (int i = 0; i < 10_000; i++)
        {
            budget.TryTake(TimeSpan.FromMilliseconds(i), Alpha, 1000, isRing: true);
        }

        Assert.InRange(budget.Bytes, 10 * Rate, 11 * Rate);
        Assert.Equal(10_000, budget.Frames + budget.Refused);
        Assert.Equal(budget.Frames * 1000, budget.Bytes);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_fills_one_kind_leaves_room_for_another_peer_of_it_and_for_the_other_kind(bool isRing)
    {
        var budget = new RelayBudget(Rate);
        while (budget.TryTake(default, Alpha, Small, isRing))
        {
        }

        Assert.InRange(budget.Bytes, (0.4 * Rate) - Small, 0.4 * Rate);
        Assert.True(budget.TryTake(default, Beta, Handshake, isRing));
        Assert.True(budget.TryTake(default, Alpha, Handshake, !isRing));
        Assert.False(budget.TryTake(default, Alpha, Small, isRing));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void However_many_fill_one_kind_a_fifth_is_left_for_the_other(bool isRing)
    {
        var budget = new RelayBudget(Rate);
        for (ulong i = 0; i < 50_000; i++)
        {
            budget.TryTake(default, new NodeAddress(7, i % 50), Small, isRing);
        }

        Assert.InRange(budget.Bytes, 0.75 * Rate, 0.8 * Rate);
        Assert.True(budget.TryTake(default, Alpha, Handshake, !isRing));
    }

    [Theory]
    [InlineData(Rate)]
    [InlineData(1000)]
    public void A_handshake_passes_beside_small_frames_without_end(int rate)
    {
        var budget = new RelayBudget(Rate);
        budget.Lower(rate);
        for (int i = 0; i < 10_000; i++)
        {
            Fill(budget, TimeSpan.FromMilliseconds(i), isRing: true, 3);
            Assert.True(i % 5000 != 4999 || budget.TryTake(TimeSpan.FromMilliseconds(i), Gamma, Handshake, isRing: true));
        }
    }

    [Fact]
    public void Peers_have_as_much_each_however_much_each_sends_and_a_peer_alone_has_all()
    {
        var budget = new RelayBudget(Rate);
        long one = 0;
        long other = 0;
        for (int i = 0; i < 10_000; i++)
        {
            var now = TimeSpan.FromMilliseconds(i);
            for (int frame = 0; frame < 9; frame++)
            {
                one += budget.TryTake(now, Alpha, 100, isRing: false) ? 100 : 0;
            }

            other += budget.TryTake(now, Beta, 100, isRing: false) ? 100 : 0;
        }

        Assert.InRange(other, 4.8 * Rate, 5.6 * Rate);
        Assert.InRange(one, 4.8 * Rate, 5.6 * Rate);
        Assert.InRange(OfOneAlone(budget, 900, isRing: false), 9.5 * Rate, 10.5 * Rate);
    }

    [Fact]
    public void The_ring_has_a_fifth_of_the_rate_while_relays_want_more_than_the_rest_and_all_if_they_want_nothing()
    {
        var budget = new RelayBudget(Rate);
        long ring = 0;
        for (int i = 0; i < 10_000; i++)
        {
            var now = TimeSpan.FromMilliseconds(i);
            ring += budget.TryTake(now, Alpha, 500, isRing: true) ? 500 : 0;
            budget.TryTake(now, Beta, 500, isRing: false);
        }

        Assert.InRange(ring, 2 * Rate, 2.5 * Rate);
        Assert.InRange(budget.Bytes, 10 * Rate, 11 * Rate);
        Assert.InRange(OfOneAlone(budget, 500, isRing: true), 9.5 * Rate, 10.5 * Rate);
    }

    [Fact]
    public void Who_comes_when_too_many_owe_shares_one_place_with_all_others()
    {
        var shares = new FairShares();
        for (ulong i = 1; i <= 2000; i++)
        {
            shares.Add(new NodeAddress(7, i), 10);
        }

        Assert.Equal(20_000, shares.Owed);
        Assert.Equal(10, shares.OwedBy(new NodeAddress(7, 1)));
        Assert.Equal(shares.OwedBy(new NodeAddress(7, 2000)), shares.OwedBy(new NodeAddress(8, 1)));
        Assert.InRange(shares.OwedBy(new NodeAddress(7, 2000)), 9000, 11_000);
        Assert.Equal(5000, shares.Pay(25_000), 0.001);
        Assert.Equal((0, 0), (shares.Owed, shares.OwedBy(new NodeAddress(7, 1))));
    }

    [Fact]
    public void Without_a_limit_everything_goes_on_and_is_counted()
    {
        var budget = new RelayBudget(0);
        for (int i = 0; i < 1000; i++)
        {
            Assert.True(budget.TryTake(default, Alpha, 4000, isRing: false));
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
                budget.TryTake(TimeSpan.FromMilliseconds(i), Alpha, 1000, isRing: true);
            }

            Assert.InRange(budget.Bytes, 500_000, 550_000);
            budget.Lower(null);
            for (int i = 10_000; i < 20_000; i++)
            {
                budget.TryTake(TimeSpan.FromMilliseconds(i), Alpha, 100, isRing: true);
            }

            Assert.InRange(budget.Bytes, 1_490_000, 1_550_000);
        }

        var wide = new RelayBudget(Rate);
        wide.Lower(10 * Rate);
        Assert.False(wide.TryTake(default, Alpha, 2 * Rate, isRing: true));
    }

    [Fact]
    public void Where_all_is_the_machine_s_own_nothing_is_relayed_and_the_ring_goes_on()
    {
        foreach (int rate in new[] { Rate, 0 })
        {
            var budget = new RelayBudget(rate) { IsRingAlone = true };
            Assert.False(budget.TryTake(default, Alpha, 100, isRing: false));
            Assert.True(budget.TryTake(default, Alpha, 100, isRing: true));
            budget.IsRingAlone = false;
            Assert.True(budget.TryTake(default, Alpha, 100, isRing: false));
            Assert.Equal((2, 1), (budget.Frames, budget.Refused));
        }
    }

    [Fact]
    public void A_clock_that_stands_still_or_goes_back_gives_nothing()
    {
        var budget = new RelayBudget(Rate);
        Assert.True(budget.TryTake(TimeSpan.FromSeconds(5), Alpha, Rate * 4 / 5, isRing: true));
        Assert.False(budget.TryTake(TimeSpan.FromSeconds(5), Alpha, 1, isRing: true));
        Assert.False(budget.TryTake(TimeSpan.FromSeconds(4), Alpha, 1, isRing: true));
    }

    /// <summary>Bytes that a peer gets in ten seconds, a while after others, in which it alone sends more than it gets.</summary>
    private static long OfOneAlone(RelayBudget budget, int size, bool isRing)
    {
        long before = budget.Bytes;
        for (int i = 10_000; i < 20_000; i++)
        {
            budget.TryTake(TimeSpan.FromMilliseconds(i), Alpha, size, isRing);
        }

        return budget.Bytes - before;
    }

    /// <summary>Two peers send more than they get.</summary>
    private static void Fill(RelayBudget budget, TimeSpan now, bool isRing, int frames)
    {
        for (int i = 0; i < frames; i++)
        {
            budget.TryTake(now, Alpha, Small, isRing);
            budget.TryTake(now, Beta, Small, isRing);
        }
    }
}
