using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>
/// Records under churn, then under a partition. Every node keeps one record; nodes die and others come until as many have died as the
/// ring has nodes, in ten minutes. Then the network parts, nodes of both halves take the same keys, and it heals.
/// </summary>
internal sealed class RecordsScenario : IScenario
{
    private const int ChurnSeconds = 600;
    private const int Contested = 50;
    private const int LookupsASecond = 5;

    /// <summary>The bootstrap list lives through the churn, so that newcomers find the ring.</summary>
    internal const int Spared = 3;

    private static readonly TimeSpan Second = TimeSpan.FromSeconds(1);

    public string Name => "records";

    public string Summary => "the DHT: acknowledged records lost under churn, duplicate owners after a partition";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        var records = new List<OwnedRecord>();
        foreach (SimulatedNode node in ring.Order)
        {
            records.Add(OwnedRecord.Of(node, node.Index));
        }

        TimeSpan start = ring.Network.Now;
        Pass(ring, records, 60, () => records.TrueForAll(record => record.Stands));
        report.AtLeast("records acknowledged within a minute", 100.0 * records.FindAll(record => record.Stands).Count / records.Count, 100, "%");
        report.Note("all records acknowledged after", records.TrueForAll(record => record.Stands) ? (ring.Network.Now - start).TotalSeconds : null, "s");
        Churn(ring, size, records, report);
        Part(ring, records, report);
    }

    private static void Churn(SimulatedRing ring, int size, List<OwnedRecord> records, ScenarioReport report)
    {
        var during = new RecordLookups();
        int died = 0;
        for (int second = 0; second < ChurnSeconds; second++)
        {
            for (; died < (second + 1) * size / ChurnSeconds; died++)
            {
                SimulatedNode victim;
                do
                {
                    victim = ring.Any();
                }
                while (victim.Index < Spared);
                ring.Kill(victim);
                SimulatedNode fresh = ring.Add();
                records.Add(OwnedRecord.Of(fresh, fresh.Index));
            }

            List<OwnedRecord> standing = Standing(records);
            for (int i = 0; i < LookupsASecond && standing.Count > 0; i++)
            {
                during.Ask(ring.Network.Now, Asker(ring), standing[ring.Random.Next(standing.Count)]);
            }

            Pass(ring, records, 1, () => false);
        }

        report.Note("nodes that died and were replaced", died);
        report.Note("lookups answered right under churn", Share(during.Right, during.Ended), "%");
        report.AtMost("lookups under churn that say a standing record is not there", during.Wrong, 0);

        Pass(ring, records, 60, () => false);
        var after = new RecordLookups();
        List<OwnedRecord> acknowledged = Standing(records);
        foreach (OwnedRecord record in acknowledged)
        {
            after.Ask(ring.Network.Now, Asker(ring), record);
        }

        Pass(ring, records, 15, () => after.Ended == acknowledged.Count);
        report.Note("acknowledged records of living owners after the churn", acknowledged.Count);
        report.AtMost("acknowledged records lost", acknowledged.Count - after.Right, 0);
    }

    private static void Part(SimulatedRing ring, List<OwnedRecord> records, ScenarioReport report)
    {
        ring.Network.IsParted = (from, to) => from.Index % 2 != to.Index % 2;
        Pass(ring, records, 60, () => false);
        var contest = new List<(OwnedRecord Even, OwnedRecord Odd)>();
        for (int i = 0; i < Contested; i++)
        {
            int number = ring.Network.Nodes.Count + 1000 + i;
            contest.Add((OwnedRecord.Of(OfHalf(ring, 0), number), OwnedRecord.Of(OfHalf(ring, 1), number)));
            records.Add(contest[^1].Even);
            records.Add(contest[^1].Odd);
        }

        Pass(ring, records, 60, () => contest.TrueForAll(pair => pair.Even.Stands && pair.Odd.Stands));
        report.Note("keys with an owner in each half of the parted ring", contest.FindAll(pair => pair.Even.Stands && pair.Odd.Stands).Count);
        ring.Network.IsParted = null;
        TimeSpan healed = ring.Network.Now;
        Pass(ring, records, 240, () => contest.TrueForAll(pair => pair.Even.Stands != pair.Odd.Stands));
        bool settled = contest.TrueForAll(pair => pair.Even.Stands != pair.Odd.Stands);
        report.Note("one owner each after", settled ? (ring.Network.Now - healed).TotalSeconds : null, "s");

        // What is decided stays decided.
        Pass(ring, records, 60, () => false);
        report.AtMost("keys with two owners after the partition", contest.FindAll(pair => pair.Even.Stands && pair.Odd.Stands).Count, 0);
        report.AtMost("keys with no owner after the partition", contest.FindAll(pair => !pair.Even.Stands && !pair.Odd.Stands).Count, 0);
    }

    internal static List<OwnedRecord> Standing(List<OwnedRecord> records) => records.FindAll(record => record.Stands && record.Owner.IsAlive);

    internal static double Share(int part, int whole) => whole == 0 ? 0 : 100.0 * part / whole;

    internal static SimulatedNode Asker(SimulatedRing ring)
    {
        SimulatedNode asker;
        do
        {
            asker = ring.Any();
        }
        while (!asker.Node.IsJoined);
        return asker;
    }

    private static SimulatedNode OfHalf(SimulatedRing ring, int half)
    {
        SimulatedNode node;
        do
        {
            node = ring.Any();
        }
        while (node.Index % 2 != half);
        return node;
    }

    /// <summary>Lets seconds pass, and owners ask for what they have not yet.</summary>
    internal static void Pass(SimulatedRing ring, List<OwnedRecord> records, int seconds, Func<bool> isDone)
    {
        for (int i = 0; i < seconds && !isDone(); i++)
        {
            foreach (OwnedRecord record in records)
            {
                record.Step(ring.Network.Now);
            }

            ring.Network.Run(Second);
        }
    }
}
