using System.Net;
using CaService.Est;

namespace CaService.Tests;

/// <summary>Who asks often waits; who asks from everywhere gets no memory for it.</summary>
public sealed class SourceLimiterTests
{
    private readonly SourceLimiter _limiter = new(burst: 2, TimeSpan.FromHours(1), TimeProvider.System);

    [Fact]
    public void A_source_has_its_burst_and_no_more() =>
        Assert.Equal([true, true, false], Enumerable.Range(0, 3).Select(_ => _limiter.TryTake(Source(1))));

    [Fact]
    public void New_sources_are_refused_where_as_many_are_kept_as_may_be_and_known_ones_are_served()
    {
        Assert.All(Enumerable.Range(0, SourceLimiter.MostSources), number => Assert.True(_limiter.TryTake(Source(number))));

        Assert.False(_limiter.TryTake(Source(SourceLimiter.MostSources)));
        Assert.True(_limiter.TryTake(Source(1)));
    }

    private static IPAddress Source(int number) => new([10, 128, (byte)(number >> 8), (byte)number]);
}
