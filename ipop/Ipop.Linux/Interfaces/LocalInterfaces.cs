using Brunet.Addressing;

namespace Ipop.Linux.Interfaces;

/// <summary>What the addresses of this machine outside the overlay mean.</summary>
public static class LocalInterfaces
{
    /// <summary>Endpoints at which a peer on the same network may reach the node's UDP socket.</summary>
    /// <remarks>Addresses towards containers and virtual machines inside this machine are left out (<see cref="InterfaceKinds"/>).</remarks>
    /// <param name="addresses">Of the machine.</param>
    /// <param name="port">Port of the socket.</param>
    /// <param name="tap">Name of the overlay's own interface, left out.</param>
    /// <param name="isVirtual">Whether an address belongs to the pool's subnet, left out too.</param>
    public static IReadOnlyList<TransportAddress> Endpoints(
        IReadOnlyList<InterfaceAddress> addresses, int port, string tap, Func<TransportAddress, bool> isVirtual)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        ArgumentNullException.ThrowIfNull(isVirtual);
        var endpoints = new List<TransportAddress>();
        foreach (InterfaceAddress own in addresses)
        {
            if (!own.IsLoopback && own.Name != tap && !own.Address.IsLinkLocal && !isVirtual(own.Address) && InterfaceKinds.System.LeadsOutside(own.Name))
            {
                endpoints.Add(own.Address with { Port = (ushort)port });
            }
        }

        return endpoints;
    }

    /// <summary>The kernel's numbers of the interfaces with a version of IP that carry multicast to other machines: not the loopback and the overlay's own.</summary>
    /// <remarks>Interfaces towards containers and virtual machines inside this machine are left out (<see cref="InterfaceKinds"/>).</remarks>
    /// <param name="addresses">Of the machine.</param>
    /// <param name="isIPv4">Whether those with IPv4 are meant, else those with IPv6.</param>
    /// <param name="tap">Name of the overlay's own interface.</param>
    /// <param name="isVirtual">Whether an address belongs to the pool's subnet; an interface with one is left out, too.</param>
    public static IReadOnlyList<int> MulticastIndices(
        IReadOnlyList<InterfaceAddress> addresses, bool isIPv4, string tap, Func<TransportAddress, bool> isVirtual)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        ArgumentNullException.ThrowIfNull(isVirtual);
        var indices = new List<int>();
        var left = new List<int>();
        foreach (InterfaceAddress own in addresses)
        {
            if (isVirtual(own.Address))
            {
                left.Add(own.Index);
            }
        }

        foreach (InterfaceAddress own in addresses)
        {
            if (own.Address.IsIPv4 == isIPv4 && own.HasMulticast && !own.IsLoopback && own.Name != tap && !left.Contains(own.Index)
                && !indices.Contains(own.Index) && InterfaceKinds.System.LeadsOutside(own.Name))
            {
                indices.Add(own.Index);
            }
        }

        return indices;
    }
}
