using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>Machines are copied with their keys and both run: how soon both know, which goes on, and how soon that one is reached.</summary>
internal sealed class CloneScenario : IScenario
{
    private const int Copies = 10;

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public string Name => "clone";

    public string Summary => "machines are copied with their keys and both run: time until both know and one goes on";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        TimeSpan start = ring.Network.Now;
        SimulatedNode[] members = ring.Order;
        List<Twins> all = [.. ring.SomeButTheList(Copies).Select(original => new Twins(original, ring.Copy(original)))];
        while (all.Exists(twins => !twins.IsSettled) && ring.Network.Now - start < Limit)
        {
            ring.Network.Run(Step);
            all.ForEach(twins => twins.Look(ring.Network.Now - start));
        }

        List<Twins> settled = all.FindAll(twins => twins.IsSettled);
        double[] times = [.. settled.ConvertAll(twins => twins.Time.TotalSeconds)];
        Array.Sort(times);
        report.AtLeast("copied machines of which exactly one goes on", 100.0 * settled.Count / all.Count, 100, "%");
        report.Note("time until both know, median", times.Length == all.Count ? Quantile.Of(times, 0.5) : null, "s");
        report.Below("time until both know, longest", times.Length == all.Count ? times[^1] : null, 60, "s");

        // Whoever yielded is silent and may as well be switched off; the truth about the ring names each address once.
        TimeSpan known = ring.Network.Now;
        settled.ForEach(twins => ring.Kill(twins.Yields));
        List<ReachedNode> reached = settled.ConvertAll(twins => new ReachedNode(twins.Stays, known));
        SimulatedNode[] others = Array.FindAll(members, node => !all.Exists(twins => twins.Has(node)));
        while (reached.Exists(node => !node.IsReached) && ring.Network.Now - known < Limit)
        {
            reached.ForEach(node => node.Try(ring, others[ring.Random.Next(others.Length)]));
            ring.Network.Run(Step);
        }

        bool areReached = reached.TrueForAll(node => node.IsReached);
        report.Below("all that go on are routable after the last settled", areReached ? reached.Max(node => node.Time.TotalSeconds) : null, 30, "s");
        bool isWhole = ring.Network.RunUntil(ring.IsWhole, Limit, TimeSpan.FromSeconds(0.5)) is not null;
        report.Below("every node linked to its true neighbours after", isWhole ? (ring.Network.Now - known).TotalSeconds : null, 60, "s");
        report.AtMost("nodes that believe in a copy and have none", Array.FindAll(others, node => node.Node.Twin is not null).Length, 0);
    }

    /// <summary>A machine and its copy.</summary>
    private sealed class Twins(SimulatedNode original, SimulatedNode copy)
    {
        private bool _copyStays;

        /// <summary>Whether both know, and agree on who goes on.</summary>
        public bool IsSettled { get; private set; }

        /// <summary>Until then.</summary>
        public TimeSpan Time { get; private set; }

        public SimulatedNode Stays => _copyStays ? copy : original;

        public SimulatedNode Yields => _copyStays ? original : copy;

        public bool Has(SimulatedNode node) => node == original || node == copy;

        public void Look(TimeSpan passed)
        {
            if (!IsSettled && original.Node.Twin is { } one && copy.Node.Twin is { } two && one.MustYield != two.MustYield)
            {
                (IsSettled, Time, _copyStays) = (true, passed, one.MustYield);
            }
        }
    }
}
