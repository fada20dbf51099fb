using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class UrgencyTests
{
    private readonly Urgency _urgency = new();
    private TimeSpan _now = TimeSpan.FromHours(1);

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

    /// <summary>Rounds, one each millisecond.</summary>
    private void Pass(int rounds, bool isFlood = false)
    {
        for (int round = 0; round < rounds; round++)
        {
            _now += TimeSpan.FromMilliseconds(1);
            _urgency.OnRound(_now, isFlood);
        }
    }
}
