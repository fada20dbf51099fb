using System.Reflection;
using System.Text;
using System.Text.Json;
using Ipopd.Configuration;

namespace Ipopd.Tests.Configuration;

/// <summary>
/// What the node's Python takes for a right pool.conf makes an ipopd.conf that the daemon's own reader takes, and both mean the same by it. Else a machine
/// says that its pool.conf is accepted, and has no overlay.
/// </summary>
public sealed class PoolConfTests
{
    private const int Files = 10_000;
    private const int Seed = 17;

    [Fact]
    public void What_the_node_accepts_the_daemon_accepts_and_means_the_same_by_it()
    {
        var wrong = new List<string>();
        int read = 0, refused = 0;
        foreach (string line in PythonLines.Of("test/node/pool_configs.py", $"{Files}", $"{Seed}"))
        {
            using JsonDocument one = JsonDocument.Parse(line);
            if (one.RootElement.TryGetProperty("refused", out JsonElement count))
            {
                refused = count.GetInt32();
                continue;
            }

            read++;
            if (Difference(one.RootElement) is { } difference)
            {
                wrong.Add($"{difference}\n{one.RootElement.GetProperty("file").GetString()}");
            }
        }

        Assert.True(wrong.Count == 0, $"{wrong.Count} of {read}, the first:\n{string.Join("\n", wrong.Take(5))}");
        Assert.Equal(Files, read);

        // Else nothing stood at the edge of what is allowed.
        Assert.InRange(refused, Files / 10, 100 * Files);
    }

    private static string? Difference(JsonElement one)
    {
        try
        {
            DaemonOptions options = DaemonOptionsReader.Read(IniFile.Parse("ipopd.conf", Encoding.UTF8.GetBytes(one.GetProperty("ipopd").GetString()!)));
            return string.Join("; ", one.GetProperty("facts").EnumerateObject()
                .Select(fact => (fact.Name, Meant: fact.Value.GetString()!, Understood: Understood(options, fact.Name)))
                .Where(fact => fact.Meant != fact.Understood)
                .Select(fact => $"{fact.Name}: meant '{fact.Meant}', understood '{fact.Understood}'")) is { Length: > 0 } differences
                ? differences
                : null;
        }
        catch (ConfigurationException exception)
        {
            return exception.Message;
        }
    }

    /// <summary>What the daemon makes of a key, in the one spelling that pool.conf's reader has for it.</summary>
    private static string Understood(DaemonOptions options, string name)
    {
        OptionKey key = OptionKey.All.Single(one => one.ToString() == name);
        string property = string.Concat($"{key.Section}-{key.Name}".Split('-').Select(part => char.ToUpperInvariant(part[0]) + part[1..]));
        object? value = typeof(DaemonOptions).GetProperty(property, BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(options);
        return value switch
        {
            null => key.Default!,
            bool isSo => isSo ? "yes" : "no",
            ReadOnlyMemory<byte> bytes => Convert.ToHexStringLower(bytes.Span),
            IReadOnlyList<ushort> ports => ports.Count == 0 ? "none" : string.Join(' ', ports),
            IEnumerable<BootstrapEntry> entries => string.Join(' ', entries),
            _ => value.ToString()!,
        };
    }
}
