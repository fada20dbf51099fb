namespace PoolRules.Tests;

public sealed class TicketTests
{
    [Theory]
    [InlineData("ab12:secret", "ab12")]
    [InlineData("ab12:se:cret", "ab12")]
    [InlineData("ab12", "ab12")]
    [InlineData("", "")]
    public void What_stands_before_the_first_colon_may_be_shown(string text, string id) => Assert.Equal(id, Ticket.IdOf(text));
}
