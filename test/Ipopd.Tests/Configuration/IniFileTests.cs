using System.Text;
using System.Text.Json;
using Ipopd.Configuration;

namespace Ipopd.Tests.Configuration;

public sealed class IniFileTests
{
    private const int Files = 20_000;
    private const int Seed = 3;

    /// <summary>test_ini.py reads the same examples.</summary>
    [Fact]
    public void Examples_are_read_as_the_node_reads_them()
    {
        string examples = Path.Combine(global::Tests.CloneFolder.Path, "test/Ipopd.Tests/Configuration/ini.json");
        using JsonDocument read = JsonDocument.Parse(File.ReadAllText(examples));
        int count = 0;
        foreach (JsonElement one in read.RootElement.GetProperty("files").EnumerateArray())
        {
            count++;
            byte[] bytes = one.TryGetProperty("hex", out JsonElement hex) ? Convert.FromHexString(hex.GetString()!) : Encoding.UTF8.GetBytes(one.GetProperty("text").GetString()!);
            if (one.TryGetProperty("sections", out JsonElement sections))
            {
                Assert.Equal(Written(sections), Written(IniFile.Parse("f", bytes)));
                continue;
            }

            int line = one.GetProperty("wrong").GetInt32();
            string message = Assert.Throws<ConfigurationException>(() => IniFile.Parse("f", bytes)).Message;
            Assert.StartsWith(line == 0 ? "f: " : $"f:{line}: ", message, StringComparison.Ordinal);
        }

        Assert.InRange(count, 1, int.MaxValue);
    }

    [Fact]
    public void Random_files_are_read_as_the_node_reads_them()
    {
        int right = 0, wrong = 0;
        foreach (string line in PythonLines.Of("test/node/ini_files.py", $"{Files}", $"{Seed}"))
        {
            using JsonDocument one = JsonDocument.Parse(line);
            string hex = one.RootElement.GetProperty("hex").GetString()!;
            JsonElement sections = one.RootElement.GetProperty("sections");
            string? read = null;
            try
            {
                read = Written(IniFile.Parse("f", Convert.FromHexString(hex)));
            }
            catch (ConfigurationException exception)
            {
                Assert.StartsWith("f:", exception.Message, StringComparison.Ordinal);
            }

            string? expected = sections.ValueKind == JsonValueKind.Null ? null : Written(sections);
            Assert.True(expected == read, $"{hex}: the node reads {expected ?? "nothing"}, ipopd {read ?? "nothing"}");
            _ = expected is null ? wrong++ : right++;
        }

        Assert.Equal(Files, right + wrong);

        // Else one kind was hardly tried.
        Assert.InRange(right, Files / 4, Files * 3 / 4);
    }

    [Theory]
    [InlineData("[node\n", "f:1: '[node' has no name or no closing bracket; write [section]")]
    [InlineData("a = b\n", "f:1: a key before the first section; write [section] above it")]
    [InlineData("[node]\nnonsense\n", "f:2: 'nonsense' is neither a section nor a key; write key = value")]
    [InlineData("[node]\n= 1\n", "f:2: '= 1' is neither a section nor a key; write key = value")]
    [InlineData("[a]\nx = 1\n[b]\n[a]\nx = 2\n", "f:5: [a] x stands on line 2 already; remove one of the two")]
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

    /// <summary>Sections and keys in one spelling, each in the order of its name.</summary>
    private static string Written(IniFile file) => Written(
        from heading in file.Sections.DistinctBy(heading => heading.Section)
        select (heading.Section, from entry in file.Keys where entry.Section == heading.Section select (entry.Key, entry.Value, entry.Line)));

    private static string Written(JsonElement sections) => Written(
        from section in sections.EnumerateObject()
        select (section.Name, from key in section.Value.EnumerateObject() select (key.Name, key.Value[0].GetString()!, key.Value[1].GetInt32())));

    private static string Written(IEnumerable<(string Name, IEnumerable<(string Key, string Value, int Line)> Keys)> sections) => string.Join(
        '\n',
        from section in sections.OrderBy(section => section.Name, StringComparer.Ordinal)
        let keys = section.Keys.OrderBy(key => key.Key, StringComparer.Ordinal).Select(key => $"{key.Key} = {JsonEncodedText.Encode(key.Value)} ({key.Line})")
        select $"[{section.Name}] {string.Join(", ", keys)}");

    private static IniFile Parse(string text) => IniFile.Parse("f", Encoding.UTF8.GetBytes(text));
}
