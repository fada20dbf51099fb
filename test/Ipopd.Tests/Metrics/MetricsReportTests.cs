using System.Globalization;
using System.Text.RegularExpressions;
using Brunet;
using Ipop;
using Ipop.Linux.Polling;
using Ipopd.Control;
using Ipopd.Metrics;
using Testing.Simulation;

namespace Ipopd.Tests.Metrics;

/// <summary>The whole page, read by the format's own rules; test/netns has it read by promtool, too.</summary>
public sealed partial class MetricsReportTests
{
    private static readonly string[] Units = ["_seconds", "_bytes", "_ratio", "_total", "_info"];
    private static readonly string[] Counts =
        ["wow_ring_joined", "wow_ring_connections", "wow_ring_near_neighbours", "wow_dht_records", "wow_warnings", "wow_peers", "wow_tcp_connections", "wow_lan_hosts"];

    [Fact]
    public void Every_line_is_of_the_format_and_every_metric_has_help_type_and_a_name_by_the_conventions()
    {
        string[] lines = Report().TrimEnd('\n').Split('\n');
        var seen = new HashSet<string>();
        var series = new HashSet<string>();
        for (int i = 0; i < lines.Length; i++)
        {
            if (HelpPattern().Match(lines[i]) is { Success: true } help)
            {
                string name = help.Groups[1].Value;
                Assert.True(seen.Add(name), $"{name} stands twice");
                Match type = TypePattern().Match(lines[i + 1]);
                Assert.Equal(name, type.Groups[1].Value);
                Assert.Equal(name.EndsWith("_total", StringComparison.Ordinal), type.Groups[2].Value == "counter");
                Assert.True(Counts.Contains(name) || Units.Any(unit => name.EndsWith(unit, StringComparison.Ordinal)), $"{name} names no unit");
                i++;
                continue;
            }

            Match sample = SamplePattern().Match(lines[i]);
            Assert.True(sample.Success, lines[i]);
            Assert.True(seen.Contains(sample.Groups[1].Value) && seen.Last() == sample.Groups[1].Value, $"{lines[i]} stands under another metric");
            Assert.True(series.Add(sample.Groups[1].Value + sample.Groups[2].Value), $"{lines[i]} stands twice");
            Assert.True(double.IsFinite(double.Parse(sample.Groups[3].Value, CultureInfo.InvariantCulture)), lines[i]);
        }

        Assert.Equal(Enum.GetValues<DropReason>().Length, lines.Count(line => line.StartsWith("wow_dropped_packets_total{", StringComparison.Ordinal)));
    }

    [Fact]
    public void The_figures_are_the_nodes()
    {
        string text = Report();
        Assert.Contains("wow_ring_joined 1\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_peers{path=\"direct\"} 2\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_lan_hosts 3\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_clock_error_seconds -1.5\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_shortages_total 7\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_received_bytes_total 30\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_tcp_sent_bytes_total 40\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_tcp_received_frames_total 1\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_nat_info{kind=\"one-mapping\",filtering=\"unknown\"} 1\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_loop_rounds_total 4\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_loop_rests_total 8\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_loop_bars_total 9\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_dropped_packets_total{reason=\"not_our_source\"} 0\n", text, StringComparison.Ordinal);
        Assert.Contains("wow_refused_total{collection=\"notice_sources\"} 0\n", text, StringComparison.Ordinal);
        string[] losses = ["waited_for_session", "came_before_session", "tcp_queue_full", "udp_send_refused", "udp_receive_queue_full", "tap_write_refused"];
        Assert.All(losses.Index(), loss => Assert.Contains($"wow_lost_frames_total{{reason=\"{loss.Item}\"}} {loss.Index + 1}\n", text, StringComparison.Ordinal));
    }

    private static string Report()
    {
        var world = new SimulatedNetwork(seed: 91);
        for (int i = 0; i < 3; i++)
        {
            world.Add(NatKind.None, new SmallerOwnerWins());
        }

        Assert.NotNull(world.RunUntil(() => world.Nodes[0].Node.Peers(world.Now).Count(peer => peer.Path == PathKind.Direct) == 2, TimeSpan.FromSeconds(20)));
        world.Run(TimeSpan.FromSeconds(20));
        var traffic = new TrafficCounters();
        traffic.Received(world.Now, 30);
        traffic.TcpSent(40);
        traffic.TcpReceived(50);
        return MetricsReport.Write(world.Nodes[0].Node, world.Now, TimeSpan.FromSeconds(5), traffic, new DropCounters(), new Losses(1, 2, 3, 4, 5, 6), null, new NatReply("one-mapping", "", [], [], "unknown", 15), 0, lanHosts: 3, clockError: -1.5,
            new LoopCounts(4, 8, 9, 7));
    }

    [GeneratedRegex("^# HELP ([a-z][a-z0-9_]*) [A-Z0-9].*\\.$")]
    private static partial Regex HelpPattern();

    [GeneratedRegex("^# TYPE ([a-z][a-z0-9_]*) (counter|gauge)$")]
    private static partial Regex TypePattern();

    [GeneratedRegex("""^([a-z][a-z0-9_]*)((?:\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})?) (\S+)$""")]
    private static partial Regex SamplePattern();
}
