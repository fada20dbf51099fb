using Brunet.Addressing;
using Simulation.Worlds;
using Testing.Simulation;

namespace Simulation.Scenarios;

/// <summary>
/// Lookups by chance: each one routed packet from a living node to a position, sent once and not repeated. Right is one that reaches the
/// living node that really stands nearest.
/// </summary>
internal sealed class LookupBatch
{
    private static readonly TimeSpan Wait = TimeSpan.FromSeconds(8);

    private readonly List<SimulatedProbe> _probes = [];

    /// <summary>Sends them over a second and waits for them.</summary>
    /// <param name="ring">The world.</param>
    /// <param name="count">How many.</param>
    /// <param name="watch">Called ten times a second meanwhile.</param>
    public static LookupBatch Send(SimulatedRing ring, int count, Action? watch = null)
    {
        var batch = new LookupBatch();
        for (int i = 0; i < count; i++)
        {
            SimulatedNode origin;
            NodeAddress position;
            do
            {
                (origin, position) = (ring.Any(), ring.AnyPosition());
            }
            while (RingTruth.Nearest(ring.Order, position) == origin);
            batch._probes.Add(ring.Lookup(origin, position));
            ring.Network.Run(TimeSpan.FromSeconds(1.0 / count));
        }

        bool IsOver()
        {
            watch?.Invoke();
            return batch._probes.TrueForAll(probe => probe.ArrivedAt is not null);
        }

        ring.Network.RunUntil(IsOver, Wait, TimeSpan.FromMilliseconds(100));
        return batch;
    }

    /// <summary>Share of those that reached the right node.</summary>
    public double ShareRight() => (double)_probes.FindAll(probe => probe.ArrivedAt is not null).Count / _probes.Count;

    /// <summary>Share of all that went to a dead node, which somebody took for living.</summary>
    public double ShareToTheDead() =>
        (double)_probes.FindAll(probe => probe.ArrivedAt is null && probe.LastSentTo is { IsAlive: false }).Count / _probes.Count;

    /// <summary>Hops of those that reached the right node.</summary>
    public double[] Hops() => [.. _probes.FindAll(probe => probe.ArrivedAt is not null).ConvertAll(probe => (double)probe.Hops)];
}
