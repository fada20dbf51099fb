using System.Net.NetworkInformation;
using System.Net.Sockets;
using Brunet.Addressing;

namespace Ipop.Linux.Interfaces;

/// <summary>The addresses of this machine outside the overlay.</summary>
public static class LocalInterfaces
{
    /// <summary>Endpoints at which a peer on the same network may reach the node's UDP socket.</summary>
    /// <remarks>Addresses towards containers and virtual machines inside this machine are left out (<see cref="InterfaceKinds"/>).</remarks>
    /// <param name="port">Port of the socket.</param>
    /// <param name="tap">Name of the overlay's own interface, left out.</param>
    /// <param name="isVirtual">Whether an address belongs to the pool's subnet, left out too.</param>
    public static IReadOnlyList<TransportAddress> Endpoints(int port, string tap, Func<System.Net.IPAddress, bool> isVirtual)
    {
        ArgumentNullException.ThrowIfNull(isVirtual);
        var endpoints = new List<TransportAddress>();
        foreach ((string name, UnicastIPAddressInformation unicast) in Addresses())
        {
            System.Net.IPAddress address = unicast.Address;
            if (name != tap && InterfaceKinds.System.LeadsOutside(name) && !isVirtual(address) && !address.IsIPv6LinkLocal && !System.Net.IPAddress.IsLoopback(address))
            {
                endpoints.Add(TransportAddress.From(new System.Net.IPEndPoint(address, port)));
            }
        }

        return endpoints;
    }

    /// <summary>IPv4 networks that this machine is attached to, but for the tap's.</summary>
    /// <returns>Name of the interface, its address, length of the prefix.</returns>
    public static IReadOnlyList<(string Interface, System.Net.IPAddress Address, int PrefixLength)> Networks(string tap)
    {
        var networks = new List<(string Interface, System.Net.IPAddress Address, int PrefixLength)>();
        foreach ((string name, UnicastIPAddressInformation unicast) in Addresses())
        {
            if (name != tap && unicast.Address.AddressFamily == AddressFamily.InterNetwork)
            {
                networks.Add((name, unicast.Address, unicast.PrefixLength));
            }
        }

        return networks;
    }

    /// <summary>The kernel's numbers of the interfaces with IPv4 that carry multicast, but for the loopback and the overlay's own.</summary>
    /// <param name="tap">Name of the overlay's own interface.</param>
    /// <param name="isVirtual">Whether an address belongs to the pool's subnet; an interface with one is left out, too.</param>
    public static IReadOnlyList<int> MulticastIndices(string tap, Func<System.Net.IPAddress, bool> isVirtual)
    {
        ArgumentNullException.ThrowIfNull(isVirtual);
        var indices = new List<int>();
        foreach (NetworkInterface nic in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (nic.OperationalStatus is not (OperationalStatus.Up or OperationalStatus.Unknown) || !nic.SupportsMulticast
                || nic.NetworkInterfaceType == NetworkInterfaceType.Loopback || nic.Name == tap)
            {
                continue;
            }

            IPInterfaceProperties properties = nic.GetIPProperties();
            bool hasIPv4 = false, hasVirtual = false;
            foreach (UnicastIPAddressInformation unicast in properties.UnicastAddresses)
            {
                hasIPv4 |= unicast.Address.AddressFamily == AddressFamily.InterNetwork;
                hasVirtual |= isVirtual(unicast.Address);
            }

            if (hasIPv4 && !hasVirtual)
            {
                indices.Add(properties.GetIPv4Properties().Index);
            }
        }

        return indices;
    }

    private static IEnumerable<(string Name, UnicastIPAddressInformation Unicast)> Addresses()
    {
        foreach (NetworkInterface nic in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (nic.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown)
            {
                foreach (UnicastIPAddressInformation unicast in nic.GetIPProperties().UnicastAddresses)
                {
                    yield return (nic.Name, unicast);
                }
            }
        }
    }
}
