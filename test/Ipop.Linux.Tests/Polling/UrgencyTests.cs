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
        Pass(40, 0.01);
        Assert.True(_urgency.IsUrgent);
        Pass(20, 0.01);
        Assert.False(_urgency.IsUrgent);
    }

    [Fact]
    public void Much_to_do_is_urgent_at_once_and_less_keeps_it_so()
    {
        Pass(100, 0);
        Pass(1, 0.39);
        Assert.False(_urgency.IsUrgent);
        Pass(1, 0.41);
        Assert.True(_urgency.IsUrgent);
        Pass(1000, 0.26);
        Assert.True(_urgency.IsUrgent);
        Pass(60, 0.24);
        Assert.False(_urgency.IsUrgent);
    }

    [Fact]
    public void Programs_that_fill_all_processors_make_it_urgent_until_they_are_gone()
    {
        Pass(1000, 0);
        _runnable = Processors + 1;
        Pass(150, 0);
        Assert.False(_urgency.IsUrgent);
        Pass(200, 0);
        Assert.True(_urgency.IsUrgent);
        Pass(5000, 0);
        _runnable = Processors;
        Pass(250, 0);
        Assert.True(_urgency.IsUrgent);
        Pass(250, 0);
        Assert.False(_urgency.IsUrgent);
    }

    [Fact]
    public void Programs_that_run_for_a_moment_begin_nothing()
    {
        Pass(1000, 0);
        for (int second = 0; second < 20; second++)
        {
            _runnable = Processors + 2;
            Pass(200, 0);
            Assert.False(_urgency.IsUrgent);
            _runnable = 1;
            Pass(300, 0);
        }
    }

    [Fact]
    public void What_runs_is_counted_ten_times_a_second_at_most_and_never_without_a_round()
    {
        Pass(1000, 0);
        Assert.InRange(_counts, 10, 11);
        _now += TimeSpan.FromHours(1);
        Assert.InRange(_counts, 10, 11);
    }

    /// <summary>Rounds, one each millisecond.</summary>
    private void Pass(int rounds, double share)
    {
        for (int round = 0; round < rounds; round++)
        {
            _now += TimeSpan.FromMilliseconds(1);
            _urgency.OnRound(_now, share, () =>
            {
                _counts++;
                return _runnable;
            });
        }
    }
}
