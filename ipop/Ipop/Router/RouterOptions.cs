using Ipop.Addresses;
using Ipop.Dhcp;

namespace Ipop.Router;

/// <summary>Router mode: the tap leads to a LAN, and this node serves its hosts.</summary>
public sealed record RouterOptions
{
    /// <summary>Most hosts that can be served: what one owner may keep in the DHT of an open pool, less the node's own records.</summary>
    public const int MostHosts = RecordPolicy.HostRecords;

    /// <summary>How many hosts have an address at a time, 1 to <see cref="MostHosts"/>.</summary>
    public int Hosts { get; init; } = 64;

    /// <summary>Whether hosts may carry DHCP messages of others (RFC 2131, giaddr).</summary>
    public bool HasRelays { get; init; }

    /// <summary>Networks beyond machines of the LAN that its hosts are told of, at most <see cref="LanRoute.Most"/>.</summary>
    public IReadOnlyList<LanRoute> Routes { get; init; } = [];

    /// <summary>Hosts of the last run; their addresses are claimed again without waiting for them.</summary>
    public IReadOnlyList<KnownHost> Known { get; init; } = [];
}
