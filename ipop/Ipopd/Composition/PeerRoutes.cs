using Brunet;
using Brunet.Addressing;
using Ipop;
using Ipop.Linux.Routes;
using Ipopd.Configuration;

namespace Ipopd.Composition;

/// <summary>
/// Tells the machine's kernel what the paths to peers carry, by its routes: each peer that packets go to and whose path was probed has one of its own, and the two halves of
/// the subnet have the safe MTU, with the MSS of the largest: a connection that begins before the path was probed grows with it. They stand while the
/// interface has the virtual address; where something else has it, a bridge or nobody, there are none.
/// </summary>
internal sealed class PeerRoutes : IDisposable
{
    /// <summary>Peers with a route at a time.</summary>
    private const int MostPeers = 256;

    /// <summary>Bytes of the headers of IPv4 and TCP.</summary>
    private const int TcpHeaders = 40;

    private readonly DaemonOptions _options;
    private readonly VirtualNetwork _network;
    private readonly RouteTable _table;

    [Bounded(nameof(MostPeers))]
    private readonly Dictionary<IPv4Address, (NodeAddress Node, int Mtu)> _peers = [];

    private IPv4Address? _source;

    private PeerRoutes(DaemonOptions options, VirtualNetwork network, RouteTable table) => (_options, _network, _table) = (options, network, table);

    /// <summary>Removes what an earlier run left. Null if no path is probed, or the tap belongs to a LAN.</summary>
    /// <exception cref="IOException">The kernel refuses.</exception>
    internal static PeerRoutes? Open(DaemonOptions options, VirtualNetwork network)
    {
        if (options.TapLargestMtu <= options.TapMtu || options.Router is not null)
        {
            return null;
        }

        var routes = new PeerRoutes(options, network, RouteTable.Open(options.TapName));
        routes.RemoveAll();
        return routes;
    }

    /// <summary>The path to a node carries packets of so many bytes; 0: nothing goes there any more.</summary>
    internal void OnMtu(NodeAddress node, int mtu)
    {
        if (mtu == 0)
        {
            foreach ((IPv4Address address, (NodeAddress owner, _)) in _peers)
            {
                if (owner == node)
                {
                    _peers.Remove(address);
                    Remove(address, 32);
                }
            }
        }
        else if (_network.AddressOf(node) is { } address && (_peers.Count < MostPeers || _peers.ContainsKey(address)))
        {
            _peers[address] = (node, mtu);
            Set(address, 32, mtu, advertisedMss: 0);
        }
    }

    /// <summary>Something about the machine's addresses or routes may have changed: makes again what is missing.</summary>
    internal void Look()
    {
        IPv4Address? source;
        try
        {
            source = _network.Address is { } own && LocalNetworks.HasAddress(_options.TapName, own) ? own : null;
        }
        catch (IOException)
        {
            // The kernel is short of descriptors or memory. The networks are looked at again, and then the routes.
            return;
        }

        bool isWhole = source == _source && (source is null || _table.Read().Count >= _peers.Count + 2);
        _source = source;
        if (isWhole || source is null)
        {
            return;
        }

        int half = _options.PoolSubnet.PrefixLength + 1;
        int mss = _options.TapLargestMtu - TcpHeaders;
        Set(_options.PoolSubnet.Network, half, _options.TapMtu, mss);
        Set(new IPv4Address(_options.PoolSubnet.Network.Value | (1u << (32 - half))), half, _options.TapMtu, mss);
        foreach ((IPv4Address address, (_, int mtu)) in _peers)
        {
            Set(address, 32, mtu, advertisedMss: 0);
        }
    }

    /// <summary>Leaves no route behind.</summary>
    public void Dispose()
    {
        RemoveAll();
        _table.Dispose();
    }

    // A route that the kernel refuses is made when its addresses have changed: the next look finds it missing.
    private void Set(IPv4Address prefix, int length, int mtu, int advertisedMss)
    {
        if (_source is { } source)
        {
            _ = _table.Set(new Route(prefix, length, source, mtu, advertisedMss));
        }
    }

    private void Remove(IPv4Address prefix, int length)
    {
        if (_source is not null)
        {
            _table.Remove(prefix, length);
        }
    }

    private void RemoveAll()
    {
        foreach ((IPv4Address prefix, int length) in _table.Read())
        {
            _table.Remove(prefix, length);
        }
    }
}
