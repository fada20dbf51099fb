using Brunet.Addressing;

namespace Testing.Simulation.Sites;

/// <summary>A network: stations by their addresses, and the gateway that leads out of it.</summary>
/// <param name="gateway">Null for the Internet itself.</param>
public sealed class SimulatedLan(SimulatedGateway? gateway = null)
{
    private readonly Dictionary<TransportAddress, ISimulatedStation> _stations = [];

    /// <summary>What leads out of it; null for the Internet.</summary>
    public SimulatedGateway? Gateway => gateway;

    /// <summary>Whether its machines do not reach each other, as in many wireless networks.</summary>
    public bool IsIsolated { get; set; }

    /// <summary>A station that has an address here.</summary>
    internal ISimulatedStation First { get; private set; } = null!;

    internal void Attach(TransportAddress address, ISimulatedStation station)
    {
        _stations.Add(Bare(address), station);
        First ??= station;
    }

    internal ISimulatedStation? Find(TransportAddress address) => _stations.GetValueOrDefault(Bare(address));

    /// <summary>An address without port and protocol.</summary>
    internal static TransportAddress Bare(TransportAddress address) => new(address.Prefix, address.Interface, 0);
}
