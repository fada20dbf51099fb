namespace Testing.Simulation;

/// <summary>
/// One routed packet that the simulator follows from node to node. Frames are sealed, so it is not recognised by its bytes: whatever at
/// least as long a node sends while it handles one of the packet's datagrams carries the packet on.
/// </summary>
public sealed class SimulatedProbe
{
    internal SimulatedProbe(SimulatedNode goal, TimeSpan sentAt)
    {
        Goal = goal;
        SentAt = sentAt;
    }

    /// <summary>The node that should get it.</summary>
    public SimulatedNode Goal { get; }

    /// <summary>When it began.</summary>
    public TimeSpan SentAt { get; }

    /// <summary>When it reached the goal; null if it did not.</summary>
    public TimeSpan? ArrivedAt { get; private set; }

    /// <summary>Datagrams that it took to the goal; over a relay one hop takes two.</summary>
    public int Hops { get; private set; }

    /// <summary>The node that it was last sent to; null before that.</summary>
    public SimulatedNode? LastSentTo { get; internal set; }

    /// <summary>Length of its first datagram, in bytes; zero before that.</summary>
    internal int Size { get; set; }

    internal void OnArrival(TimeSpan now, SimulatedNode node, int steps)
    {
        if (node == Goal && ArrivedAt is null)
        {
            ArrivedAt = now;
            Hops = steps;
        }
    }
}
