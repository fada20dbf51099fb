using System.Globalization;
using Simulation.Reports;
using Simulation.Scenarios;
using Simulation.Worlds;

namespace Simulation;

/// <summary>One world, and the scenarios that are played in it one after the other.</summary>
/// <param name="Size">Nodes of the ring.</param>
/// <param name="Seed">The run.</param>
/// <param name="Scenarios">At least one; those that need a ring share it in their order.</param>
/// <param name="HasCheapSessions">Whether sessions are sealed by a cheap stand-in instead of AES-256-GCM.</param>
internal sealed record Performance(int Size, int Seed, IReadOnlyList<IScenario> Scenarios, bool HasCheapSessions = false)
{
    /// <summary>Plays it to its end.</summary>
    /// <param name="say">Takes lines for people.</param>
    /// <returns>What was measured, and a digest of all that was sent.</returns>
    public PerformanceResult Play(Action<string> say)
    {
        var reports = new List<ScenarioReport>();
        string? failure = null;
        var ring = new SimulatedRing(Seed, Scenarios[0].Firsts);
        ring.Network.HasCheapSessions = HasCheapSessions;
        foreach (IScenario scenario in Scenarios)
        {
            var report = new ScenarioReport(scenario.Name, Size, say);
            try
            {
                if (scenario.NeedsRing && ring.Network.Nodes.Count == 0)
                {
                    Grow(ring, report);
                }

                scenario.Play(ring, Size, report);
                reports.Add(report);
            }
            catch (ScenarioException broken)
            {
                failure = string.Create(CultureInfo.InvariantCulture, $"{scenario.Name} at {Size} nodes: {broken.Message}");
                report.Say($"BROKEN: {broken.Message}");
                break;
            }
        }

        return new PerformanceResult(reports, ring.Network.Events, ring.Network.Now, ring.Network.Digest, failure);
    }

    private void Grow(SimulatedRing ring, ScenarioReport report)
    {
        if (ring.Grow(Size, ring.IsWhole, report.Say) is not { } formed)
        {
            throw new ScenarioException("the ring did not form within three virtual minutes after the last node was switched on");
        }

        report.Say(string.Create(
            CultureInfo.InvariantCulture,
            $"ring formed {formed.TotalSeconds:0.0} s after its last node came, at {ring.Network.Now.TotalSeconds:0} s; {ring.Network.Events:N0} events"));
    }
}

/// <summary>What a performance brought.</summary>
/// <param name="Reports">One for each scenario that was played.</param>
/// <param name="Events">Datagrams that arrived and ticks.</param>
/// <param name="VirtualTime">Virtual time that passed.</param>
/// <param name="Digest">Made of all datagrams: the same for the same seed.</param>
/// <param name="Failure">Which scenario could not be played and why, or null.</param>
internal sealed record PerformanceResult(
    IReadOnlyList<ScenarioReport> Reports, long Events, TimeSpan VirtualTime, ulong Digest, string? Failure);
