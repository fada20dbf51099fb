using Brunet.Addressing;
using Ipop.Linux.Interfaces;
using Ipopd.Configuration;

namespace Ipopd.Composition;

/// <summary>What the machine's own interfaces mean for the overlay.</summary>
internal static class LocalNetworks
{
    /// <summary>Whether an address belongs to the pool's subnet.</summary>
    internal static bool IsVirtual(DaemonOptions options, TransportAddress address) => address.IsIPv4 && options.PoolSubnet.Contains(new IPv4Address(address.IPv4));

    /// <summary>Where peers on the same network may reach this node.</summary>
    internal static IReadOnlyList<TransportAddress> Endpoints(
        DaemonOptions options, IReadOnlyList<InterfaceAddress> addresses, int udpPort, IReadOnlyList<int> tcpPorts)
    {
        IReadOnlyList<TransportAddress> udp = LocalInterfaces.Endpoints(addresses, udpPort, options.TapName, address => IsVirtual(options, address));
        var endpoints = new List<TransportAddress>(udp);
        foreach (int port in tcpPorts)
        {
            foreach (TransportAddress endpoint in udp)
            {
                endpoints.Add(endpoint with { Port = (ushort)port, Protocol = TransportProtocol.Tcp });
            }
        }

        return endpoints;
    }

    /// <summary>Whether an interface has an address.</summary>
    /// <exception cref="IOException">The kernel does not say: it is short of descriptors or memory.</exception>
    internal static bool HasAddress(string interfaceName, IPv4Address own)
    {
        foreach (InterfaceAddress address in InterfaceTable.Read())
        {
            if (address.Name == interfaceName && address.Address.IsIPv4 && address.Address.IPv4 == own.Value)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>What is wrong if the pool's subnet overlaps a network that this machine is on: one of both would be unreachable.</summary>
    internal static IReadOnlyList<string> Overlaps(DaemonOptions options, IReadOnlyList<InterfaceAddress> addresses)
    {
        var warnings = new List<string>();
        foreach (InterfaceAddress network in addresses)
        {
            if (!network.Address.IsIPv4 || network.IsLoopback || network.Name == options.TapName)
            {
                continue;
            }

            var own = new IPv4Address(network.Address.IPv4);
            if (options.PoolSubnet.Overlaps(own, network.PrefixLength))
            {
                warnings.Add(
                    $"the pool's subnet {options.PoolSubnet} overlaps this machine's network {own}/{network.PrefixLength} on {network.Name}: machines there can't be reached. "
                    + $"Move that network, or choose another {OptionKey.PoolSubnet} for the whole pool");
            }
        }

        return warnings;
    }
}
