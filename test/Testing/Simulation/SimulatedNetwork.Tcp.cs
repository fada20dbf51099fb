using Brunet.Addressing;

namespace Testing.Simulation;

/// <summary>The simulated world's TCP connections.</summary>
public sealed partial class SimulatedNetwork
{
    private readonly SimulatedTcp _tcp = new();

    /// <summary>TCP connections that were made.</summary>
    public int Connections => _tcp.Made;

    /// <summary>Calls to nodes that do not listen, in the hope that they call, too.</summary>
    public int Calls => _tcp.Calls;

    /// <summary>Whether a machine is told at once, when it sends, that a NAT has forgotten its connection; else nobody is.</summary>
    public bool ResetsForgotten
    {
        get => _tcp.ResetsForgotten;
        set => _tcp.ResetsForgotten = value;
    }

    /// <summary>A node connects to an outside address, and hopes that its owner does the same.</summary>
    internal void Meet(SimulatedNode from, TransportAddress endpoint) =>
        _tcp.Meet(from, endpoint, () => Now, Later);

    /// <summary>A node connects anew to where a connection of its leads nowhere any more.</summary>
    internal void Redial(SimulatedNode from, TransportAddress endpoint) => _tcp.Redial(from, endpoint, () => Now, Later);

    /// <summary>A node ends a connection that leads nowhere any more.</summary>
    internal void HangUp(SimulatedNode from, TransportAddress endpoint) => _tcp.HangUp(from, endpoint, Later);

    /// <summary>Whether a node's connection comes from the port that it listens on.</summary>
    internal bool ComesFromListener(SimulatedNode node, TransportAddress endpoint) => _tcp.ComesFromListener(node, endpoint);

    private void ForgetConnections(SimulatedNode node) => _tcp.Forget(node, Later);
}
