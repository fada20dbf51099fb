using System.Net;
using Brunet;
using Brunet.Sessions;
using CertificateProfile;
using Ipop;
using Ipop.Addresses;
using Ipop.Linux.KernelLog;
using Ipop.Linux.Memory;
using Ipop.Linux.Polling;
using Ipop.Linux.Randomness;
using Ipop.Linux.Systemd;
using Ipop.Linux.Tcp;
using Ipop.Linux.Udp;
using Ipopd.Bootstrap;
using Ipopd.Clock;
using Ipopd.Configuration;
using Ipopd.Identity;
using Ipopd.Logging;
using Ipopd.Managers;
using Ipopd.NameService;
using Ipopd.PortMapping;
using Ipopd.Revocation;
using Ipopd.State;
using Microsoft.Extensions.Logging;

namespace Ipopd.Composition;

/// <summary>What the daemon is made of: the pure machines, the kernel's devices and the loop, each given what it uses. Here alone stands what is made of what.</summary>
internal sealed class DaemonParts : IDisposable
{
    private readonly DaemonOptions _options;

    [Own("the parts of this daemon")]
    private readonly List<IDisposable> _owned = [];

    /// <summary>Opens everything.</summary>
    /// <exception cref="ConfigurationException">The configuration can't be used.</exception>
    /// <exception cref="IOException">The tap or a port can't be had.</exception>
    internal DaemonParts(DaemonOptions options, TimeProvider time, ILogger log)
    {
        _options = options;
        try
        {
            Clock = Own(new TimeDesk(options, time, log));
            Own(StateFolder.Take(options.File, options.NodeState));
            Identity = Own(new OwnIdentity(options, Clock, log));
            Systemd = Own(new ServiceManager(Environment.GetEnvironmentVariable));
            Loop = Own(new PollLoop { Rests = options.Offload.Moderation });
            Loop.Shortages.Began = log.KernelShort;
            Clock.Open(Loop, options.TimeNtp);
            Udp = Own(Opening.Overlay(options));
            Surroundings = Own(Surroundings.Open(Loop, options, log));
            SearchSockets = Own(new SearchSockets(Loop));
            if (MulticastGroups.Open(options, Udp, log) is { } groups)
            {
                Multicast = Own(groups);
            }

            Names = options.DnsListen is { } listen ? Own(NamePort.Open(Loop, options, listen)) : null;
            MacAddress mac = TapPort.MacOf(Identity.Node.Address);
            Tap = Own(TapPort.Open(options, mac, Systemd, time, log));
            CopyWatch = Opening.Copies(log) is { } watch ? Own(watch) : null;
            Resolver = new BootstrapResolver(options.PoolBootstrap, Dns.GetHostAddressesAsync, time, log);

            var policy = new RecordPolicy(options.PoolSubnet, options.PoolOpen, options.PoolReserved);
            IHardwareRandom hardware = HardwareRandom.Open(out HardwareRandomSource source);
            RandomSource = source;
            Port = new NodePort(
                Udp,
                SearchSockets,
                Multicast,
                owner => Own(new TcpLinks(Loop, owner, () => BootClock.Now)),
                output => new Node(NodeSettings(), Identity.Node, Identity.Handshakes, Identity.Verifier, policy, output, new StrongRandom(), hardware),
                node => new VirtualNetwork(NetworkOptions(mac), node, Identity.Certificate, Tap, BootClock.Now));
            OwnersLimit = new OwnersLimit(Loop, Tap, Node, Port.Traffic);
            TcpPorts.Open(Tcp, options, Udp.LocalPort, log);
            Node.OwnTime = Clock.Tellable;
            Notices = Identity.Verifier is { } verifier ? Own(new NoticeBoard(Node, options.NodeState, verifier.AuthorityDer, BootClock.Now, Writes, log)) : null;
            Notices?.Heard(BootClock.Now, PoolAuthority.NoticeKind, new AuthorityKeeper(Identity.Verifier!, options.NodeState, Writes, log).Take);
            Notices?.Heard(BootClock.Now, RevocationListIssuer.NoticeKind, new RevocationKeeper(Node, Identity.Verifier!, Identity.LookAtRevocations, log).Take);
            Notices?.Heard(BootClock.Now, ManagerList.NoticeKind, new ManagersKeeper(Network, policy, options.PoolSubnet, log).Take);
            PeerMemory = new PeerMemory(options.NodeState, Node, BootClock.Now, log);
            HostMemory = options.Router is null ? null : new HostMemory(options.NodeState, Network, log);
            Loop.CountPackets = () => Port.Traffic.ReceivedDatagrams + Port.Traffic.TcpReceivedFrames + Tap.Packets;
            if (PeerRoutes.Open(options, Network) is { } routes)
            {
                Own(routes);
                Node.PathMtuChanged = routes.OnMtu;
                Surroundings.Looked += routes.Look;
            }

            if (GoneHosts.Open(options, Network, log) is { } gone)
            {
                Own(gone);
                Network.GoneChanged = gone.OnChange;
                Surroundings.Looked += gone.Look;
            }

            Outside = options.UdpPortMapping ? Own(new OutsidePort(Loop, options, Udp.LocalPort, Tcp.Ports, Node.SetMappedEndpoints, new StrongRandom(), log)) : null;
            Identity.Changed = OnCertificate;
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal TimeDesk Clock { get; }

    internal OwnIdentity Identity { get; }

    internal ServiceManager Systemd { get; }

    internal PollLoop Loop { get; }

    /// <summary>The overlay's own socket.</summary>
    internal UdpSocket Udp { get; }

    internal SearchSockets SearchSockets { get; }

    internal Surroundings Surroundings { get; }

    /// <summary>The networks of this machine; null if multicast is off.</summary>
    internal MulticastGroups? Multicast { get; }

    internal NamePort? Names { get; }

    internal TapPort Tap { get; }

    internal OwnersLimit OwnersLimit { get; }

    internal CopyWatch? CopyWatch { get; }

    internal NodePort Port { get; }

    internal Node Node => Port.Node;

    internal TcpLinks Tcp => Port.Tcp;

    internal VirtualNetwork Network => Port.Network;

    internal HardwareRandomSource RandomSource { get; }

    internal NoticeBoard? Notices { get; }

    internal BootstrapResolver Resolver { get; }

    internal PeerMemory PeerMemory { get; }

    /// <summary>The hosts of the LAN; null if the node serves none.</summary>
    internal HostMemory? HostMemory { get; }

    /// <summary>What is still to be written of what the CA said.</summary>
    internal StateWrites Writes { get; } = new();

    internal StartMemory StartMemory { get; } = new(() => FilePages.LetGo());

    /// <summary>The port as gateways map it; null if they are not asked.</summary>
    internal OutsidePort? Outside { get; }

    /// <summary>Notes what is to be closed, before all that was noted earlier.</summary>
    internal T Own<T>(T resource)
        where T : IDisposable
    {
        _owned.Add(resource);
        return resource;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        for (int index = _owned.Count - 1; index >= 0; index--)
        {
            _owned[index].Dispose();
        }

        _owned.Clear();
    }

    // The machine that nobody could have told where the ring is begins it.
    private bool IsFirst => _options.PoolBootstrap.Count == 0;

    private NodeSettings NodeSettings() => new(_options.PoolSecret, Resolver.Literal, IsFirst, _options.PoolOpen)
    {
        RelayRate = _options.RelayRate * 1000,
        SafePacket = _options.TapMtu,
        LargestPacket = _options.TapLargestMtu,
        SealsEspOnce = _options.Offload.Esp,
        Group = Multicast is null ? null : MulticastGroups.Endpoint,
    };

    private VirtualNetworkOptions NetworkOptions(MacAddress mac) => new()
    {
        Pool = _options.PoolName,
        Subnet = _options.PoolSubnet,
        Reserved = _options.PoolReserved,
        TapMac = mac,
        IsOpen = _options.PoolOpen,
        IsManager = IsFirst,
        HostName = _options.NodeHost ?? "",
        Mtu = _options.TapMtu,
        JoinsSegments = _options.Offload.TcpSegmentation,
        JoinsDatagrams = Tap.Offload.Udp,

        // DHCP can't name a port, so only a server on the usual one is worth naming.
        DnsServer = _options.DnsListen is { Port: 53, IPv4: var server } ? new IPv4Address(server) : null,
        LastAddress = LastAddress.Read(_options.NodeState),
        CaPort = _options.CaPort,
        PossessionPort = _options.CaPossessionPort,
        Router = _options.Router is { } router ? router with { Known = HostsFile.Read(_options.NodeState) } : null,
    };

    private void OnCertificate(TimeSpan now)
    {
        Node.IdentityChanged(now);
        Network.CertificateChanged(now, Identity.Certificate);
    }
}
