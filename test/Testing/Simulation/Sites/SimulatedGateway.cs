using Brunet.Addressing;

namespace Testing.Simulation.Sites;

/// <summary>What stands between two networks: a NAT or a firewall, and the rules for what passes it outwards.</summary>
public sealed class SimulatedGateway : ISimulatedStation
{
    private readonly TransportAddress _outside;

    /// <param name="outer">The network that it leads to.</param>
    /// <param name="outside">Its address there; a firewall has none of its own, its machines keep theirs.</param>
    /// <param name="kind">How it maps and filters.</param>
    /// <param name="random">Chance.</param>
    public SimulatedGateway(SimulatedLan outer, TransportAddress outside, NatKind kind, Random random)
    {
        ArgumentNullException.ThrowIfNull(outer);
        _outside = SimulatedLan.Bare(outside);
        (Outer, Nat, Inner) = (outer, new SimulatedNat(kind, _outside, random), new SimulatedLan(this));
        if (Nat.Translates)
        {
            outer.Attach(_outside, this);
        }
    }

    /// <summary>The network behind it.</summary>
    public SimulatedLan Inner { get; }

    /// <summary>The network before it.</summary>
    public SimulatedLan Outer { get; }

    /// <summary>Whether machines behind it reach each other by their outside addresses.</summary>
    public bool Hairpins { get; init; }

    /// <summary>Whether it goes on refusing what it refused between them once, as Linux does.</summary>
    public bool HoldsRefusals
    {
        get => Nat.HoldsRefusals;
        init => Nat.HoldsRefusals = value;
    }

    /// <summary>The only TCP port that may be connected to outside; null: all.</summary>
    public ushort? OnlyTcpPort { get; init; }

    /// <summary>Answers who asks it to map ports; null: it does not.</summary>
    public PortMappingService? Service { get; set; }

    SimulatedHost ISimulatedStation.Any => Inner.First.Any;

    internal SimulatedNat Nat { get; }

    /// <summary>Its address outside, without a port.</summary>
    internal TransportAddress Outside => _outside;

    /// <summary>Loses all state, as a power cut does; with other ports from then on if it moves.</summary>
    public void Forget(TimeSpan now, bool moves)
    {
        Nat.Forget(moves);
        Service?.Restart(now);
    }

    SimulatedHost? ISimulatedStation.Enter(TimeSpan now, TransportAddress source, TransportAddress destination, out TransportAddress inside)
    {
        TransportAddress? next = destination.Protocol switch
        {
            TransportProtocol.Udp => Nat.Admits(now, source, destination, out TransportAddress admitted) ? admitted : null,
            TransportProtocol.TcpMet => Nat.Caller(destination),
            _ => Nat.Listener(now, destination),
        };
        inside = next ?? default;
        return next is null ? null : Inner.Find(inside)?.Enter(now, source, inside, out inside);
    }

    /// <summary>Lets a datagram or a connection out, and makes its source what is seen outside; false if it may not pass.</summary>
    internal bool Leave(TimeSpan now, ref TransportAddress source, TransportAddress destination)
    {
        bool isUdp = destination.Protocol == TransportProtocol.Udp;
        if (isUdp ? !Nat.HasUdp : OnlyTcpPort is { } port && destination.Port != port)
        {
            return false;
        }

        source = isUdp ? Nat.Outbound(now, source, destination) : Nat.OutboundTcp(source);
        return true;
    }
}
