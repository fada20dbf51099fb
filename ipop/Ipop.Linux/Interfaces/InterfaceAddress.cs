using Brunet.Addressing;

namespace Ipop.Linux.Interfaces;

/// <summary>An address of an interface that is up.</summary>
/// <param name="Name">The interface's.</param>
/// <param name="Index">The kernel's number of it.</param>
/// <param name="Address">With port 0.</param>
/// <param name="PrefixLength">Bits of the network: 0 to 32 in IPv4, to 128 in IPv6.</param>
/// <param name="IsLoopback">Whether the interface leads nowhere.</param>
/// <param name="HasMulticast">Whether the interface carries multicast.</param>
public readonly record struct InterfaceAddress(string Name, int Index, TransportAddress Address, int PrefixLength, bool IsLoopback, bool HasMulticast)
{
    /// <summary>2000::/3 (RFC 4291 section 2.5.4).</summary>
    public bool IsGlobalIPv6 => !Address.IsIPv4 && Address.Prefix >> 61 == 1;

    /// <summary>Whether another IPv4 address is on the network of this one.</summary>
    public bool IsOnNetwork(TransportAddress other) =>
        Address.IsIPv4 && other.IsIPv4 && PrefixLength is > 0 and <= 32 && (Address.IPv4 ^ other.IPv4) >> (32 - PrefixLength) == 0;
}
