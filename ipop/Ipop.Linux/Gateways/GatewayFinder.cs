using Brunet.Nat.PortMapping;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Gateways;

/// <summary>Finds the gateways that ports may be mapped by, and this machine's addresses towards them.</summary>
public static class GatewayFinder
{
    private const int MostIPv6Addresses = 2;

    /// <summary>Looks at the interfaces that these routes name, but for the overlay's own and those that lead into this machine.</summary>
    public static IReadOnlyList<MappingGateway> Find(IReadOnlyList<DefaultRoute> routes, IReadOnlyList<InterfaceAddress> addresses, string tap)
    {
        ArgumentNullException.ThrowIfNull(routes);
        ArgumentNullException.ThrowIfNull(addresses);
        var gateways = new List<MappingGateway>();
        foreach (DefaultRoute route in routes)
        {
            if (!route.HasGateway || route.Interface == tap || !InterfaceKinds.System.LeadsOutside(route.Interface))
            {
                continue;
            }

            if (route.Gateway.IsIPv4)
            {
                AddIPv4(gateways, route, addresses);
            }
            else
            {
                AddIPv6(gateways, route, addresses);
            }
        }

        return gateways;
    }

    /// <summary>The address on the gateway's network; if there is none, the interface's first.</summary>
    private static void AddIPv4(List<MappingGateway> gateways, DefaultRoute route, IReadOnlyList<InterfaceAddress> addresses)
    {
        InterfaceAddress? best = null;
        foreach (InterfaceAddress own in addresses)
        {
            if (own.Name == route.Interface && own.Address.IsIPv4 && (best is null || (own.IsOnNetwork(route.Gateway) && !best.Value.IsOnNetwork(route.Gateway))))
            {
                best = own;
            }
        }

        if (best is { } address)
        {
            gateways.Add(new MappingGateway(route.Gateway, address.Address, address.Index));
        }
    }

    private static void AddIPv6(List<MappingGateway> gateways, DefaultRoute route, IReadOnlyList<InterfaceAddress> addresses)
    {
        int count = 0;
        foreach (InterfaceAddress own in addresses)
        {
            if (own.Name == route.Interface && own.IsGlobalIPv6 && count++ < MostIPv6Addresses)
            {
                gateways.Add(new MappingGateway(route.Gateway, own.Address, own.Index));
            }
        }
    }
}
