using System.Globalization;
using Brunet;
using Brunet.Addressing;
using Brunet.Sessions;
using CertificateProfile;
using Ipop;
using Ipop.Linux.Polling;
using Ipop.Router;
using Ipopd.Bootstrap;
using Ipopd.Configuration;
using Ipopd.Control;
using Ipopd.Metrics;

namespace Ipopd.Composition;

/// <summary>What the daemon knows, in the words of the control socket.</summary>
internal static class StatusReport
{
    /// <summary>The node as it stands.</summary>
    internal static StatusReply Status(
        DaemonOptions options, Node node, VirtualNetwork network, MemberCertificate? certificate, TimeSpan now, TimeSpan uptime,
        PortMappingReply? portMapping, IReadOnlyList<WarningReply> warnings, NatReply nat, UdpReply udp, CarriedReply carried, BootstrapResolver resolver,
        RevocationList? revocations, OffloadOptions working, ClockReply clock, ShortagesReply? shortages)
    {
        RingStatus ring = node.Ring;
        return new StatusReply(
            Node: node.Address.ToString(),
            Pool: options.PoolName,
            Open: options.PoolOpen,
            Zone: PoolZone.Of(options.PoolName),
            Subnet: options.PoolSubnet.ToString(),
            Address: network.Address?.ToString(),
            Host: network.HostName,
            Certified: certificate is not null,
            Certificate: certificate is null ? null : Describe(certificate),
            Ring: new RingReply(
                ring.IsJoined, ring.Connections, ring.NearNeighbours, new RelayedReply(ring.Relayed.Frames, ring.Relayed.Bytes, ring.Relayed.Refused)),
            Manager: network.ManagerAddress?.ToString(),
            Managers: [.. (network.Managers?.Managers ?? []).Select(manager => new PoolManagerReply(manager.Host, manager.Address.ToString(), manager.ServesAuthority))],
            Nat: nat,
            Udp: udp,
            Carried: carried,
            Bootstrap: Bootstrap(resolver, node.Peers(now)),
            Tap: options.TapName,
            Dns: options.DnsListen?.ToString(),
            UptimeS: (long)uptime.TotalSeconds,
            PortMapping: portMapping,
            Revocations: revocations is null ? null : new RevocationsReply((long)revocations.Number, revocations.Count),
            Clock: clock,
            Shortages: shortages,
            Offload: OffloadReport.Make(options, working),
            Router: options.Router is { } router ? Router(router, network, now) : null,
            Warnings: warnings);
    }

    /// <summary>Its peers.</summary>
    internal static PeersReply Peers(Node node, VirtualNetwork network, TimeSpan now, NatReply nat) => new(
    [
        .. node.Peers(now).Select(peer => new PeerReply(
            peer.Identity.Address.ToString(),
            peer.Identity.Certificate?.VirtualAddress.ToString() ?? network.AddressOf(peer.Identity.Address)?.ToString(),
            peer.Identity.Certificate?.HostName,
            PathText.Word(peer.Path),
            peer.Endpoint?.ToString(),
            PathText.Milliseconds(peer.RoundTrip),
            peer.Identity.Certificate is not null,
            peer.SentBytes,
            peer.ReceivedBytes,
            (long)peer.Age.TotalSeconds,
            peer.Boot.ToString("x16", CultureInfo.InvariantCulture),
            Relay: peer.Path == PathKind.Relay ? peer.Paths[0].Relay?.ToString() : null,
            Loss: PathText.Ratio(peer.Loss),
            Mtu: peer.Mtu,
            WhyNotDirect: PathText.WhyNotDirect(peer, nat),
            KeyExchange: peer.KeyExchange,
            Use: PathText.Word(peer.Purpose))),
    ]);

    /// <summary>What went over the overlay's UDP socket.</summary>
    internal static UdpReply Udp(int port, TrafficCounters traffic, TimeSpan now) => new(
        port,
        traffic.SentDatagrams,
        traffic.SentBytes,
        traffic.ReceivedDatagrams,
        traffic.ReceivedBytes,
        traffic.HeardAt is { } at ? Math.Round((now - at).TotalSeconds, 1) : null);

    /// <summary>What went over all sockets, and the owner's limit.</summary>
    internal static CarriedReply Carried(TrafficCounters traffic, OwnersLimit limit) => new(traffic.CarriedOut, traffic.CarriedIn, limit.Speed, limit.Waits);

    /// <summary>What the kernel was short of; null if that is no news any more.</summary>
    internal static ShortagesReply? Shortages(Shortages shortages, TimeSpan now) =>
        shortages.Since(now) is { } since ? new ShortagesReply(shortages.Count, (long)since.TotalSeconds) : null;

    private static RouterReply Router(RouterOptions router, VirtualNetwork network, TimeSpan now)
    {
        var hosts = new List<HostReply>();
        foreach (HostStatus host in network.Hosts(now))
        {
            hosts.Add(new HostReply(
                host.Mac.ToString(), host.Address?.ToString(), (long)host.LeaseLeft.TotalSeconds,
                host.SinceHeard is { } heard ? Math.Round(heard.TotalSeconds, 1) : null));
        }

        return new RouterReply(router.Hosts, hosts);
    }

    private static List<BootstrapReply> Bootstrap(BootstrapResolver resolver, IReadOnlyList<PeerStatus> peers)
    {
        var linked = new HashSet<TransportAddress>();
        foreach (PeerStatus peer in peers)
        {
            linked.UnionWith(peer.Paths.Where(path => path is { IsAlive: true, Endpoint: not null }).Select(path => path.Endpoint!.Value));
        }

        return
        [
            .. resolver.Known.Select(known => new BootstrapReply(
                known.Entry.ToString(), [.. known.Addresses.Select(address => address.ToString())], known.Addresses.Any(linked.Contains))),
        ];
    }

    private static string Time(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture);

    private static CertificateReply Describe(MemberCertificate certificate) => new(
        certificate.Serial,
        Time(certificate.NotBefore),
        Time(certificate.NotAfter),
        Time(Renewal.From(certificate.NotBefore, certificate.NotAfter)),
        certificate.VirtualAddress.ToString(),
        certificate.HostName,
        MemberRoleNames.Of(certificate.IsManager ? MemberRole.Manager : MemberRole.Worker));
}
