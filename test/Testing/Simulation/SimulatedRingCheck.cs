using Brunet;

namespace Testing.Simulation;

/// <summary>What the ring of a small world should look like.</summary>
public static class SimulatedRingCheck
{
    /// <summary>Whether every living node has links to its true successor and predecessor.</summary>
    public static bool IsOneRing(this SimulatedNetwork world)
    {
        ArgumentNullException.ThrowIfNull(world);
        List<SimulatedNode> living = [.. world.Nodes.Where(node => node.IsAlive).OrderBy(node => node.Node.Address)];
        for (int i = 0; i < living.Count; i++)
        {
            SimulatedNode next = living[(i + 1) % living.Count];
            if (living[i].PathTo(next) is null or PathKind.Ring || next.PathTo(living[i]) is null or PathKind.Ring)
            {
                return false;
            }
        }

        return true;
    }
}
