using System.Diagnostics.CodeAnalysis;
using System.Net;

namespace CertificateProfile;

/// <summary>What every certificate of one pool has in common.</summary>
public sealed record PoolProfile
{
    /// <summary>Lifetime of a machine's certificate.</summary>
    public static readonly TimeSpan LeafLifetime = TimeSpan.FromDays(30);

    /// <summary>Lifetime of the pool's CA certificate.</summary>
    public static readonly TimeSpan AuthorityLifetime = TimeSpan.FromDays(3652);

    /// <summary>How far before the moment of issue a certificate's life begins, for clocks that are late.</summary>
    public static readonly TimeSpan Backdate = TimeSpan.FromMinutes(5);

    private PoolProfile(string name, Subnet subnet)
    {
        Name = name;
        Subnet = subnet;
    }

    /// <summary>The pool's name, a DNS label; O of every subject.</summary>
    public string Name { get; }

    /// <summary>The virtual network, IPv4.</summary>
    public Subnet Subnet { get; }

    /// <summary>The DNS zone of the pool's machines, without a dot at the end.</summary>
    public string Zone => PoolZone.Of(Name);

    /// <summary>The full name of the service that enrols machines: where it is.</summary>
    public string AuthorityName => PoolZone.NameOf(HostLabel.Authority, Name);

    /// <summary>The manager service's full name, the one that an enrolling machine expects the CA's server to prove.</summary>
    public string ManagerName => PoolZone.NameOf(HostLabel.Manager, Name);

    /// <summary>Checks a pool's name and subnet.</summary>
    /// <param name="name">DNS label.</param>
    /// <param name="subnet">IPv4 prefix of /8 to /28 with no host bits, such as <c>10.128.0.0/16</c>.</param>
    /// <param name="pool">The profile.</param>
    /// <param name="reason">Why not, one sentence.</param>
    public static bool TryCreate(string? name, string? subnet, [NotNullWhen(true)] out PoolProfile? pool, out string reason)
    {
        pool = null;
        if (!HostLabel.IsLegal(name))
        {
            reason = $"The pool's name '{name}' is not a DNS label: use 1 to 63 of a-z, 0-9 and hyphen.";
            return false;
        }

        if (!Subnet.TryParse(subnet, out Subnet network))
        {
            reason = $"The subnet '{subnet}' is not an IPv4 prefix of /8 to /28 without host bits, such as 10.128.0.0/16.";
            return false;
        }

        pool = new PoolProfile(name, network);
        reason = string.Empty;
        return true;
    }

    /// <summary>
    /// Whether a machine may have this address: inside the subnet, not its first (network), not its last (broadcast), not the one
    /// before that, which is ipopd's own on every machine (docs/reference/network.md).
    /// </summary>
    public bool IsHostAddress([NotNullWhen(true)] IPAddress? address) => IPv4Address.TryFrom(address, out IPv4Address value) && Subnet.IsHost(value);

    /// <summary>The subnet's first host address.</summary>
    public IPAddress FirstHost() => Subnet.Host(0).ToIPAddress();

    internal static bool TryCreate(string? name, IPNetwork subnet, [NotNullWhen(true)] out PoolProfile? pool)
    {
        pool = HostLabel.IsLegal(name) && IPv4Address.TryFrom(subnet.BaseAddress, out IPv4Address network)
            && Subnet.TryCreate(network, subnet.PrefixLength, out Subnet own) ? new PoolProfile(name, own) : null;
        return pool is not null;
    }
}
