using System.Globalization;

namespace PoolRules;

/// <summary>
/// A pool's virtual network: an IPv4 prefix, /8 to /28. The last host address is the gateway's: ipopd itself answers there, on every node,
/// for DHCP. It stands inside the subnet so that any client reaches it over its connected route; no node may own it.
/// </summary>
public readonly record struct Subnet
{
    private Subnet(IPv4Address network, int prefixLength) => (Network, PrefixLength) = (network, prefixLength);

    /// <summary>The first address, all host bits zero.</summary>
    public IPv4Address Network { get; }

    /// <summary>Bits of the network part, 8 to 28.</summary>
    public int PrefixLength { get; }

    /// <summary>The network mask.</summary>
    public IPv4Address Mask => new(uint.MaxValue << (32 - PrefixLength));

    /// <summary>The last address, all host bits one.</summary>
    public IPv4Address Broadcast => new(Network.Value | ~Mask.Value);

    /// <summary>Where ipopd answers DHCP: the last host address.</summary>
    public IPv4Address Gateway => new(Broadcast.Value - 1);

    /// <summary>How many addresses nodes may have.</summary>
    public uint HostCount => (1u << (32 - PrefixLength)) - 3;

    /// <summary>Whether the address has this prefix.</summary>
    public bool Contains(IPv4Address address) => (address.Value & Mask.Value) == Network.Value;

    /// <summary>Whether it shares an address with another network: two prefixes do if they agree in the bits of the shorter one.</summary>
    /// <param name="network">Any address of the other network.</param>
    /// <param name="prefixLength">Bits of its network part, 0 to 32.</param>
    public bool Overlaps(IPv4Address network, int prefixLength)
    {
        int common = Math.Min(prefixLength, PrefixLength);
        return common == 0 || (network.Value ^ Network.Value) >> (32 - common) == 0;
    }

    /// <summary>What its addresses, or some of them, are kept for everywhere (RFC 6890); null if a pool may have it.</summary>
    public string? KeptFor() =>
        Overlaps(new(0x00000000), 8) ? "this host"
        : Overlaps(new(0x7f000000), 8) ? "loopback"
        : Overlaps(new(0xa9fe0000), 16) ? "link-local addresses"
        : Overlaps(new(0xe0000000), 3) ? "multicast"
        : null;

    /// <summary>Whether a node may have the address: in the subnet, and not the network's, the gateway's or the broadcast address.</summary>
    public bool IsHost(IPv4Address address) => address.Value - Network.Value - 1 < HostCount;

    /// <summary>Host number <paramref name="index"/>, from 0 to <see cref="HostCount"/> - 1.</summary>
    public IPv4Address Host(uint index) => new(Network.Value + 1 + index);

    /// <summary>Makes it of a network and its length; false unless that is 8 to 28 and no host bit is set.</summary>
    public static bool TryCreate(IPv4Address network, int prefixLength, out Subnet subnet)
    {
        bool isOne = prefixLength is >= 8 and <= 28 && (network.Value & (uint.MaxValue >> prefixLength)) == 0;
        subnet = isOne ? new Subnet(network, prefixLength) : default;
        return isOne;
    }

    /// <summary>Reads <c>a.b.c.d/n</c> with n from 8 to 28 and no host bit set. Each has one spelling: no number has zeros in front.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out Subnet subnet)
    {
        subnet = default;
        int slash = text.IndexOf('/');
        return slash >= 0 && IPv4Address.TryParse(text[..slash], out IPv4Address network) && IPv4Address.TryParseOctet(text[(slash + 1)..], out byte length)
            && TryCreate(network, length, out subnet);
    }

    /// <summary>Reads <c>a.b.c.d/n</c>; throws <see cref="FormatException"/> if it is none.</summary>
    public static Subnet Parse(string text) => TryParse(text, out Subnet subnet)
        ? subnet
        : throw new FormatException($"'{text}' is not an IPv4 prefix from /8 to /28 without host bits, such as 10.128.0.0/16.");

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Network}/{PrefixLength}");
}
