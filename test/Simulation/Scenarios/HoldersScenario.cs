using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>
/// Records when three nodes of ten are switched off at one moment. Every node keeps one: those of the living must be found and stay theirs, those
/// of the dead must go when their life ends, and not before.
/// </summary>
internal sealed class HoldersScenario : IScenario
{
    private const double Share = 0.3;
    private const int Lookups = 1000;
    private const int Contested = 100;

    /// <summary>Seconds of a record's life: docs/protocol.md, "Records".</summary>
    private const int Life = 600;

    private static readonly int[] Looks = [1, 5, 10, 30, 60, 150];

    public string Name => "holders";

    public string Summary => "30 % of the nodes die at once: records that are found, leases of the dead";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        var records = new List<OwnedRecord>();
        foreach (SimulatedNode node in ring.Order)
        {
            records.Add(OwnedRecord.Of(node, node.Index));
        }

        // So long that all owners have renewed once and stand somewhere between two renewals.
        RecordsScenario.Pass(ring, records, 60, () => records.TrueForAll(record => record.Stands));
        RecordsScenario.Pass(ring, records, 180, () => false);
        report.AtLeast("records acknowledged", RecordsScenario.Share(RecordsScenario.Standing(records).Count, size), 100, "%");

        Kill(ring);
        TimeSpan death = ring.Network.Now;
        List<OwnedRecord> living = records.FindAll(record => record.Owner.IsAlive);
        List<OwnedRecord> dead = records.FindAll(record => !record.Owner.IsAlive);
        var forTheLiving = Challenge(ring, living);
        var forTheDead = Challenge(ring, dead);
        List<OwnedRecord> all = [.. living, .. forTheLiving, .. forTheDead];
        void RunTo(double second) =>
            RecordsScenario.Pass(ring, all, (int)Math.Round(second - (ring.Network.Now - death).TotalSeconds), () => false);

        var line = new List<(double X, double Y)>();
        int wrong = 0;
        foreach (int second in Looks)
        {
            RunTo(second);
            (RecordLookups looks, double[] waits) = Look(ring, all, living);
            double right = RecordsScenario.Share(looks.Right, Lookups);
            line.Add((second, right));
            string name = $"living owners' records found, asked {second} s after";
            if (second >= 30)
            {
                report.AtLeast(name, right, 100, "%");
            }
            else
            {
                report.Note(name, right, "%");
            }

            report.Note($"{name}: time, 99th percentile", waits.Length == 0 ? null : Quantile.Of(waits, 0.99), "s");
            wrong += looks.Wrong;
        }

        report.Draw(Picture.Convergence, "30 % die: records", line);
        report.AtMost("answers that a living owner's record is not there", wrong, 0);
        report.AtMost("keys of a living owner that somebody with less claim got", forTheLiving.Count(record => record.Stands), 0);
        report.AtMost("keys of the dead that somebody with less claim got within their life", forTheDead.Count(record => record.Stands), 0);

        RunTo(Life + 20);
        var gone = new RecordLookups();
        foreach (OwnedRecord record in dead)
        {
            gone.AskOfDead(ring.Network.Now, RecordsScenario.Asker(ring), record);
        }

        RecordsScenario.Pass(ring, all, 15, () => gone.Ended == dead.Count);
        report.AtMost($"records of the dead that stand {Life + 20} s after", dead.Count - gone.Wrong, 0);
        forTheDead.ForEach(record => record.AskAgain(ring.Network.Now));
        RecordsScenario.Pass(ring, all, 30, () => forTheDead.TrueForAll(record => record.Stands));
        report.AtLeast("keys of the dead that others get then", RecordsScenario.Share(forTheDead.Count(record => record.Stands), forTheDead.Count), 100, "%");
        report.AtMost("records that a living owner lost", living.Count(record => !record.Stands), 0);
    }

    private static void Kill(SimulatedRing ring)
    {
        SimulatedNode[] victims = [.. ring.Order];
        ring.Random.Shuffle(victims);
        foreach (SimulatedNode victim in victims.AsSpan(0, (int)(victims.Length * Share)))
        {
            ring.Kill(victim);
        }
    }

    /// <summary>Living nodes that want keys of others, and have the lesser claim.</summary>
    private static List<OwnedRecord> Challenge(SimulatedRing ring, List<OwnedRecord> owned)
    {
        var challengers = new List<OwnedRecord>();
        for (int i = 0; i < Math.Min(Contested, owned.Count); i++)
        {
            OwnedRecord record = owned[i];
            List<SimulatedNode> worse = [.. ring.Order.Where(node => node != record.Owner && !record.YieldsTo(node))];
            if (worse.Count > 0)
            {
                challengers.Add(OwnedRecord.Of(worse[ring.Random.Next(worse.Count)], record.Owner.Index));
            }
        }

        return challengers;
    }

    private static (RecordLookups Looks, double[] Waits) Look(SimulatedRing ring, List<OwnedRecord> all, List<OwnedRecord> living)
    {
        var looks = new RecordLookups();
        for (int i = 0; i < Lookups; i++)
        {
            looks.Ask(ring.Network.Now, RecordsScenario.Asker(ring), living[ring.Random.Next(living.Count)]);
        }

        RecordsScenario.Pass(ring, all, 12, () => looks.Ended == Lookups);
        double[] waits = [.. looks.Waits];
        Array.Sort(waits);
        return (looks, waits);
    }
}
