namespace PoolRules.Tests;

/// <summary>Numbers in texts.</summary>
public sealed class DigitsTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("255", 255)]
    [InlineData("007", 7)]
    public void Digits_are_a_number(string text, int expected)
    {
        Assert.True(Digits.TryRead(text, 255, out ulong number));
        Assert.Equal((ulong)expected, number);
    }

    [Theory]
    [InlineData("")]
    [InlineData("256")]
    [InlineData("18446744073709551616")]
    [InlineData("7\0")]
    [InlineData("\0")]
    [InlineData(" 7")]
    [InlineData("+7")]
    [InlineData("-0")]
    [InlineData("1_0")]
    [InlineData("\u0667")]
    public void Anything_else_is_none(string text) => Assert.False(Digits.TryRead(text, 255, out _));

    /// <summary>One address has one text: who compares texts would else be told apart what is one.</summary>
    [Theory]
    [InlineData("10.128.3.4\0")]
    [InlineData("10.128.3\0.4")]
    [InlineData("10.128.3.04")]
    [InlineData("10.128.3.256")]
    [InlineData("10.128.3.")]
    public void An_address_has_one_text(string text) => Assert.False(IPv4Address.TryParse(text, out _));
}
