using Brunet.Links;

namespace Brunet.Tests.Links;

/// <summary>What one peer draws to where nothing ever came back from.</summary>
public sealed class TrialShareTests
{
    private const int Capacity = 2048, PerSecond = 8;

    private readonly TrialShare _share = new();
    private readonly Random _random = new(7);

    [Fact]
    public void Half_of_it_goes_at_once_and_the_rest_ever_more_seldom()
    {
        Assert.Equal(Capacity / 2, Taken(TimeSpan.Zero, Capacity / 2));
        int next = Taken(TimeSpan.Zero, 100), last = Taken(TimeSpan.Zero, 100_000);
        Assert.InRange(next, 75, 99);
        Assert.Equal(Capacity / 2, next + last);
    }

    [Fact]
    public void In_the_long_run_it_is_eight_a_second()
    {
        int taken = Taken(TimeSpan.Zero, 100_000);
        for (int tick = 1; tick <= 6000; tick++)
        {
            taken += Taken(TimeSpan.FromMilliseconds(100 * tick), 16);
        }

        Assert.InRange(taken, Capacity + (PerSecond * 590), Capacity + (PerSecond * 600));
    }

    [Fact]
    public void Of_many_ways_that_want_more_than_there_is_each_gets_its_part()
    {
        var taken = new int[24];
        for (int round = 0; round < 4000; round++)
        {
            for (int way = 0; way < taken.Length; way++)
            {
                taken[way] += Taken(TimeSpan.FromMilliseconds(150 * round), 1);
            }
        }

        Assert.InRange(taken.Min(), taken.Average() / 2, taken.Average());
        Assert.InRange(taken.Max(), taken.Average(), 1.5 * taken.Average());
    }

    private int Taken(TimeSpan now, int wanted) => Enumerable.Range(0, wanted).Count(_ => _share.Take(now, _random));
}
