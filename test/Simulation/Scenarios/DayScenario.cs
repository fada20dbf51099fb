using Simulation.Reports;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>A day in which every hour a tenth of the nodes dies without a word and as many come. Every node keeps one record.</summary>
internal sealed class DayScenario : IScenario
{
    private const int Hours = 24;
    private const double DeathsAnHour = 0.1;

    /// <summary>Seconds between two looks at one record by chance; at the end of each hour all are looked at.</summary>
    private const int LookInterval = 10;

    public string Name => "day";

    public string Summary => "the DHT over a day at 10 % churn an hour: acknowledged records lost (takes long)";

    public bool NeedsRing => true;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        var records = new List<OwnedRecord>();
        foreach (SimulatedNode node in ring.Order)
        {
            records.Add(OwnedRecord.Of(node, node.Index));
        }

        var looks = new RecordLookups();
        int asked = 0;
        int died = 0;
        long before = ring.SentBytes();
        for (int second = 0; second < Hours * 3600; second += LookInterval)
        {
            for (; died < second * DeathsAnHour * size / 3600; died++)
            {
                Replace(ring, records);
            }

            List<OwnedRecord> standing = RecordsScenario.Standing(records);
            bool isHour = second % 3600 == 3600 - LookInterval;
            if (standing.Count > 0)
            {
                foreach (OwnedRecord record in isHour ? standing : [standing[ring.Random.Next(standing.Count)]])
                {
                    looks.Ask(ring.Network.Now, RecordsScenario.Asker(ring), record);
                    asked++;
                }
            }

            RecordsScenario.Pass(ring, records, LookInterval, () => false);
            if (isHour)
            {
                report.Say($"hour {(second / 3600) + 1}: {died} died, {looks.Right} lookups right, {looks.Wrong} wrong, {looks.Unanswered} unanswered");
            }
        }

        report.Note("nodes that died and were replaced", died);
        report.Note("lookups of standing records", asked);
        report.Note("of those answered right", RecordsScenario.Share(looks.Right, looks.Ended), "%");
        report.AtMost("acknowledged records lost", looks.Wrong, 0);
        report.Note("bytes sent a second a node, mean", (double)(ring.SentBytes() - before) / size / Hours / 3600, "B/s");
    }

    /// <summary>One dies without a word, and a new one comes. The bootstrap list lives, so that newcomers find the ring.</summary>
    private static void Replace(SimulatedRing ring, List<OwnedRecord> records)
    {
        SimulatedNode victim;
        do
        {
            victim = ring.Any();
        }
        while (victim.Index < RecordsScenario.Spared);
        ring.Kill(victim);
        records.RemoveAll(record => record.Owner == victim);
        SimulatedNode fresh = ring.Add();
        records.Add(OwnedRecord.Of(fresh, fresh.Index));
    }
}
