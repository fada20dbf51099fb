using Brunet.Addressing;

namespace Testing.Simulation.Sites;

/// <summary>What has an address in a network: a machine, or a gateway with machines behind it.</summary>
internal interface ISimulatedStation
{
    /// <summary>A machine there, whichever.</summary>
    SimulatedHost Any { get; }

    /// <summary>Lets something in that comes to an endpoint: a datagram, a connection to a listener, or one that meets another.</summary>
    /// <param name="now">The present.</param>
    /// <param name="source">Where it seems to come from.</param>
    /// <param name="destination">Where it goes; its protocol says what it is.</param>
    /// <param name="inside">The endpoint of the machine that it gets to.</param>
    /// <returns>The machine, or null if it does not get through.</returns>
    SimulatedHost? Enter(TimeSpan now, TransportAddress source, TransportAddress destination, out TransportAddress inside);
}
