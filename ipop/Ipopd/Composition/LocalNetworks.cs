using Brunet.Addressing;
using Ipop;
using Ipop.Linux.Interfaces;
using Ipopd.Configuration;

namespace Ipopd.Composition;

/// <summary>What the machine's own interfaces mean for the overlay.</summary>
internal static class LocalNetworks
{
    /// <summary>Where peers on the same network may reach this node.</summary>
    internal static IReadOnlyList<TransportAddress> Endpoints(DaemonOptions options, int udpPort, IReadOnlyList<int> tcpPorts)
    {
        IReadOnlyList<TransportAddress> udp = LocalInterfaces.Endpoints(
            udpPort, options.TapName, address => IPv4Address.TryFrom(address, out IPv4Address own) && options.Subnet.Contains(own));
        return [.. udp, .. tcpPorts.SelectMany(port => udp.Select(endpoint => endpoint with { Port = (ushort)port, Protocol = TransportProtocol.Tcp }))];
    }

    /// <summary>What is wrong if the pool's subnet overlaps a network that this machine is on: one of both would be unreachable.</summary>
    internal static IReadOnlyList<string> Overlaps(DaemonOptions options, IEnumerable<(string Interface, System.Net.IPAddress Address, int PrefixLength)> networks)
    {
        var warnings = new List<string>();
        foreach ((string name, System.Net.IPAddress address, int length) in networks)
        {
            if (!IPv4Address.TryFrom(address, out IPv4Address own) || System.Net.IPAddress.IsLoopback(address))
            {
                continue;
            }

            // Two prefixes overlap if they agree in the bits of the shorter one.
            int common = Math.Min(length, options.Subnet.PrefixLength);
            uint mask = common == 0 ? 0 : uint.MaxValue << (32 - common);
            if (((own.Value ^ options.Subnet.Network.Value) & mask) == 0)
            {
                warnings.Add(
                    $"the pool's subnet {options.Subnet} overlaps this machine's network {own}/{length} on {name}: machines there can't be reached. "
                    + $"Move that network, or choose another {OptionKey.PoolSubnet} for the whole pool");
            }
        }

        return warnings;
    }
}
