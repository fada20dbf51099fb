using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>Nodes join a standing ring: how long from switching on until a packet of a member by chance, routed to the node alone, reaches it.</summary>
internal sealed class JoinScenario : IScenario
{
    private const int Joiners = 100;

    /// <summary>Time between two joins.</summary>
    private static readonly TimeSpan Spacing = TimeSpan.FromMilliseconds(200);

    /// <summary>Time between two packets to a node that is not yet reached.</summary>
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(50);

    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);

    public string Name => "join";

    public string Summary => "nodes join a standing ring: time until routable";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        TimeSpan start = ring.Network.Now;
        SimulatedNode[] members = ring.Order;
        var joins = new List<ReachedNode>();
        var line = new List<(double X, double Y)>();
        while (joins.Count < Joiners || (joins.Exists(join => !join.IsReached) && ring.Network.Now - start < Limit))
        {
            if (joins.Count < Joiners && ring.Network.Now - start >= joins.Count * Spacing)
            {
                SimulatedNode node = ring.Add();
                joins.Add(new ReachedNode(node, node.StartedAt));
            }

            foreach (ReachedNode join in joins)
            {
                join.Try(ring, members[ring.Random.Next(members.Length)]);
            }

            ring.Network.Run(Step);
        }

        double[] seconds = [.. joins.FindAll(join => join.IsReached).ConvertAll(join => join.Time.TotalSeconds)];
        Array.Sort(seconds);
        for (int i = 0; i < seconds.Length; i++)
        {
            line.Add((seconds[i], 100.0 * (i + 1) / joins.Count));
        }

        bool all = seconds.Length == joins.Count;
        report.Draw(Picture.Convergence, "join: joiners that are routable", line);
        report.Note("time to routable, median", seconds.Length * 2 > joins.Count ? Quantile.Of(seconds, 0.5 * joins.Count / seconds.Length) : null, "s");
        report.Below(
            "time to routable, 99th percentile",
            seconds.Length * 100 >= joins.Count * 99 ? Quantile.Of(seconds, 0.99 * joins.Count / seconds.Length) : null,
            size <= 1000 ? 3 : 5,
            "s");
        report.AtLeast("joiners that became routable within a minute", 100.0 * seconds.Length / joins.Count, 100, "%");
        report.Note("time to routable, longest", all ? seconds[^1] : null, "s");
    }
}
