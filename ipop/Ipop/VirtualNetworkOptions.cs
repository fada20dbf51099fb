using Ipop.Dhcp;
using Ipop.Router;

namespace Ipop;

/// <summary>What the virtual network must know of its pool and of its own machine.</summary>
public sealed record VirtualNetworkOptions
{
    /// <summary>The pool's name, a DNS label; the zone is NAME.internal.</summary>
    public required string Pool { get; init; }

    /// <summary>Prefix of the virtual network.</summary>
    public required Subnet Subnet { get; init; }

    /// <summary>Addresses that only a certificate gives.</summary>
    public ReservedRanges Reserved { get; init; } = ReservedRanges.None;

    /// <summary>The tap's own Ethernet address. A changed one is learned from the guest's frames.</summary>
    public required MacAddress TapMac { get; init; }

    /// <summary>Whether the pool has no CA: bare keys are full members.</summary>
    public bool IsOpen { get; init; }

    /// <summary>Whether this node calls itself manager. Counts in an open pool only; else the certificate says it.</summary>
    public bool IsManager { get; init; }

    /// <summary>The wanted host name without zone, empty for none. Counts in an open pool only; else the certificate says it.</summary>
    public string HostName { get; init; } = "";

    /// <summary>MTU handed out by DHCP (RFC 2132 section 5.1), in bytes.</summary>
    public ushort Mtu { get; init; } = Agreed.TapMtu;

    /// <summary>Whether TCP segments are joined on their way to the tap; else its kernel gets them one by one.</summary>
    public bool JoinsSegments { get; init; } = true;

    /// <summary>Whether datagrams of one flow are joined on their way to the tap, whose kernel then cuts them; else it gets them one by one.</summary>
    public bool JoinsDatagrams { get; init; } = true;

    /// <summary>
    /// Lease handed out by DHCP, in seconds. It is renewed after half of that, which is thus how long who lost its address is in the dark at most: a
    /// client that ignores the carrier, or a host of a LAN, whose carrier can't be bounced.
    /// </summary>
    public uint LeaseSeconds { get; init; } = 600;

    /// <summary>DNS server handed out by DHCP; null for none, when the guest's own resolver knows the zone already.</summary>
    public IPv4Address? DnsServer { get; init; }

    /// <summary>The address that this node had in its last run; null if none. It is claimed again without waiting for the guest.</summary>
    public IPv4Address? LastAddress { get; init; }

    /// <summary>Router mode: the tap leads to a LAN; null if it is this machine's alone. Only an open pool has it.</summary>
    public RouterOptions? Router { get; init; }

    /// <summary>Networks beyond machines of the LAN that its hosts are told of; none without router mode.</summary>
    public IReadOnlyList<LanRoute> LanRoutes => Router?.Routes ?? [];

    /// <summary>TCP port of the CA, open to peers without a certificate.</summary>
    public ushort CaPort { get; init; } = Agreed.CaPort;

    /// <summary>TCP port of the possession check, open towards peers without a certificate.</summary>
    public ushort PossessionPort { get; init; } = Agreed.PossessionPort;

    /// <summary>The DNS zone: NAME.internal, lower case.</summary>
    public string Zone => PoolZone.Of(Pool.ToLowerInvariant());
}
