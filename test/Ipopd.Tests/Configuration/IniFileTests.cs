using System.Text;
using Ipopd.Configuration;

namespace Ipopd.Tests.Configuration;

public sealed class IniFileTests
{
    [Fact]
    public void Sections_keys_and_values_are_read_without_blanks_comments_and_byte_order_mark()
    {
        IniFile file = Parse("\ufeff# comment\r\n [Node] \r\n; comment\n State = /a b = c \r\n\n[pool]\nname=x\n");

        Assert.Equal("/a b = c", file.Find("node", "state")?.Value);
        Assert.Equal(4, file.Find("node", "state")?.Line);
        Assert.Equal("x", file.Find("pool", "name")?.Value);
        Assert.Null(file.Find("pool", "state"));
    }

    [Theory]
    [InlineData("[node\n", "f:1: '[node' has no closing bracket; write [section]")]
    [InlineData("a = b\n", "f:1: a key before the first section; write [section] above it")]
    [InlineData("[node]\nnonsense\n", "f:2: 'nonsense' is neither a section nor a key; write key = value")]
    [InlineData("[node]\n= 1\n", "f:2: '= 1' is neither a section nor a key; write key = value")]
    [InlineData("[a]\nx = 1\n[b]\n[a]\nX = 2\n", "f:5: [a] x stands on line 2 already; remove one of the two")]
    public void A_malformed_line_is_named_with_what_to_do(string text, string message) =>
        Assert.Equal(message, Assert.Throws<ConfigurationException>(() => Parse(text)).Message);

    [Fact]
    public void What_is_not_UTF_8_or_too_long_or_missing_is_refused()
    {
        Assert.Contains("not UTF-8", Assert.Throws<ConfigurationException>(() => IniFile.Parse("f", [0xff, 0xfe, 0x41])).Message, StringComparison.Ordinal);
        string path = Path.GetTempFileName();
        try
        {
            File.WriteAllText(path, new string('#', IniFile.LongestFile + 1));
            Assert.Contains("longer than 64 KiB", Assert.Throws<ConfigurationException>(() => IniFile.Load(path)).Message, StringComparison.Ordinal);
        }
        finally
        {
            File.Delete(path);
        }

        Assert.StartsWith(path, Assert.Throws<ConfigurationException>(() => IniFile.Load(path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Random_bytes_give_a_file_or_a_message_and_nothing_else()
    {
        var random = new Random(5);
        for (int run = 0; run < 20_000; run++)
        {
            byte[] bytes = new byte[random.Next(60)];
            for (int index = 0; index < bytes.Length; index++)
            {
                bytes[index] = (byte)"[]=ab \n#;\r\t\0\xff"[random.Next(13)];
            }

            try
            {
                IniFile.Parse("f", bytes);
            }
            catch (ConfigurationException exception)
            {
                Assert.StartsWith("f:", exception.Message, StringComparison.Ordinal);
            }
        }
    }

    private static IniFile Parse(string text) => IniFile.Parse("f", Encoding.UTF8.GetBytes(text));
}
