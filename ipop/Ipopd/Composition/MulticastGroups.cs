using System.Net;
using Brunet;
using Brunet.Addressing;
using Ipop.Linux.Interfaces;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>
/// Where nodes of one network find each other without being told anything: a group of IPv4 and one of IPv6, as if they were one. A call goes to both.
/// </summary>
internal sealed class MulticastGroups : IDisposable
{
    /// <summary>The group of IPv4, and the port of both. It stands for both groups where the node sends.</summary>
    internal static readonly TransportAddress Endpoint = TransportAddress.From(new IPEndPoint(IPAddress.Parse(Agreed.MulticastGroup), Agreed.MulticastPort));

    /// <summary>
    /// The group of IPv6. Not of link-local scope: then the kernel would call from a link-local address even where there is a better one.
    /// </summary>
    internal static readonly TransportAddress IPv6Endpoint = TransportAddress.From(new IPEndPoint(IPAddress.Parse(Agreed.MulticastGroup6), Agreed.MulticastPort));

    [Own("one for each version of IP")]
    private readonly List<MulticastGroup> _groups = [];

    private MulticastGroups()
    {
    }

    /// <summary>Opens it; null if the configuration says no or the port can't be had.</summary>
    internal static MulticastGroups? Open(DaemonOptions options, UdpSocket overlay, ILogger log)
    {
        if (!options.UdpMulticast)
        {
            return null;
        }

        var groups = new MulticastGroups();
        groups.Open(overlay, Endpoint, log);
        if (overlay.IsDual)
        {
            groups.Open(overlay, IPv6Endpoint, log);
        }

        return groups._groups.Count == 0 ? null : groups;
    }

    /// <summary>Has what comes to the groups handed over.</summary>
    internal void Listen(PollLoop loop, UdpSocket.Receiver receiver)
    {
        foreach (MulticastGroup group in _groups)
        {
            loop.Add(group.Descriptor, now => group.Receive(now, receiver));
        }
    }

    /// <summary>Joins the groups on the machine's present networks.</summary>
    internal void SetInterfaces(DaemonOptions options, IReadOnlyList<InterfaceAddress> addresses)
    {
        foreach (MulticastGroup group in _groups)
        {
            group.SetInterfaces(
                LocalInterfaces.MulticastIndices(addresses, group.IsIPv4, options.TapName, address => LocalNetworks.IsVirtual(options, address)));
        }
    }

    /// <summary>Sends one datagram to both groups on each network.</summary>
    internal void Send(ReadOnlySpan<byte> datagram)
    {
        foreach (MulticastGroup group in _groups)
        {
            group.Send(datagram);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _groups.ForEach(group => group.Dispose());

    private void Open(UdpSocket overlay, TransportAddress endpoint, ILogger log)
    {
        try
        {
            _groups.Add(MulticastGroup.Open(overlay, endpoint));
        }
        catch (IOException exception)
        {
            log.NoMulticast(exception.Message);
        }
    }
}
