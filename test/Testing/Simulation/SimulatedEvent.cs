using Brunet.Addressing;
using Testing.Simulation.Sites;

namespace Testing.Simulation;

/// <summary>Something that happens to one node at one moment: a datagram arrives, or its time to tick has come. Used again and again.</summary>
internal sealed class SimulatedEvent
{
    public SimulatedNode Node { get; set; } = null!;

    /// <summary>When it happens; kept by <see cref="SimulatedSchedule"/>, as are the next two.</summary>
    public TimeSpan At { get; set; }

    /// <summary>Which came first of those that happen at the same time.</summary>
    public long Order { get; set; }

    /// <summary>What waits in the same place.</summary>
    public SimulatedEvent? Following { get; set; }

    /// <summary>Which life of the node it is meant for, if it is a tick.</summary>
    public int Life { get; set; }

    /// <summary>A rented buffer with the datagram, or null if this is a tick.</summary>
    public byte[]? Datagram { get; set; }

    public int Length { get; set; }

    /// <summary>Where the datagram seems to come from.</summary>
    public TransportAddress Source { get; set; }

    /// <summary>Where it goes.</summary>
    public TransportAddress Destination { get; set; }

    /// <summary>Who has that address.</summary>
    public ISimulatedStation Station { get; set; } = null!;

    /// <summary>Whether it goes to a multicast group.</summary>
    public bool IsMulticast { get; set; }

    /// <summary>What else happens to the node's connections, or null.</summary>
    public Action? Deed { get; set; }

    /// <summary>The probe that it carries on, or null.</summary>
    public SimulatedProbe? Probe { get; set; }

    /// <summary>Datagrams that the probe took until here, this one too.</summary>
    public int Steps { get; set; }
}
