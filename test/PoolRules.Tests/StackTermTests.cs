using System.Text;

namespace PoolRules.Tests;

public sealed class StackTermTests
{
    [Theory]
    [InlineData(1ul, 1L)]
    [InlineData(1795707748ul, 1796917348L)]
    [InlineData(ulong.MaxValue, Agreed.LatestRestart)]
    public void A_term_comes_back_from_its_text(ulong stack, long until)
    {
        byte[] text = new StackTerm(stack, until).Write();
        Assert.Equal($"wow-term 1\nstack {stack}\nuntil {until}\n", Encoding.ASCII.GetString(text));
        Assert.True(StackTerm.TryRead(text, out StackTerm? term));
        Assert.Equal(new StackTerm(stack, until), term);
    }

    [Theory]
    [InlineData("")]
    [InlineData("wow-term 1\n")]
    [InlineData("wow-term 1\nstack 1\nuntil 1")]
    [InlineData("wow-term 1\nstack 1\nuntil 1\n\n")]
    [InlineData("wow-term 1\nstack 1\nuntil 1\nuntil 1\n")]
    [InlineData("wow-term 1\nuntil 1\nstack 1\n")]
    [InlineData("wow-term 2\nstack 1\nuntil 1\n")]
    [InlineData("wow-term 1\r\nstack 1\nuntil 1\n")]
    [InlineData("wow-term 1\nstack 0\nuntil 1\n")]
    [InlineData("wow-term 1\nstack 01\nuntil 1\n")]
    [InlineData("wow-term 1\nstack 1\0\nuntil 1\n")]
    [InlineData("wow-term 1\nstack 1\nuntil 1\0\n")]
    [InlineData("wow-term 1\nstack  1\nuntil 1\n")]
    [InlineData("wow-term 1\nstack \nuntil 1\n")]
    [InlineData("wow-term 1\nstack 1\nuntil 10000000000\n")]
    [InlineData("wow-term 1\nstack 18446744073709551616\nuntil 1\n")]
    [InlineData("wow-term 1\nstack 1\nuntil 1 \n")]
    [InlineData("wow-term 1\nstack 1\nuntil ١\n")]
    public void Anything_else_is_none(string text) => Assert.False(StackTerm.TryRead(Encoding.UTF8.GetBytes(text), out _), text);

    [Fact]
    public void A_text_of_a_megabyte_is_none() => Assert.False(StackTerm.TryRead(new byte[1 << 20], out _));
}
