using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>A standing ring: how long lookups are, how many links a node has, and what it sends when nobody asks anything of it.</summary>
internal sealed class IdleScenario : IScenario
{
    private const int Lookups = 1000;
    private const int MeasuredSeconds = 30;
    private const int SettleSeconds = 60;

    public string Name => "idle";

    public string Summary => "hops of a lookup, links a node, traffic of an idle node";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        MeasureTraffic(ring, report);
        MeasureLinks(ring, size, report);
        MeasureHops(ring, size, report);
    }

    private static void MeasureTraffic(SimulatedRing ring, ScenarioReport report)
    {
        SimulatedNode[] nodes = ring.Order;
        var line = new List<(double X, double Y)>();
        long[] before = new long[nodes.Length];
        long last = ring.SentBytes();
        for (int second = 0; second < SettleSeconds + MeasuredSeconds; second++)
        {
            if (second == SettleSeconds)
            {
                before = Array.ConvertAll(nodes, SimulatedRing.SentBytes);
            }

            ring.Network.Run(TimeSpan.FromSeconds(1));
            long now = ring.SentBytes();
            line.Add((second, (double)(now - last) / nodes.Length));
            last = now;
        }

        double[] rates = new double[nodes.Length];
        for (int i = 0; i < nodes.Length; i++)
        {
            rates[i] = (double)(SimulatedRing.SentBytes(nodes[i]) - before[i]) / MeasuredSeconds;
        }

        Array.Sort(rates);
        report.Draw(Picture.Traffic, "idle", line);
        report.Below("bytes sent by an idle node, mean", rates.Average(), 300, "B/s");
        report.Note("bytes sent by an idle node, 99th percentile", Quantile.Of(rates, 0.99), "B/s");
        report.Note("bytes sent by an idle node, most", rates[^1], "B/s");
    }

    private static void MeasureLinks(SimulatedRing ring, int size, ScenarioReport report)
    {
        double[] links = Array.ConvertAll(ring.Order, node => (double)node.Node.Ring.Connections);
        Array.Sort(links);
        var line = new List<(double X, double Y)>();
        for (int percent = 0; percent <= 100; percent++)
        {
            line.Add((percent, Quantile.Of(links, percent / 100.0)));
        }

        // The constants of O(log N) are ours: near neighbours, eight successors and shortcuts, and those that others made to us.
        report.Draw(Picture.Links, "idle", line);
        report.AtMost("links a node, mean", links.Average(), 3 * Math.Log2(size));
        report.AtMost("links a node, 99th percentile", Quantile.Of(links, 0.99), 6 * Math.Log2(size));
        report.AtMost("links a node, most", links[^1], 20 * Math.Log2(size));
    }

    private static void MeasureHops(SimulatedRing ring, int size, ScenarioReport report)
    {
        LookupBatch batch = LookupBatch.Send(ring, Lookups);
        double[] hops = batch.Hops();
        Array.Sort(hops);
        int[] counts = new int[hops.Length == 0 ? 1 : (int)hops[^1] + 1];
        foreach (double count in hops)
        {
            counts[(int)count]++;
        }

        var line = new List<(double X, double Y)>();
        for (int i = 0; i < counts.Length; i++)
        {
            line.Add((i, 100.0 * counts[i] / Lookups));
        }

        double? mean = hops.Length == 0 ? null : hops.Average();
        report.Draw(Picture.Hops, "idle", line);
        report.AtMost("hops of a lookup, mean", mean, 0.5 * Math.Pow(Math.Log2(size), 2));
        report.Note("hops of a lookup, 99th percentile", hops.Length == 0 ? null : Quantile.Of(hops, 0.99));

        // A frame that overtakes the end of a handshake is kept until that is over and goes on then. Of such a packet the simulator, which follows
        // sealed frames only while they are handled, loses the trail: about one in 30,000.
        report.AtLeast("lookups that reach the right node at once", 100 * batch.ShareRight(), 99.8, "%");
    }
}
