using System.Text;

namespace PoolRules.Tests;

public sealed class PoolLayersTests
{
    private const string Over = "wow-stack 1\nbase B\nnode N\n";
    private const string Carrying = "wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\ninitrd I 4\n";

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
    [InlineData("", 0)]
    [InlineData("module tutorial 4096 1\nglue glue 1 3\n", 4097)]
    [InlineData("module tutorial 4096 1\nrestart-by 5\n", 4096)]
    [InlineData("restart-by 5\n", 0)]
    public void It_may_carry_its_system(string modules, long size)
    {
        string text = Whole(Carrying + modules);
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(text), out PoolLayers? stack, out string reason), reason);
        Assert.Equal((Digest('B'), Digest('N'), 149 + size), (stack.Base, stack.Node, stack.Size));
        Assert.Equal(
            [("base", 121, Digest('B')), ("node", 15, Digest('N')), ("kernel", 9, Digest('K')), ("initrd", 4, Digest('I'))],
            stack.System.Select(file => (file.Name, file.Size, file.Digest)));
        Assert.Equal([.. stack.System, .. stack.Layers], stack.Files);
        Assert.Equal(text, Encoding.ASCII.GetString(stack.Write()));
        Assert.Equal(Encoding.ASCII.GetBytes(text.Replace("restart-by 5\n", string.Empty, StringComparison.Ordinal) + "restart-by 7\n"), stack.WithRestart(7).Write());
        Assert.True(PoolLayers.TryCreate(stack.System, stack.Layers, out PoolLayers? again, out reason), reason);
        Assert.Equal(stack.Files, again.Files);
    }

    [Fact]
    public void It_may_have_a_part_for_each_architecture()
    {
        string arm = "architecture arm64\nbase 4 70\nnode 7 80\nkernel 8 90\ninitrd 9 40\nmodule tutorial 4096 1\ndelta 4 5 3 6\n";
        string text = Whole(Carrying + "module tutorial 4096 1\n" + arm + "restart-by 5\n");
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(text), out PoolLayers? stack, out string reason), reason);
        Assert.Equal(("amd64", Digest('B'), 5L), (stack.Architecture, stack.Base, stack.RestartBy));
        Assert.Equal([("amd64", Digest('N')), ("arm64", Digest('7'))], stack.Parts.Select(part => (part.Architecture, part.Node!)));
        PoolLayers other = Assert.Single(stack.Others);
        Assert.Equal((4, 1, 1), (other.System.Count, other.Layers.Count, other.Deltas.Count));
        Assert.Equal([.. "BNKI147896".Select(Digest)], stack.Files.Select(file => file.Digest));
        Assert.Equal(149 + 4096 + 280 + 3, stack.Size);
        Assert.Equal(text, Encoding.ASCII.GetString(stack.Write()));
        Assert.Equal(text.Replace("by 5", "by 7", StringComparison.Ordinal), Encoding.ASCII.GetString(stack.WithRestart(7).Write()));

        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(Whole("wow-stack 1\n" + arm)), out stack, out reason), reason);
        Assert.Null(stack.Base);
        Assert.Equal(stack.Others, stack.Parts);
        Assert.Equal(6, stack.Files.Count);
    }

    [Fact]
    public void A_system_is_made_of_its_four_files_and_counts_among_the_bytes()
    {
        StackLayer[] system = [new("base", 1L << 31, Digest('B')), new("node", 1L << 31, Digest('N')), new("kernel", 1L << 31, Digest('K')), new("initrd", 1L << 31, Digest('I'))];
        Assert.True(PoolLayers.TryCreate(system, [], out PoolLayers? stack, out string reason), reason);
        Assert.Equal(Agreed.LargestStack, stack.Size);
        Assert.False(PoolLayers.TryCreate(system, [new("a", 1, Digest('1'))], out _, out reason));
        Assert.Contains("more than 8589934592", reason, StringComparison.Ordinal);
        foreach (StackLayer[] other in (StackLayer[][])[[], system[..3], [.. system, system[3]], [system[1], system[0], .. system[2..]]])
        {
            Assert.False(PoolLayers.TryCreate(other, [], out stack, out reason));
            Assert.Null(stack);
            Assert.Contains("base, node, kernel, initrd, in this order", reason, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("wow-stack 1\n")]
    [InlineData(Over)]
    public void It_may_have_no_modules(string text)
    {
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(Whole(text)), out PoolLayers? stack, out string reason), reason);
        Assert.Empty(stack.Files);
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
    [InlineData(Carrying, "delta I 7 3 9\n", "delta of initrd")]
    [InlineData(Carrying + "module a 1 1\nglue glue 1 3\n", "delta 3 7 3 9\ndelta 3 8 4 6\ndelta B K 5 5\n", "delta of glue", "delta of glue", "delta of base")]
    [InlineData(Over + "module a 1 1\nmodule delta 1 2\n", "delta 1 2 3 9\ndelta 2 1 4294967296 6\nrestart-by 5\n", "delta of a", "delta of delta")]
    [InlineData(Over + "module a 1 1\n", "delta 1 B 3 9\n", "delta of a")]
    public void It_may_name_deltas_which_are_among_its_files(string start, string end, params string[] names)
    {
        string text = Whole(start + end);
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(text), out PoolLayers? stack, out string reason), reason);
        Assert.Equal(text, Encoding.ASCII.GetString(stack.Write()));
        Assert.Equal([.. stack.System, .. stack.Layers, .. names.Zip(stack.Deltas, (name, delta) => new StackLayer(name, delta.Size, delta.Digest))], stack.Files);
        Assert.Equal(names.Length, stack.Deltas.Count);
        string[] first = Whole(end).Split('\n')[0].Split(' ');
        Assert.Equal(new StackDelta(first[1], first[2], 3, first[4]), stack.Deltas[0]);
        Assert.Equal(stack.Deltas, stack.WithRestart(7).Deltas);
        Assert.Equal(stack.Files.Sum(file => file.Size), stack.Size);
    }

    [Fact]
    public void More_than_32_deltas_are_too_many()
    {
        string text = Whole(Over + "module a 1 1\n");
        string[] deltas = [.. Enumerable.Range(0, 33).Select(number => $"delta {Digest('1')} {number:x64} 1 {number + 99:x64}\n")];
        Assert.True(PoolLayers.TryRead(Encoding.ASCII.GetBytes(text + string.Concat(deltas[..32]) + "restart-by 5\n"), out PoolLayers? stack, out string reason), reason);
        Assert.Equal((32, 33L), (stack.Deltas.Count, stack.Size));
        foreach (string end in (string[])[string.Empty, "restart-by 5\n"])
        {
            Assert.False(PoolLayers.TryRead(Encoding.ASCII.GetBytes(text + string.Concat(deltas) + end), out _, out reason));
            Assert.Contains("32 deltas", reason, StringComparison.Ordinal);
        }
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
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\nrestart-by 5\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\ninitrd I 4\nkernel K 9\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nnode N 15\nbase B 121\nkernel K 9\ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\nkernel I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\nmodule a 1 1\ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B\nnode N 15\nkernel K 9\ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N\nkernel K 9\ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K\ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\ninitrd I 4 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\ninitrd I 04\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\ninitrd I 0\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K +9\ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K \ninitrd I 4\n", "nor are lines 2 to 5")]
    [InlineData("wow-stack 1\nbase B 4294967297\nnode N 15\nkernel K 9\ninitrd I 4\n", "base has 4294967297 bytes")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\ninitrd I 4294967297\n", "initrd has 4294967297 bytes")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel N 9\ninitrd I 4\n", "digest is there twice")]
    [InlineData("wow-stack 1\nbase B 121\nnode N 15\nkernel K 9\ninitrd I1 4\n", "no SHA-256")]
    [InlineData(Carrying + "initrd 1 4\n", "Line 6")]
    [InlineData(Carrying + "module a 1 1\nmodule  b 1 2\n", "Line 7")]
    [InlineData(Carrying + "module a 1 N\n", "digest is there twice")]
    [InlineData(Carrying + "module a 1 I\n", "digest is there twice")]
    [InlineData(Carrying + "glue glue 1 1\n", "glue is the last")]
    [InlineData(Carrying + "module a 4294967296 1\nmodule b 4294967296 2\n", "more than 8589934592")]
    [InlineData(Over + "architecture arm64\n", "Line 4 is not architecture NAME")]
    [InlineData(Over + "architecture amd64\nbase 7\nnode 8\n", "Line 4 is not architecture NAME")]
    [InlineData(Over + "architecture arm64\nbase 7\nnode 8\narchitecture arm64\nbase 7\nnode 8\n", "Line 7 is not architecture NAME")]
    [InlineData(Over + "architecture arm64\nbase 7\nmodule a 1 2\n", "Lines 5 and 6")]
    [InlineData(Over + "architecture arm64\nbase 7\nnode 8\nlayer\n", "Line 7 is neither")]
    [InlineData(Over + "module a 4 1\narchitecture arm64\nbase 8\nnode 9\nmodule a 5 1\n", "another size for amd64")]
    [InlineData(Carrying + "module a 4294967296 1\narchitecture arm64\nbase 8\nnode 9\nmodule a 4294967296 2\n", "more than 8589934592")]
    [InlineData(Over + "kernel K 9\ninitrd I 4\n", "Line 4")]
    [InlineData(Over + "module kernel 1 1\n", "'kernel' is no name")]
    [InlineData(Over + "module initrd 1 1\n", "'initrd' is no name")]
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
    [InlineData("wow-stack 1\ndelta 1 7 3 9\n", "wow-stack 1")]
    [InlineData("wow-stack 1\ndelta 1 7 3 9\nmodule a 1 1\n", "Lines 2 and 3")]
    [InlineData(Over + "delta 1 7 3 9\nmodule a 1 1\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 3 9\nglue glue 1 3\n", "Line 6")]
    [InlineData(Over + "module a 1 1\nrestart-by 5\ndelta 1 7 3 9\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 03 9\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 0 9\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 3\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 3 9 \n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta  1 7 3 9\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndeltas 1 7 3 9\n", "Line 5")]
    [InlineData(Over + "module a 1 1\ndelta 2 7 3 9\n", "none of the stack's files that have a size")]
    [InlineData(Over + "module a 1 1\ndelta X 7 3 9\n", "none of the stack's files that have a size")]
    [InlineData(Over + "module a 1 1\ndelta B 7 3 9\n", "none of the stack's files that have a size")]
    [InlineData(Over + "module a 1 1\ndelta 1 X 3 9\n", "no SHA-256")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 3 X\n", "no SHA-256")]
    [InlineData(Over + "module a 1 1\ndelta 1 1 3 9\n", "from itself")]
    [InlineData(Over + "module a 1 1\ndelta 1 9 3 9\n", "from a delta")]
    [InlineData(Over + "module a 1 1\nmodule b 1 2\ndelta 1 7 3 9\ndelta 2 9 3 8\n", "from a delta")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 3 9\ndelta 1 7 4 8\n", "make one file from one")]
    [InlineData(Over + "module a 1 1\nmodule b 1 2\ndelta 1 7 3 9\ndelta 2 7 3 9\n", "digest is there twice")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 3 B\n", "digest is there twice")]
    [InlineData(Carrying + "delta B 7 3 I\n", "digest is there twice")]
    [InlineData(Carrying + "delta B 7 4294967297 9\n", "delta of base has 4294967297 bytes")]
    [InlineData(Over + "module a 1 1\ndelta 1 7 4294967296 9\ndelta 1 8 4294967296 6\n", "more than 8589934592")]
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
        StackLayer[] system = [new("base", 1, Digest('B')), new("node", 1, Digest('N')), new("kernel", 1, Digest('K')), new("initrd", 1, Digest('I'))];
        Assert.True(PoolLayers.TryCreate(system, twelve.Layers, out PoolLayers? whole, out reason), reason);
        foreach (PoolLayers full in (PoolLayers[])[twelve, whole])
        {
            Assert.True(PoolLayers.TryRead(full.WithRestart(5).Write(), out _, out reason), reason);
            string one = $"module m 1 {Digest('1')}\n", text = Encoding.ASCII.GetString(full.Write());
            string thirteen = text.Replace("glue glue", one + "glue glue", StringComparison.Ordinal), lines = text + string.Concat(Enumerable.Repeat(one, 99));
            foreach (string many in (string[])[thirteen, thirteen + "restart-by 5\n", lines, lines + "restart-by 5\n"])
            {
                Assert.False(PoolLayers.TryRead(Encoding.ASCII.GetBytes(many), out _, out reason));
                Assert.Contains("12 modules", reason, StringComparison.Ordinal);
            }
        }

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
        (word, at) => (at == 1 && word is ("B" or "N" or "K" or "I" or "4" or "7" or "8" or "9")) || (at == 3 && !line.StartsWith("delta", StringComparison.Ordinal) && word is ("1" or "2" or "3" or "N" or "I"))
            || (at is 1 or 2 or 4 && word.Length == 1 && line.StartsWith("delta", StringComparison.Ordinal)) ? Digest(word[0]) : word))));

    private static string Digest(char letter) => new(letter switch { 'N' => 'c', 'K' => 'd', 'I' => 'f', _ => char.ToLowerInvariant(letter) }, 64);
}
