using Brunet.Sessions;

namespace Brunet.Tests.Sessions;

/// <summary>The table of the Linux kernel's WireGuard self-test (drivers/net/wireguard/selftest/counter.c), with our width.</summary>
public sealed class ReplayWindowTests
{
    private const ulong Limit = ReplayWindow.Size + 1;

    private readonly ReplayWindow _window = new();

    [Fact]
    public void Edges_reuse_and_far_jumps_are_judged_as_the_kernel_does()
    {
        Check(0, true);
        Check(1, true);
        Check(1, false);
        Check(9, true);
        Check(8, true);
        Check(7, true);
        Check(7, false);
        Check(Limit, true);
        Check(Limit - 1, true);
        Check(Limit - 1, false);
        Check(Limit - 2, true);
        Check(2, true);
        Check(2, false);
        Check(Limit + 16, true);
        Check(3, false);
        Check(Limit + 16, false);
        Check(Limit * 4, true);
        Check((Limit * 4) - (Limit - 1), false);
        Check(10, false);
        Check((Limit * 4) - Limit, false);
        Check((Limit * 4) - (Limit + 1), false);
        Check((Limit * 4) - (Limit - 2), true);
        Check((Limit * 4) + 1 - Limit, false);
        Check(0, false);
        Check(1UL << 60, true);
        Check((1UL << 60) - 1, true);
        Check((1UL << 60) - 1, false);
        Check(ulong.MaxValue, true);
        Check(ulong.MaxValue, false);
        Check(ulong.MaxValue - 1, true);
    }

    [Fact]
    public void All_counters_of_a_window_pass_once_in_reverse_order()
    {
        for (ulong i = ReplayWindow.Size; i > 0; i--)
        {
            Check(i, true);
        }

        Check(0, false);
        for (ulong i = 1; i <= ReplayWindow.Size; i++)
        {
            Check(i, false);
        }
    }

    [Fact]
    public void A_window_behind_the_highest_is_the_last_that_passes()
    {
        Check(Limit, true);
        Check(1, false);
        Check(2, true);
    }

    [Fact]
    public void Random_order_agrees_with_a_set()
    {
        var random = new Random(1);
        var seen = new HashSet<ulong>();
        ulong highest = 0;
        for (int i = 0; i < 200_000; i++)
        {
            ulong counter = (ulong)Math.Max(0, (i / 4) + random.Next(-20_000, 100));
            bool expected = (counter > highest || highest - counter < ReplayWindow.Size) && seen.Add(counter);
            highest = Math.Max(highest, counter);
            Check(counter, expected);
        }
    }

    [Fact]
    public void What_is_missing_is_counted_as_one_by_one()
    {
        var random = new Random(5);
        var window = new ReplayWindow();
        var seen = new HashSet<ulong>();
        ulong highest = 100;
        for (int round = 0; round < 300; round++)
        {
            ulong counter = highest + (ulong)random.Next(1, round % 20 == 0 ? 2 * ReplayWindow.Size : 90);
            for (ulong back = 0; back < 40; back += (ulong)random.Next(1, 9))
            {
                if (window.Accept(counter - back))
                {
                    seen.Add(counter - back);
                }
            }

            highest = counter;
            ulong after = highest - Math.Min(highest, (ulong)random.Next(ReplayWindow.Size + 100));
            ulong before = highest - Math.Min(highest, (ulong)random.Next(200));
            ulong known = highest < ReplayWindow.Size ? 0 : highest - ReplayWindow.Size + 1;
            ulong missing = 0;
            for (ulong one = Math.Max(after + 1, known); one < before; one++)
            {
                missing += seen.Contains(one) ? 0UL : 1;
            }

            Assert.Equal(missing, window.Missing(after, before));
        }
    }

    private void Check(ulong counter, bool expected) =>
        Assert.True(_window.Accept(counter) == expected, $"counter {counter} should {(expected ? "pass" : "not pass")}");

    [Fact]
    public void What_lies_between_two_and_was_not_seen_is_counted_as_far_back_as_the_window_goes()
    {
        var window = new ReplayWindow();
        foreach (ulong counter in new ulong[] { 1, 2, 5, 9 })
        {
            Assert.True(window.Accept(counter));
        }

        Assert.Equal(5UL, window.Missing(2, 9));
        Assert.Equal(0UL, window.Missing(1, 2));
        Assert.Equal(6UL, window.Missing(2, 11));
        Assert.True(window.Accept(9 + ReplayWindow.Size));
        Assert.Equal((ulong)ReplayWindow.Size - 1, window.Missing(2, 9 + ReplayWindow.Size));
    }
}
