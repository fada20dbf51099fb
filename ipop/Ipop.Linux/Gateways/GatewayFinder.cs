using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Gateways;

/// <summary>Finds the gateways that ports may be mapped by, and this machine's addresses towards them.</summary>
public static class GatewayFinder
{
    private const int MostIPv6Addresses = 2;

    /// <summary>Looks at the interfaces that these routes name, but for the overlay's own and those that lead into this machine.</summary>
    public static IReadOnlyList<MappingGateway> Find(IReadOnlyList<DefaultRoute> routes, string tap)
    {
        ArgumentNullException.ThrowIfNull(routes);
        var gateways = new List<MappingGateway>();
        if (routes.Count == 0)
        {
            return gateways;
        }

        foreach (NetworkInterface nic in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (nic.Name == tap || !InterfaceKinds.System.LeadsOutside(nic.Name))
            {
                continue;
            }

            foreach (DefaultRoute route in routes)
            {
                if (route.Interface == nic.Name)
                {
                    Add(gateways, route, nic.GetIPProperties());
                }
            }
        }

        return gateways;
    }

    private static void Add(List<MappingGateway> gateways, DefaultRoute route, IPInterfaceProperties properties)
    {
        UnicastIPAddressInformationCollection addresses = properties.UnicastAddresses;
        if (route.Gateway.IsIPv4)
        {
            UnicastIPAddressInformation? best = addresses.FirstOrDefault(own => IsOnNetwork(own, route.Gateway))
                ?? addresses.FirstOrDefault(own => own.Address.AddressFamily == AddressFamily.InterNetwork);
            if (best is not null)
            {
                gateways.Add(new MappingGateway(route.Gateway, From(best.Address), properties.GetIPv4Properties().Index));
            }

            return;
        }

        int index = properties.GetIPv6Properties().Index;
        foreach (UnicastIPAddressInformation own in addresses.Where(own => IsGlobal(own.Address)).Take(MostIPv6Addresses))
        {
            gateways.Add(new MappingGateway(route.Gateway, From(own.Address), index));
        }
    }

    private static TransportAddress From(IPAddress address) => TransportAddress.From(new IPEndPoint(address, 0));

    private static bool IsOnNetwork(UnicastIPAddressInformation own, TransportAddress gateway) =>
        own.Address.AddressFamily == AddressFamily.InterNetwork
        && own.PrefixLength is > 0 and <= 32
        && (From(own.Address).IPv4 ^ gateway.IPv4) >> (32 - own.PrefixLength) == 0;

    /// <summary>2000::/3, RFC 4291 section 2.5.4.</summary>
    private static bool IsGlobal(IPAddress address) => address.AddressFamily == AddressFamily.InterNetworkV6 && From(address).Prefix >> 61 == 1;
}
