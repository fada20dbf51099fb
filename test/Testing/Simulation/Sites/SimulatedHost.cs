using Brunet.Addressing;

namespace Testing.Simulation.Sites;

/// <summary>A machine in a network: its addresses, and the way to others.</summary>
public sealed class SimulatedHost : ISimulatedStation
{
    /// <param name="lan">The network.</param>
    /// <param name="addresses">Its addresses there, of whatever version, without ports.</param>
    public SimulatedHost(SimulatedLan lan, params TransportAddress[] addresses)
    {
        ArgumentNullException.ThrowIfNull(lan);
        ArgumentNullException.ThrowIfNull(addresses);
        (Lan, Addresses) = (lan, addresses);
        foreach (TransportAddress address in addresses)
        {
            lan.Attach(address, this);

            // What does not translate only stands in the way: outside, the address is the same.
            if (lan.Gateway is { Nat.Translates: false } wall)
            {
                wall.Outer.Attach(address, wall);
            }
        }
    }

    /// <summary>The network that it is in.</summary>
    public SimulatedLan Lan { get; }

    /// <summary>Its addresses.</summary>
    public IReadOnlyList<TransportAddress> Addresses { get; }

    /// <summary>The address by which the Internet sees it, without a port.</summary>
    internal TransportAddress Outside
    {
        get
        {
            TransportAddress seen = Addresses[0];
            for (SimulatedGateway? gateway = Lan.Gateway; gateway is not null; gateway = gateway.Outer.Gateway)
            {
                seen = gateway.Nat.Translates ? gateway.Outside : seen;
            }

            return seen;
        }
    }

    /// <summary>The product's node on it, if there is one.</summary>
    public SimulatedNode? Node { get; internal set; }

    SimulatedHost ISimulatedStation.Any => this;

    SimulatedHost? ISimulatedStation.Enter(TimeSpan now, TransportAddress source, TransportAddress destination, out TransportAddress inside)
    {
        inside = destination;
        return this;
    }

    /// <summary>Where something for an endpoint goes: to the first network on the way outwards in which somebody has its address.</summary>
    /// <param name="destination">The endpoint.</param>
    /// <param name="gates">How many gateways it passes outwards.</param>
    /// <returns>Null if nobody has it, or who has it is not reached from here.</returns>
    internal ISimulatedStation? Find(TransportAddress destination, out int gates)
    {
        gates = 0;
        for (SimulatedLan lan = Lan; ;)
        {
            if (lan.Find(destination) is { } found && (found == this || !lan.IsIsolated))
            {
                return found;
            }

            if (lan.Gateway is not { } gateway)
            {
                return null;
            }

            gates++;
            if (gateway.Nat.Translates && gateway.Outside == SimulatedLan.Bare(destination))
            {
                return gateway.Hairpins ? gateway : null;
            }

            lan = gateway.Outer;
        }
    }

    /// <summary>Passes gateways outwards.</summary>
    /// <param name="now">The present.</param>
    /// <param name="port">The port that it sends or connects from.</param>
    /// <param name="destination">Where to; its protocol says what passes.</param>
    /// <param name="gates">How many gateways.</param>
    /// <param name="source">Where it seems to come from then.</param>
    /// <returns>False if one of them forbids it, or this machine has no address of that version of IP.</returns>
    internal bool Leave(TimeSpan now, ushort port, TransportAddress destination, int gates, out TransportAddress source)
    {
        source = default;
        foreach (TransportAddress address in Addresses)
        {
            if (address.IsIPv4 == destination.IsIPv4 && (source == default || IsNearer(address, source, destination)))
            {
                source = address with { Port = port, Protocol = destination.Protocol == TransportProtocol.Udp ? TransportProtocol.Udp : TransportProtocol.TcpMet };
            }
        }

        bool passes = source != default;
        for (SimulatedGateway? gateway = Lan.Gateway; passes && gates > 0; gates--, gateway = gateway.Outer.Gateway)
        {
            passes = gateway!.Leave(now, ref source, destination);
        }

        return passes;
    }

    /// <summary>Of two addresses a machine sends from the one in the destination's own network, by their common bits (RFC 6724, rule 8).</summary>
    private static bool IsNearer(TransportAddress address, TransportAddress than, TransportAddress destination) =>
        (address.Prefix ^ destination.Prefix, address.Interface ^ destination.Interface).CompareTo((than.Prefix ^ destination.Prefix, than.Interface ^ destination.Interface)) < 0;
}
