using System.Globalization;

namespace Ipop;

/// <summary>
/// The virtual network's prefix, /8 to /28. The last host address is the gateway's: ipopd itself answers there, on every node,
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

    /// <summary>Whether a node may have the address: in the subnet, and not the network's, the gateway's or the broadcast address.</summary>
    public bool IsHost(IPv4Address address) => address.Value - Network.Value - 1 < HostCount;

    /// <summary>Host number <paramref name="index"/>, from 0 to <see cref="HostCount"/> - 1.</summary>
    public IPv4Address Host(uint index) => new(Network.Value + 1 + index);

    /// <summary>Reads <c>a.b.c.d/n</c> with n from 8 to 28 and no host bit set.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out Subnet subnet)
    {
        subnet = default;
        int slash = text.IndexOf('/');
        if (slash < 0 || !IPv4Address.TryParse(text[..slash], out IPv4Address network)
            || !int.TryParse(text[(slash + 1)..], NumberStyles.None, CultureInfo.InvariantCulture, out int length)
            || length is < 8 or > 28 || (network.Value & ~(uint.MaxValue << (32 - length))) != 0)
        {
            return false;
        }

        subnet = new Subnet(network, length);
        return true;
    }

    /// <summary>Reads <c>a.b.c.d/n</c>; throws <see cref="FormatException"/> if it is none.</summary>
    public static Subnet Parse(string text) => TryParse(text, out Subnet subnet)
        ? subnet
        : throw new FormatException($"'{text}' is not an IPv4 prefix from /8 to /28 without host bits, such as 10.128.0.0/16.");

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Network}/{PrefixLength}");
}
