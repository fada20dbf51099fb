using Simulation.Memory;
using Simulation.Reports;
using Simulation.Worlds;

namespace Simulation.Scenarios;

/// <summary>Twenty times as many machines come and go as stay, a hundred and forty a day: what those that stay hold of them at the end.</summary>
internal sealed class WeekScenario : IScenario
{
    private const int GuestsOfEach = 20;

    /// <summary>A tenth of the guests comes before the first count, so that what has a bound is full.</summary>
    private const int FirstShare = 10;

    public string Name => "week";

    public string Summary => "machines come and go past those that stay: what those hold of them";

    public bool NeedsRing => false;

    public void Play(SimulatedRing ring, int size, ScenarioReport report)
    {
        int guests = GuestsOfEach * size, first = guests / FirstShare;
        var growth = Growth.Measure(new Guests(ring.Network, ring.Random, size), ring.Network.Run, first, guests - first);
        report.Note("held by those that stay after the first guests", growth.BytesBefore / 1e6, "MB");
        report.Below("links at the end, to those", growth.LinksRatio, 1.1);
        report.Below("held for each link at the end, to that", growth.Ratio, 1.1);
        report.AtMost("collections that grew with those that left", growth.Grown.Count, 0);
        foreach (string name in growth.Grown)
        {
            report.Say($"{name}: {growth.Before.Collections.GetValueOrDefault(name)} -> {growth.After.Collections[name]}");
        }
    }
}
