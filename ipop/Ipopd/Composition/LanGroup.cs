using System.Net;
using Brunet.Addressing;
using Ipop.Linux.Interfaces;
using Ipop.Linux.Udp;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>Where nodes of one network find each other without being told anything.</summary>
internal static class LanGroup
{
    /// <summary>
    /// A group of the local scope (RFC 2365 section 6.1) that ends in "WO" in ASCII, and the overlay's usual port. docs/protocol.md and the
    /// appliance's fence name it.
    /// </summary>
    internal static readonly TransportAddress Endpoint = TransportAddress.From(new IPEndPoint(new IPAddress([239, 255, 87, 79]), 4433));

    /// <summary>Opens it; null if the configuration says no or the port can't be had.</summary>
    internal static MulticastGroup? Open(DaemonOptions options, UdpSocket overlay, ILogger log)
    {
        if (!options.HasMulticast)
        {
            return null;
        }

        try
        {
            return MulticastGroup.Open(overlay, Endpoint);
        }
        catch (IOException exception)
        {
            log.NoMulticast(exception.Message);
            return null;
        }
    }

    /// <summary>Joins the group on the machine's present networks.</summary>
    internal static void SetInterfaces(MulticastGroup? group, DaemonOptions options, IReadOnlyList<InterfaceAddress> addresses) =>
        group?.SetInterfaces(LocalInterfaces.MulticastIndices(addresses, options.TapName, address => LocalNetworks.IsVirtual(options, address)));
}
