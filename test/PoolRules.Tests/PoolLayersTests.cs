using System.Text;

namespace PoolRules.Tests;

public sealed class PoolLayersTests
{
    private const string Over = "wow-stack 1\nbase B\nnode N\n";

    [Fact]
    public void A_stack_comes_back_from_its_text_in_its_order()
    {
        string text = Whole(Over + "module tutorial 4096 1\nmodule storm-surge 4294967296 2\nglue glue 1 3\n");
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(text), out PoolLayers? stack, out string reason), reason);
        Assert.Equal((Digest('B'), Digest('N')), (stack.Base, stack.Node));
        Assert.Equal([("tutorial", 4096, Digest('1')), ("storm-surge", 1L << 32, Digest('2')), ("glue", 1, Digest('3'))], stack.Layers.Select(layer => (layer.Name, layer.Size, layer.Digest)));
        Assert.Equal((1L << 32) + 4097, stack.Size);
        Assert.Equal(text, Encoding.ASCII.GetString(stack.Write()));
    }

    [Theory]
    [InlineData("wow-stack 1\n")]
    [InlineData(Over)]
    public void It_may_have_no_modules(string text)
    {
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(Whole(text)), out PoolLayers? stack, out string reason), reason);
        Assert.Empty(stack.Layers);
        Assert.Equal(text != Over, stack.Base is null);
        Assert.Equal(Whole(text), Encoding.ASCII.GetString(stack.Write()));
    }

    [Theory]
    [InlineData("wow-stack 1\nrestart-by 1\n", 1)]
    [InlineData(Over + "restart-by 9999999999\n", 9999999999)]
    [InlineData(Over + "module tutorial 4096 1\nglue glue 1 3\nrestart-by 1795707748\n", 1795707748)]
    public void Its_last_line_may_say_by_when_machines_start_again(string text, long second)
    {
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(Whole(text)), out PoolLayers? stack, out string reason), reason);
        Assert.Equal(second, stack.RestartBy);
        Assert.Equal(Whole(text), Encoding.ASCII.GetString(stack.Write()));
        Assert.Equal(2, stack.WithRestart(2).RestartBy);
        Assert.Throws<ArgumentOutOfRangeException>(() => stack.WithRestart(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => stack.WithRestart(10_000_000_000));
    }

    [Theory]
    [InlineData("restart-by 5\n", "wow-stack 1")]
    [InlineData("wow-stack 1\nrestart-by 0\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by 10000000000\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by 05\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by -5\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by 5 5\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by \n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by 99999999999999999999\n", "from 1 to 9999999999")]
    [InlineData("wow-stack 1\nrestart-by 5", "wow-stack 1")]
    [InlineData("wow-stack 1\nrestart-by 5\nrestart-by 5\n", "wow-stack 1")]
    [InlineData(Over + "restart-by 5\nrestart-by 5\n", "Line 4")]
    [InlineData(Over + "restart-by 5\nmodule a 1 1\n", "Line 4")]
    [InlineData("", "wow-stack 1")]
    [InlineData("wow-stack 1", "wow-stack 1")]
    [InlineData("wow-stack 2\n", "wow-stack 1")]
    [InlineData("wow-stack 1\r\n", "wow-stack 1")]
    [InlineData("wow-stack 1\nbase B\n", "wow-stack 1")]
    [InlineData("wow-stack 1\nbase B\nnode N", "wow-stack 1")]
    [InlineData("wow-stack 1\nnode N\nbase B\n", "Lines 2 and 3")]
    [InlineData("wow-stack 1\nbase B B\nnode N\n", "Lines 2 and 3")]
    [InlineData("wow-stack 1\nbase B\nmodule a 1 1\n", "Lines 2 and 3")]
    [InlineData("wow-stack 1\nbase \nnode N\n", "no SHA-256")]
    [InlineData("wow-stack 1\nbase B\nnode N1\n", "no SHA-256")]
    [InlineData("wow-stack 1\nbase B\nnode B\n", "digest is there twice")]
    [InlineData(Over + "\n", "Line 4")]
    [InlineData(Over + "module a 1 1\nmodule  b 1 2\n", "Line 5")]
    [InlineData(Over + "module a 1 1 \n", "Line 4")]
    [InlineData(Over + "module a 01 1\n", "Line 4")]
    [InlineData(Over + "module a +1 1\n", "Line 4")]
    [InlineData(Over + "module a 99999999999999999999 1\n", "Line 4")]
    [InlineData(Over + "module a  1\n", "Line 4")]
    [InlineData(Over + "layer a 1 1\n", "Line 4")]
    [InlineData(Over + "module glue 1 1\n", "Line 4")]
    [InlineData(Over + "glue a 1 1\n", "Line 4")]
    [InlineData(Over + "module a 0 1\n", "Line 4")]
    [InlineData(Over + "module a 4294967297 1\n", "a has 4294967297 bytes")]
    [InlineData(Over + "module a 4294967296 1\nmodule b 4294967296 2\nmodule c 1 3\n", "more than 8589934592")]
    [InlineData(Over + "module A 1 1\n", "'A' is no name")]
    [InlineData(Over + "module base 1 1\n", "'base' is no name")]
    [InlineData(Over + "module node 1 1\n", "'node' is no name")]
    [InlineData(Over + "module ../a 1 1\n", "'../a' is no name")]
    [InlineData(Over + "module a 1 X\n", "no SHA-256")]
    [InlineData(Over + "module a 1 1\nmodule a 1 2\n", "named twice")]
    [InlineData(Over + "module a 1 1\nmodule b 1 1\n", "digest is there twice")]
    [InlineData(Over + "module a 1 N\n", "digest is there twice")]
    [InlineData(Over + "glue glue 1 1\n", "glue is the last")]
    [InlineData(Over + "glue glue 1 1\nmodule a 1 2\n", "glue is the last")]
    [InlineData(Over + "module a 1 1\nglue glue 1 2\nglue glue 1 3\n", "named twice")]
    public void What_is_no_stack_is_refused_and_says_why(string text, string why)
    {
        Assert.False(PoolLayers.TryRead(Encoding.ASCII.GetBytes(Whole(text)), out PoolLayers? stack, out string reason));
        Assert.Null(stack);
        Assert.Contains(why, reason, StringComparison.Ordinal);
    }

    [Fact]
    public void More_than_twelve_modules_and_a_glue_are_too_many()
    {
        StackLayer[] modules = [.. Enumerable.Range(0, 13).Select(number => new StackLayer($"m{number}", 1, $"{number:x64}"))];
        StackLayer glue = new(PoolLayers.Glue, 1, new string('e', 64));
        Assert.True(PoolLayers.TryCreate(Digest('B'), Digest('N'), [.. modules[..12], glue], out PoolLayers? twelve, out string reason), reason);
        Assert.True(PoolLayers.TryRead(twelve.Write(), out _, out reason), reason);
        Assert.False(PoolLayers.TryCreate(Digest('B'), Digest('N'), modules, out _, out reason));
        Assert.Contains("12 modules at most", reason, StringComparison.Ordinal);
        Assert.False(PoolLayers.TryRead([.. twelve.Write(), .. "module m 1 1\n"u8], out _, out reason));
        Assert.Contains("at most 12", reason, StringComparison.Ordinal);
        Assert.True(PoolLayers.TryRead(twelve.WithRestart(5).Write(), out _, out reason), reason);
        Assert.False(PoolLayers.TryRead([.. twelve.Write(), .. "module m 1 1\nrestart-by 5\n"u8], out _, out reason));
        Assert.Contains("at most 12", reason, StringComparison.Ordinal);
        Assert.False(PoolLayers.TryRead(new byte[Agreed.LargestStackText + 1], out _, out reason));
        Assert.Contains("16384", reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Layers_lie_over_a_base_and_a_node()
    {
        Assert.False(PoolLayers.TryCreate(null, null, [new StackLayer("a", 1, Digest('1'))], out _, out string reason));
        Assert.Contains("names its base", reason, StringComparison.Ordinal);
        Assert.False(PoolLayers.TryCreate(Digest('B'), null, [], out _, out _));
    }

    /// <summary>The text with whole digests in the place of their letters.</summary>
    private static string Whole(string text) => string.Join('\n', text.Split('\n').Select(line => string.Join(' ', line.Split(' ').Select(
        (word, at) => (at == 1 && word is ("B" or "N")) || (at == 3 && word is ("1" or "2" or "3" or "N")) ? Digest(word[0]) : word))));

    private static string Digest(char letter) => new(letter == 'N' ? 'c' : char.ToLowerInvariant(letter), 64);
}
