using System.Collections;
using System.Globalization;
using System.Reflection;
using Brunet;
using Ipop;
using Ipop.Linux.Polling;
using Ipopd.Control;
using Ipopd.Metrics;
using Testing.Simulation;

namespace Ipopd.Tests.Metrics;

/// <summary>A daemon runs for months, at gigabits a second: 2^32 bytes are gone in half a minute, 2^32 packets in hours.</summary>
public sealed class WideCountersTests
{
    private const long Before = uint.MaxValue;

    // The runtime's own.
    private static readonly string[] Others = ["process_cpu_seconds_total", "wow_allocated_bytes_total"];

    [Fact]
    public void Every_counter_of_the_metrics_goes_on_past_2_to_the_32()
    {
        var world = new SimulatedNetwork(seed: 92);
        for (int i = 0; i < 2; i++)
        {
            world.Add(NatKind.None, new SmallerOwnerWins());
        }

        Node node = world.Nodes[0].Node;
        Assert.NotNull(world.RunUntil(() => node.Peers(world.Now).Any(peer => peer.Path == PathKind.Direct), TimeSpan.FromSeconds(20)));
        object parts = Of(node, "_parts");
        object local = Of(parts, "Local");
        var traffic = new TrafficCounters();
        var drops = new DropCounters();
        foreach (object counters in new[] { traffic, drops, Of(local, "Refusals"), Of(parts, "Relayed"), Of(parts, "Esp"), Of(local, "Losses"), ((IDictionary)Of(Of(parts, "Peers"), "_peers")).Values.Cast<object>().Single() })
        {
            SetAll(counters);
        }

        traffic.Sent(1);
        traffic.Received(world.Now, 1);
        traffic.TcpSent(1);
        traffic.TcpReceived(1);
        world.Run(TimeSpan.FromSeconds(60));

        string text = MetricsReport.Write(
            node, world.Now, TimeSpan.FromSeconds(5), traffic, drops, new Losses(Before, Before, Before, Before, Before, Before), null,
            new NatReply("one-mapping", "", [], [], "unknown", 15), 0, loop: new LoopCounts(Before, Before, Before, Before));

        (string Name, string Value)[] counts = [.. text.Split('\n')
            .Where(line => !line.StartsWith('#') && line.Contains(' ', StringComparison.Ordinal))
            .Select(line => (line[..line.LastIndexOf(' ')], line[(line.LastIndexOf(' ') + 1)..]))
            .Where(sample => sample.Item1.Split('{')[0].EndsWith("_total", StringComparison.Ordinal) && !Others.Contains(sample.Item1))];
        Assert.True(counts.Length > 50, $"only {counts.Length} counters");
        Assert.All(counts, count => Assert.True(
            long.TryParse(count.Value, NumberStyles.None, CultureInfo.InvariantCulture, out long value) && value >= Before, $"{count.Name} is {count.Value}"));
        var grown = counts.Where(count => long.Parse(count.Value, CultureInfo.InvariantCulture) > Before).Select(count => count.Name.Split('{')[0]).ToHashSet();
        Assert.Superset(
            new HashSet<string>
            {
                "wow_sent_datagrams_total", "wow_sent_bytes_total", "wow_received_datagrams_total", "wow_received_bytes_total", "wow_tcp_sent_bytes_total",
                "wow_peer_sent_bytes_total", "wow_peer_received_bytes_total",
            },
            grown);
    }

    private static object Of(object whole, string name)
    {
        const BindingFlags Any = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;
        return (whole.GetType().GetField(name, Any)?.GetValue(whole) ?? whole.GetType().GetProperty(name, Any)?.GetValue(whole))!;
    }

    /// <summary>As if so much had been counted already; what is not 64 bits wide stays behind.</summary>
    private static void SetAll(object counters)
    {
        foreach (FieldInfo field in counters.GetType().GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public))
        {
            if (field.FieldType == typeof(long))
            {
                field.SetValue(counters, Before);
            }
            else if (field.GetValue(counters) is long[] many)
            {
                Array.Fill(many, Before);
            }
        }
    }
}
