using Ipopd.Configuration;

namespace Ipopd.Tests.Configuration;

/// <summary>ipopd.conf is the documentation of the configuration, so it must say what the code does.</summary>
public sealed class ExampleFileTests
{
    private static readonly string Example = Path.Combine(AppContext.BaseDirectory, "ipopd.conf");

    [Fact]
    public void The_example_can_be_used_as_it_is()
    {
        DaemonOptions options = DaemonOptionsReader.Load(Example);
        Assert.Equal("demo", options.Pool);
    }

    [Fact]
    public void The_example_has_every_key_with_its_real_default_and_says_which_are_required()
    {
        IniFile file = IniFile.Load(Example);
        string[] lines = File.ReadAllLines(Example);
        foreach (OptionKey key in OptionKey.All)
        {
            IniFile.Entry? entry = file.Find(key.Section, key.Name);
            Assert.True(entry is not null, $"{key} is not in the example");
            string comment = string.Join(' ', lines.Take(entry.Line - 1).Reverse().TakeWhile(line => line.StartsWith('#')));
            Assert.True(comment.Length > 20, $"{key} has no comment");
            Assert.True(key.Default is null == comment.Contains("Required", StringComparison.Ordinal), $"{key}: required or not?");
            if (key.Default is { } value)
            {
                Assert.True(entry.Value == value, $"{key}: the example says '{entry.Value}', the code '{value}'");
            }
        }

        Assert.Equal(OptionKey.All.Count, file.Keys.Count);
    }
}
