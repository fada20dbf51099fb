using Brunet;
using Ipop;
using Ipop.Linux.Routes;
using Ipopd.Configuration;
using Ipopd.Logging;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>
/// Tells the machine's kernel which machines of the pool are gone, by a route for each that says "unreachable". Who connects there hears so at once, and who is
/// connecting, too. They stand while the interface has the virtual address, as <see cref="PeerRoutes"/> do.
/// </summary>
internal sealed class GoneHosts : IDisposable
{
    private readonly DaemonOptions _options;
    private readonly VirtualNetwork _network;
    private readonly ILogger _log;
    private readonly UnreachableHosts _kernel;

    [Own("the virtual network bounds whom it tells of")]
    private readonly HashSet<IPv4Address> _gone = [];

    private GoneHosts(DaemonOptions options, VirtualNetwork network, ILogger log, UnreachableHosts kernel) =>
        (_options, _network, _log, _kernel) = (options, network, log, kernel);

    /// <summary>Removes what an earlier run left. Null if the tap belongs to a LAN.</summary>
    /// <exception cref="IOException">The kernel refuses.</exception>
    internal static GoneHosts? Open(DaemonOptions options, VirtualNetwork network, ILogger log)
    {
        if (options.Router is not null)
        {
            return null;
        }

        var hosts = new GoneHosts(options, network, log, UnreachableHosts.Open(options.PoolSubnet));
        hosts.RemoveAll();
        return hosts;
    }

    /// <summary>A machine is gone, or is no more.</summary>
    internal void OnChange(IPv4Address address, bool isGone)
    {
        if (!isGone)
        {
            if (_gone.Remove(address))
            {
                _kernel.Remove(address);
                _log.MachineTried(address.ToString());
            }
        }
        else if (_gone.Add(address))
        {
            _log.MachineGone(address.ToString());
            if (HasAddress() is true && _kernel.Set(address) == 0)
            {
                _ = PendingConnections.End(address);
            }
        }
    }

    /// <summary>Something about the machine's addresses or routes may have changed: makes again what is missing, or takes all away.</summary>
    internal void Look()
    {
        if (_gone.Count == 0 || HasAddress() is not { } has)
        {
            return;
        }

        if (!has)
        {
            RemoveAll();
            return;
        }

        List<IPv4Address> there = _kernel.Read();
        foreach (IPv4Address address in _gone)
        {
            if (!there.Contains(address))
            {
                _ = _kernel.Set(address);
            }
        }
    }

    /// <summary>Leaves no route behind.</summary>
    public void Dispose()
    {
        RemoveAll();
        _kernel.Dispose();
    }

    /// <summary>Null if the kernel does not say: it is short of descriptors or memory. The networks are looked at again, and then this is, too.</summary>
    private bool? HasAddress()
    {
        try
        {
            return _network.Address is { } own && LocalNetworks.HasAddress(_options.TapName, own);
        }
        catch (IOException)
        {
            return null;
        }
    }

    private void RemoveAll()
    {
        foreach (IPv4Address address in _kernel.Read())
        {
            _kernel.Remove(address);
        }
    }
}
