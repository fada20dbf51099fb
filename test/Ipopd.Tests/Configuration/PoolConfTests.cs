using System.Diagnostics;
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
        foreach (string line in Generated())
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
            string meant = one.GetProperty("facts").GetRawText(), understood = Facts(options);
            return JsonElement.DeepEquals(one.GetProperty("facts"), JsonDocument.Parse(understood).RootElement) ? null : $"meant {meant}, understood {understood}";
        }
        catch (ConfigurationException exception)
        {
            return exception.Message;
        }
    }

    private static string Facts(DaemonOptions options) => JsonSerializer.Serialize(new
    {
        name = options.Pool,
        subnet = options.Subnet.ToString(),
        host = options.Host,
        port = options.UdpPort,
        rate = options.RelayRate,
        open = options.IsOpen,
        ports = options.TcpPorts,
        bootstrap = options.Bootstrap.Count,
        ntp = options.TimeServer,
        metrics = options.MetricsListen?.ToString(),
        ticket = options.Ticket,
        secret = Convert.ToHexStringLower(options.Secret.Span),
        mapping = options.PortMapping,
        multicast = options.HasMulticast,
    });

    private static List<string> Generated()
    {
        var start = new ProcessStartInfo("/usr/bin/python3", ["-B", Path.Combine(global::Tests.CloneFolder.Path, "test/node/pool_configs.py"), $"{Files}", $"{Seed}"])
        {
            RedirectStandardOutput = true,
            StandardOutputEncoding = Encoding.UTF8,
        };
        using Process process = Process.Start(start)!;
        var lines = new List<string>();
        while (process.StandardOutput.ReadLine() is { } line)
        {
            lines.Add(line);
        }

        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return lines;
    }
}
