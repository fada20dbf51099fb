using System.Net;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;

namespace Testing.Simulation.Sites;

/// <summary>
/// The kinds of sites that test/netns/grid has, by the same names, in the simulated world: each is machines behind a chain of gateways. Every name is one
/// machine, made once in a world.
/// </summary>
public sealed class SimulatedSites(SimulatedLan internet, Random random)
{
    /// <summary>What RFC 4787 asks for at least (REQ-5).</summary>
    private static readonly TimeSpan Lasting = TimeSpan.FromMinutes(2);
    private static readonly TimeSpan Short = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Forgetful = TimeSpan.FromMinutes(5);

    private static readonly Gate[] Gates =
    [
        new("public", "", NatKind.None),
        new("firewall", "", NatKind.Firewall),
        new("full", "198.19.0.22", NatKind.FullCone),
        new("address", "198.19.0.23", NatKind.AddressRestricted),
        new("port", "198.19.0.24"),
        new("random", "198.19.0.25", NatKind.Symmetric),
        new("sequential", "198.19.0.26", NatKind.SymmetricSequential),
        new("sequential-b", "198.19.0.42", NatKind.SymmetricSequential),
        new("double-isp", "198.19.0.27"),
        new("double", "100.64.7.2") { Outer = "double-isp" },
        new("hairpin", "198.19.0.28") { Hairpins = true, IsIsolated = true },
        new("lan", "198.19.0.29"),
        new("cgn", "198.19.0.30") { Hairpins = true },
        new("cgn-a", "100.64.1.2") { Outer = "cgn" },
        new("cgn-b", "100.64.1.3") { Outer = "cgn" },
        new("overlap-a", "198.19.0.32"),
        new("overlap-b", "198.19.0.33"),
        new("short", "198.19.0.34") { Lifetime = Short },
        new("forgetful", "198.19.0.35") { ForgetsEvery = Forgetful },
        new("pcp", "198.19.0.38", NatKind.Symmetric) { Maps = MappingMethod.Pcp, Inside = "10.38.0.1" },
        new("upnp", "198.19.0.39", NatKind.Symmetric) { Maps = MappingMethod.Upnp, Inside = "10.39.0.1" },
        new("no-udp", "198.19.0.36", NatKind.UdpBlocked),
        new("no-udp-b", "198.19.0.41", NatKind.UdpBlocked),
        new("tcp-443", "198.19.0.37", NatKind.UdpBlocked) { OnlyTcpPort = 443 },
        new("six", "", NatKind.Firewall),
    ];

    private static readonly Machine[] Machines =
    [
        new("public", "public", "198.19.0.20", "2001:db8:57::20"),
        new("firewall", "firewall", "198.19.0.21"),
        new("full", "full", "10.22.0.2"),
        new("address", "address", "10.23.0.2"),
        new("port", "port", "10.24.0.2"),
        new("random", "random", "10.25.0.2"),
        new("sequential", "sequential", "10.26.0.2"),
        new("sequential-b", "sequential-b", "10.42.0.2"),
        new("double", "double", "10.27.0.2"),
        new("hairpin-a", "hairpin", "10.28.0.2"),
        new("hairpin-b", "hairpin", "10.28.0.3"),
        new("lan-a", "lan", "10.29.0.2"),
        new("lan-b", "lan", "10.29.0.3"),
        new("cgn-a", "cgn-a", "10.30.0.2"),
        new("cgn-b", "cgn-b", "10.31.0.2"),
        new("overlap-a", "overlap-a", "192.168.1.2"),
        new("overlap-b", "overlap-b", "192.168.1.2"),
        new("short", "short", "10.34.0.2"),
        new("forgetful", "forgetful", "10.35.0.2"),
        new("pcp", "pcp", "10.38.0.2"),
        new("upnp", "upnp", "10.39.0.2"),
        new("six", "six", "2001:db8:57:40::2"),
        new("no-udp", "no-udp", "10.36.0.2"),
        new("no-udp-b", "no-udp-b", "10.41.0.2"),
        new("tcp-443", "tcp-443", "10.37.0.2"),
    ];

    private readonly Dictionary<string, SimulatedGateway> _gateways = [];

    /// <summary>Every machine's name.</summary>
    public static IReadOnlyList<string> Names { get; } = [.. Machines.Select(machine => machine.Name)];

    /// <summary>Makes a machine, and what stands before it unless that is there.</summary>
    public SimulatedHost Make(string name)
    {
        Machine machine = Machines.Single(known => known.Name == name);
        return new SimulatedHost(Gateway(machine.Gate).Inner, [.. machine.Addresses.Select(Address)]);
    }

    /// <summary>Makes a public machine with addresses of its own, nothing before it.</summary>
    public SimulatedHost MakePublic(params string[] addresses)
    {
        var open = new SimulatedGateway(internet, default, NatKind.None, random);
        return new SimulatedHost(open.Inner, [.. addresses.Select(Address)]);
    }

    /// <summary>An address of either version, without a port.</summary>
    public static TransportAddress Address(string text) => SimulatedLan.Bare(TransportAddress.From(new IPEndPoint(IPAddress.Parse(text), 0)));

    private SimulatedGateway Gateway(string name)
    {
        if (_gateways.TryGetValue(name, out SimulatedGateway? known))
        {
            return known;
        }

        Gate gate = Gates.Single(one => one.Name == name);
        SimulatedLan outer = gate.Outer is null ? internet : Gateway(gate.Outer).Inner;
        var gateway = new SimulatedGateway(outer, gate.Outside.Length == 0 ? default : Address(gate.Outside), gate.Kind, random)
        {
            Hairpins = gate.Hairpins,
            OnlyTcpPort = gate.OnlyTcpPort,
        };
        gateway.Inner.IsIsolated = gate.IsIsolated;
        gateway.Nat.Lifetime = gate.Lifetime;
        gateway.Nat.ForgetsEvery = gate.ForgetsEvery;

        // Where ports follow each other, those of UDP do; connections keep theirs.
        gateway.Nat.HasOneTcpPort = gate.Kind != NatKind.Symmetric;
        gateway.Service = gate.Maps is { } speaks ? new PortMappingService(gateway, Address(gate.Inside), speaks) : null;
        return _gateways[name] = gateway;
    }

    /// <summary>A gateway, and its address outside; none if machines keep theirs.</summary>
    private sealed record Gate(string Name, string Outside, NatKind Kind = NatKind.PortRestricted)
    {
        public string? Outer { get; init; }

        public bool Hairpins { get; init; }

        public bool IsIsolated { get; init; }

        public ushort? OnlyTcpPort { get; init; }

        public TimeSpan Lifetime { get; init; } = Lasting;

        public TimeSpan? ForgetsEvery { get; init; }

        /// <summary>How it maps ports for who asks it, null if it does not; and its address inside, where it is asked.</summary>
        public MappingMethod? Maps { get; init; }

        public string Inside { get; init; } = "";
    }

    private sealed record Machine(string Name, string Gate, params string[] Addresses);
}
