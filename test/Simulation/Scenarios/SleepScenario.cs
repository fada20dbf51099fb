using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>
/// A tenth of the machines is suspended at one moment and wakes five minutes later with all that it knew, behind NATs that have forgotten it: what the others
/// miss meanwhile, and how soon those that wake are reached.
/// </summary>
internal sealed class SleepScenario : IScenario
{
    private const double Share = 0.1;
    private const int Lookups = 500;
    private const int SleepSeconds = 300;

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public string Name => "sleep";

    public string Summary => "a tenth of the machines is suspended for five minutes: lookups meanwhile, time until the woken are routable";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        SimulatedNode[] sleepers = ring.SomeButTheList(Math.Max(1, (int)(size * Share)));
        Array.ForEach(sleepers, ring.Kill);
        TimeSpan start = ring.Network.Now;
        ring.Network.Run(TimeSpan.FromSeconds(30));
        report.AtLeast("lookups right at once 30 s after they fell asleep", 100 * LookupBatch.Send(ring, Lookups).ShareRight(), 99, "%");
        ring.Network.Run(TimeSpan.FromSeconds(SleepSeconds) - (ring.Network.Now - start));
        SimulatedNode[] members = ring.Order;
        TimeSpan woken = ring.Network.Now;
        List<ReachedNode> reached = [.. sleepers.Select(node => new ReachedNode(node, woken))];
        Array.ForEach(sleepers, ring.Wake);
        while (reached.Exists(node => !node.IsReached) && ring.Network.Now - woken < Limit)
        {
            reached.ForEach(node => node.Try(ring, members[ring.Random.Next(members.Length)]));
            ring.Network.Run(Step);
        }

        double[] times = [.. reached.FindAll(node => node.IsReached).ConvertAll(node => node.Time.TotalSeconds)];
        Array.Sort(times);
        bool all = times.Length == reached.Count;
        report.AtLeast("woken machines that are routable within a minute", 100.0 * times.Length / reached.Count, 100, "%");
        report.Note("time from waking to routable, median", all ? Quantile.Of(times, 0.5) : null, "s");
        report.Below("time from waking to routable, longest", all ? times[^1] : null, 5, "s");
        bool isWhole = ring.Network.RunUntil(ring.IsWhole, Limit, TimeSpan.FromSeconds(0.5)) is not null;
        report.Below("every node linked to its true neighbours after waking", isWhole ? (ring.Network.Now - woken).TotalSeconds : null, 60, "s");
    }
}
