using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>A node that shall be reached by packets that are routed to it alone, and how long that took.</summary>
/// <param name="node">The node.</param>
/// <param name="since">From when time counts.</param>
internal sealed class ReachedNode(SimulatedNode node, TimeSpan since)
{
    private readonly List<SimulatedProbe> _probes = [];

    public bool IsReached { get; private set; }

    /// <summary>Until the first packet came.</summary>
    public TimeSpan Time { get; private set; }

    /// <summary>Sees whether a packet has come, and sends another if not.</summary>
    public void Try(SimulatedRing ring, SimulatedNode member)
    {
        if (IsReached)
        {
            return;
        }

        foreach (SimulatedProbe probe in _probes)
        {
            if (probe.ArrivedAt is { } at && (!IsReached || at - since < Time))
            {
                IsReached = true;
                Time = at - since;
            }
        }

        if (!IsReached)
        {
            _probes.Add(ring.Network.Probe(member, node.Identity.Address, exact: true, node));
        }
    }
}
