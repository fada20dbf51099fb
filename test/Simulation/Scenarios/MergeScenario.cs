using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>Two rings of one pool form while the network is parted; then it heals: how soon they are one, and what it costs.</summary>
internal sealed class MergeScenario : IScenario
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(3);
    private static readonly TimeSpan Step = TimeSpan.FromSeconds(0.5);

    public string Name => "merge";

    public string Summary => "two rings that formed under a partition become one";

    public bool NeedsRing => false;

    /// <summary>One in each half.</summary>
    public int Firsts => 2;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        ring.Network.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
        SimulatedNode[] Half(int half) => RingTruth.Sort(ring.Network.Nodes.FindAll(node => node.Index % 2 == half));
        if (ring.Grow(size, () => RingTruth.IsWhole(Half(0)) && RingTruth.IsWhole(Half(1)), report.Say) is null)
        {
            throw new ScenarioException("the two rings did not form within three virtual minutes, so there is nothing to merge");
        }

        ring.Network.IsParted = null;
        TimeSpan start = ring.Network.Now;
        long before = ring.SentBytes();
        (long last, double peak) = (before, 0);
        var line = new List<(double X, double Y)>();
        double? merged = null;
        while (merged is null && ring.Network.Now - start < Limit)
        {
            double share = ring.ShareInPlace();
            double passed = (ring.Network.Now - start).TotalSeconds;
            line.Add((passed, 100 * share));
            if (share == 1)
            {
                merged = passed;
                break;
            }

            ring.Network.Run(Step);
            long sent = ring.SentBytes();
            peak = Math.Max(peak, (sent - last) / Step.TotalSeconds / size);
            last = sent;
        }

        report.Draw(Picture.Convergence, "merge", line);
        report.Below("one ring after", merged, 60, "s");
        report.Note("bytes sent a node while merging, mean", (double)(ring.SentBytes() - before) / size, "B");
        report.Note("bytes sent a second a node while merging, peak of the mean", peak, "B/s");
    }
}
