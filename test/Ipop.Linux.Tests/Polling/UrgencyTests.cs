using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class UrgencyTests
{
    private const int Processors = 2;

    private readonly Urgency _urgency = new(Processors);
    private TimeSpan _now = TimeSpan.FromHours(1);
    private int _runnable = 1;
    private int _counts;

    [Fact]
    public void It_is_urgent_at_first_and_until_it_has_been_calm_for_a_while()
    {
        Assert.True(_urgency.IsUrgent);
        Pass(40);
        Assert.True(_urgency.IsUrgent);
        Pass(20);
        Assert.False(_urgency.IsUrgent);
    }

    [Fact]
    public void A_flood_is_urgent_at_once_and_until_it_has_been_over_for_a_while()
    {
        Pass(100);
        Assert.False(_urgency.IsUrgent);
        Pass(1, isFlood: true);
        Assert.True(_urgency.IsUrgent);
        for (int second = 0; second < 20; second++)
        {
            Pass(5, isFlood: true);
            Pass(45);
            Assert.True(_urgency.IsUrgent);
        }

        Pass(60);
        Assert.False(_urgency.IsUrgent);
    }

    [Fact]
    public void Programs_that_fill_all_processors_make_it_urgent_until_they_are_gone()
    {
        Pass(1000);
        _runnable = Processors + 1;
        Pass(150);
        Assert.False(_urgency.IsUrgent);
        Pass(200);
        Assert.True(_urgency.IsUrgent);
        Pass(5000);
        _runnable = Processors;
        Pass(250);
        Assert.True(_urgency.IsUrgent);
        Pass(250);
        Assert.False(_urgency.IsUrgent);
    }

    [Fact]
    public void Programs_that_run_for_a_moment_begin_nothing()
    {
        Pass(1000);
        for (int second = 0; second < 20; second++)
        {
            _runnable = Processors + 2;
            Pass(200);
            Assert.False(_urgency.IsUrgent);
            _runnable = 1;
            Pass(300);
        }
    }

    [Fact]
    public void What_runs_is_counted_ten_times_a_second_at_most_and_never_without_a_round()
    {
        Pass(1000);
        Assert.InRange(_counts, 10, 11);
        _now += TimeSpan.FromHours(1);
        Assert.InRange(_counts, 10, 11);
    }

    /// <summary>Rounds, one each millisecond.</summary>
    private void Pass(int rounds, bool isFlood = false)
    {
        for (int round = 0; round < rounds; round++)
        {
            _now += TimeSpan.FromMilliseconds(1);
            _urgency.OnRound(_now, isFlood, () =>
            {
                _counts++;
                return _runnable;
            });
        }
    }
}
