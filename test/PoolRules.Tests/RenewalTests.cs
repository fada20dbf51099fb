namespace PoolRules.Tests;

public sealed class RenewalTests
{
    private static readonly DateTimeOffset Start = new(2030, 5, 6, 0, 0, 0, TimeSpan.Zero);

    [Theory]
    [InlineData(30, 20)]
    [InlineData(3, 2)]
    public void A_certificate_is_due_when_less_than_a_third_of_its_life_is_left(int life, int due)
    {
        DateTimeOffset end = Start.AddDays(life), from = Start.AddDays(due);
        Assert.Equal(from, Renewal.From(Start, end));
        Assert.False(Renewal.IsDue(Start, end, from));
        Assert.True(Renewal.IsDue(Start, end, from.AddSeconds(1)));
        Assert.True(Renewal.IsDue(Start, end, end.AddYears(1)));
    }

    [Fact]
    public void A_certificate_that_is_not_valid_yet_is_due()
    {
        Assert.True(Renewal.IsDue(Start, Start.AddDays(30), Start.AddSeconds(-1)));
        Assert.False(Renewal.IsDue(Start, Start.AddDays(30), Start));
    }
}
