using Brunet.Addressing;
using Testing.Simulation;

namespace Simulation.Worlds;

/// <summary>What the ring should look like, known from outside.</summary>
internal static class RingTruth
{
    /// <summary>Members a side that a node must be linked to.</summary>
    private const int NearPerSide = 2;

    /// <summary>Nodes in the order of the ring.</summary>
    public static SimulatedNode[] Sort(List<SimulatedNode> nodes)
    {
        SimulatedNode[] order = [.. nodes];
        Array.Sort(order, (left, right) => left.Identity.Address.CompareTo(right.Identity.Address));
        return order;
    }

    /// <summary>The node that stands nearest to a position.</summary>
    public static SimulatedNode Nearest(SimulatedNode[] order, NodeAddress position)
    {
        int low = 0;
        for (int high = order.Length; low < high;)
        {
            int middle = (low + high) / 2;
            (low, high) = order[middle].Identity.Address < position ? (middle + 1, high) : (low, middle);
        }

        SimulatedNode after = order[low % order.Length];
        SimulatedNode before = order[(low + order.Length - 1) % order.Length];
        return after.Identity.Address.DistanceTo(position) < before.Identity.Address.DistanceTo(position) ? after : before;
    }

    /// <summary>Share of the nodes that are linked to their true neighbours on both sides.</summary>
    public static double ShareInPlace(SimulatedNode[] order)
    {
        int right = 0;
        for (int i = 0; i < order.Length; i++)
        {
            right += IsInPlace(order, i) ? 1 : 0;
        }

        return (double)right / order.Length;
    }

    /// <summary>Whether every node is linked to its true neighbours on both sides.</summary>
    public static bool IsWhole(SimulatedNode[] order)
    {
        for (int i = 0; i < order.Length; i++)
        {
            if (!IsInPlace(order, i))
            {
                return false;
            }
        }

        return true;
    }

    private static bool IsInPlace(SimulatedNode[] order, int place)
    {
        for (int step = 1; step <= NearPerSide && step < order.Length; step++)
        {
            if (!order[place].IsLinkedTo(order[(place + step) % order.Length])
                || !order[place].IsLinkedTo(order[(place + order.Length - step) % order.Length]))
            {
                return false;
            }
        }

        return true;
    }
}
