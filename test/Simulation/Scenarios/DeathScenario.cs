using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>Three nodes of ten are switched off at one moment: how soon the others route right again.</summary>
internal sealed class DeathScenario : IScenario
{
    private const double Share = 0.3;
    private const int Lookups = 1000;
    private const int LastLook = 60;

    public string Name => "death";

    public string Summary => "30 % of the nodes die at once: lookups that succeed right after 30 and 60 s";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        SimulatedNode[] victims = [.. ring.Order];
        ring.Random.Shuffle(victims);
        foreach (SimulatedNode victim in victims.AsSpan(0, (int)(victims.Length * Share)))
        {
            ring.Kill(victim);
        }

        TimeSpan start = ring.Network.Now;
        var line = new List<(double X, double Y)>();
        double? whole = null;
        void Look()
        {
            double passed = (ring.Network.Now - start).TotalSeconds;
            if (line.Count == 0 || passed - line[^1].X >= 0.5)
            {
                double share = ring.ShareInPlace();
                line.Add((passed, 100 * share));
                whole ??= share == 1 ? passed : null;
            }
        }

        void RunTo(int second)
        {
            while (ring.Network.Now - start < TimeSpan.FromSeconds(second))
            {
                Look();
                ring.Network.Run(TimeSpan.FromSeconds(0.5));
            }
        }

        LookupBatch LookUp(int second)
        {
            RunTo(second);
            return LookupBatch.Send(ring, Lookups, Look);
        }

        LookupBatch soon = LookUp(5);
        report.Note("lookups right at once after 5 s", 100 * soon.ShareRight(), "%");
        LookupBatch later = LookUp(30);
        report.AtLeast("lookups right at once after 30 s", 100 * later.ShareRight(), 99, "%");
        report.Note("lookups that went to a dead node after 30 s", 100 * later.ShareToTheDead(), "%");
        LookupBatch last = LookUp(LastLook);
        report.AtLeast("lookups right at once after 60 s", 100 * last.ShareRight(), 100, "%");
        report.Note("lookups that went to a dead node after 60 s", 100 * last.ShareToTheDead(), "%");
        RunTo(LastLook + 10);
        report.Note("every survivor linked to its true neighbours after", whole, "s");
        report.Draw(Picture.Convergence, "30 % die", line);
    }
}
