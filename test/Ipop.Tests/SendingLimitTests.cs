namespace Ipop.Tests;

public sealed class SendingLimitTests
{
    private const int Packet = 1300;
    private static readonly TimeSpan Begin = TimeSpan.FromSeconds(100);

    [Theory]
    [InlineData(16_000)]
    [InlineData(500_000)]
    [InlineData(50_000_000)]
    public void Who_always_has_something_gets_the_rate_and_no_more(int rate)
    {
        var limit = new SendingLimit(rate, Begin);
        (long sent, _) = Send(limit, TimeSpan.FromSeconds(20), unasked: 0);
        Assert.InRange(sent, 0.97 * 20 * rate, (1.03 * 20 * rate) + (2 * limit.Round));
    }

    [Fact]
    public void What_the_overlay_says_for_itself_is_paid_for_by_the_machine_s_own()
    {
        var limit = new SendingLimit(100_000, Begin);
        (long own, long unasked) = Send(limit, TimeSpan.FromSeconds(20), unasked: 40_000);
        Assert.InRange(own + unasked, 0.97 * 2_000_000, 1.05 * 2_000_000);
    }

    [Fact]
    public void However_much_goes_unasked_the_machine_s_own_have_a_turn_each_second()
    {
        var limit = new SendingLimit(100_000, Begin);
        limit.Sent(Begin, 1_000_000_000);
        Assert.InRange((limit.OpenAt - Begin).TotalSeconds, 0.5, 1.5);
        var wide = new SendingLimit(1_000_000, Begin);
        wide.Sent(Begin, 1_000_000_000);
        Assert.InRange((wide.OpenAt - Begin).TotalSeconds, 0.9, 1.1);
    }

    [Fact]
    public void A_packet_that_is_larger_than_all_that_may_go_at_once_is_paid_for_in_whole()
    {
        var limit = new SendingLimit(16_000, Begin);
        limit.Sent(Begin, 64_000);
        Assert.InRange((limit.OpenAt - Begin).TotalSeconds, 3.5, 4.0);
    }

    [Fact]
    public void Who_was_silent_for_long_may_send_one_burst_and_no_hoard()
    {
        var limit = new SendingLimit(500_000, Begin);
        TimeSpan later = Begin + TimeSpan.FromHours(5);
        limit.Sent(later, 0);
        Assert.True(limit.OpenAt <= later);
        limit.Sent(later, limit.Round);
        Assert.True(limit.OpenAt > later);
        Assert.InRange((limit.OpenAt - later).TotalMilliseconds, 1, 50);
    }

    [Fact]
    public void Others_come_last()
    {
        var limit = new SendingLimit(500_000, Begin);
        Assert.True(limit.SparesOthers);
        limit.Sent(Begin, (limit.Round / 2) + 1);
        Assert.False(limit.SparesOthers);
        Assert.True(limit.OpenAt <= Begin, "the machine's own go on");
        limit.Sent(Begin + TimeSpan.FromSeconds(1), 0);
        Assert.True(limit.SparesOthers);
    }

    [Fact]
    public void A_machine_that_uses_all_of_it_spares_others_nothing()
    {
        var limit = new SendingLimit(500_000, Begin);
        TimeSpan now = Begin;
        int spared = 0;
        for (int round = 0; round < 1000; round++)
        {
            limit.Sent(now, limit.Round);
            spared += limit.SparesOthers ? 1 : 0;
            now = limit.OpenAt > now ? limit.OpenAt : now;
        }

        Assert.Equal(0, spared);
    }

    [Fact]
    public void A_clock_that_stands_still_or_goes_back_gives_nothing()
    {
        var limit = new SendingLimit(500_000, Begin);
        limit.Sent(Begin, 100_000);
        TimeSpan open = limit.OpenAt;
        limit.Sent(Begin - TimeSpan.FromHours(1), 0);
        limit.Sent(Begin, 0);
        Assert.Equal(open, limit.OpenAt);
    }

    /// <summary>Sends whenever that is allowed, full rounds of packets, and so many bytes a second that ask nobody; returns both sums.</summary>
    private static (long Own, long Unasked) Send(SendingLimit limit, TimeSpan lasts, int unasked)
    {
        (long own, long others) = (0, 0);
        for (TimeSpan now = Begin; now < Begin + lasts; now += TimeSpan.FromMilliseconds(1))
        {
            int bytes = 0;
            if (limit.OpenAt <= now)
            {
                while (bytes < Math.Min(limit.Round, 100_000))
                {
                    bytes += Packet;
                }
            }

            limit.Sent(now, bytes + (unasked / 1000));
            (own, others) = (own + bytes, others + (unasked / 1000));
        }

        return (own, others);
    }
}
