// Made of docs/contract/settings.json by `test/figures --write`; a test fails where they differ.
#nullable enable
using System.Net;
using Brunet.Addressing;
using Ipop.Dhcp;

namespace Ipopd.Configuration;

internal sealed partial record DaemonOptions
{
    /// <summary>
    /// [node] state: Folder that keeps this machine's identity: node.key (made on the first start), node.pem and ca.pem (the certificates),
    /// address.json (the last virtual address), peers.json (where members were reached). One running ipopd a folder.
    /// </summary>
    internal required string NodeState { get; init; }

    /// <summary>[node] host: Host name that this machine wants: one label. In a pool with a CA the certificate decides.</summary>
    internal required string? NodeHost { get; init; }

    /// <summary>[pool] name: Name of the pool: one DNS label; its zone is NAME.internal. The same on all machines.</summary>
    internal required string PoolName { get; init; }

    /// <summary>[pool] subnet: The virtual network: an IPv4 prefix of /8 to /28. Must not overlap the machine's own networks.</summary>
    internal required Subnet PoolSubnet { get; init; }

    /// <summary>
    /// [pool] reserved: Addresses of it that no machine takes by itself: only a certificate gives them. Ranges like 10.128.0.1-10.128.3.255, commas
    /// between; the same on all machines.
    /// </summary>
    internal required ReservedRanges PoolReserved { get; init; }

    /// <summary>[pool] secret: 64 hexadecimal digits, as from `openssl rand -hex 32`. Who does not know them gets no answer.</summary>
    internal required ReadOnlyMemory<byte> PoolSecret { get; init; }

    /// <summary>
    /// [pool] bootstrap: Where to find the pool: blanks-separated udp:HOST:PORT. Empty on the first machine only, which begins the ring.
    /// </summary>
    internal required IReadOnlyList<BootstrapEntry> PoolBootstrap { get; init; }

    /// <summary>[pool] open: yes: the pool has no CA, so every machine that knows the secret may take any free address and name.</summary>
    internal required bool PoolOpen { get; init; }

    /// <summary>[tap] name: The Ethernet interface to the machine; made if it is missing, and left when ipopd stops.</summary>
    internal required string TapName { get; init; }

    /// <summary>[tap] mtu: IP packet in bytes that every path is taken to carry; handed out by DHCP (option 26). From 576 to 1500.</summary>
    internal required ushort TapMtu { get; init; }

    /// <summary>
    /// [tap] largest-mtu: What the paths to peers carry in one piece is probed while they are used, up to this many bytes, and the machine's routes
    /// to them say it. No more than mtu: nothing is probed and no route is made. From 576 to 9000.
    /// </summary>
    internal required ushort TapLargestMtu { get; init; }

    /// <summary>
    /// [tap] capture: pcap file that records every frame of the interface (Ethernet, 64 MiB at most, begun anew at each start). All of this machine's
    /// users may read it, and `wow status` warns of it. Empty: none.
    /// </summary>
    internal required string? TapCapture { get; init; }

    /// <summary>
    /// [router] lan: yes: the interface leads to a LAN, as a port of a bridge; this machine gives the hosts there addresses by DHCP and carries their
    /// packets. No other DHCP server may be on that LAN. Its own address it gets by the interface's Ethernet address: give that to the bridge too.
    /// Open pools only.
    /// </summary>
    internal required bool RouterLan { get; init; }

    /// <summary>[router] hosts: How many hosts have an address at a time. From 1 to 250.</summary>
    internal required ushort RouterHosts { get; init; }

    /// <summary>[router] relay: yes: hosts may relay DHCP messages of others, as switches do.</summary>
    internal required bool RouterRelay { get; init; }

    /// <summary>
    /// [router] routes: Networks that machines of the LAN lead to, for its hosts that ask for classless routes: NETWORK/BITS via ADDRESS, commas
    /// between, 16 at most. Such as: 192.168.50.0/24 via 10.128.3.4
    /// </summary>
    internal required IReadOnlyList<LanRoute> RouterRoutes { get; init; }

    /// <summary>[udp] port: UDP port of the overlay; 0: any free one. From 0 to 65535.</summary>
    internal required ushort UdpPort { get; init; }

    /// <summary>
    /// [udp] port-mapping: yes: the machine's gateways are asked to lead that port and one of [tcp] here, by PCP, NAT-PMP or UPnP, whichever they
    /// know; nothing else is asked of them.
    /// </summary>
    internal required bool UdpPortMapping { get; init; }

    /// <summary>
    /// [udp] multicast: no: the pool is looked for by the bootstrap list and remembered peers only. yes: while this machine has no link to the pool
    /// it also asks on its networks, by the multicast groups 239.255.87.79 and ff15::8057:4f57, UDP port 4433, and it answers others there. They
    /// never leave the network (TTL 1).
    /// </summary>
    internal required bool UdpMulticast { get; init; }

    /// <summary>
    /// [tcp] ports: TCP ports on which the overlay listens for machines whose networks block UDP, blanks-separated; it looks like HTTPS there. auto:
    /// the UDP port's number and 443, each if nobody else has it. none: nobody is listened to; this machine may still connect to others.
    /// </summary>
    internal required IReadOnlyList<ushort>? TcpPorts { get; init; }

    /// <summary>[offload] tcp-segmentation: yes: the kernel of this machine hands over TCP packets of up to 64 KiB whole, and gets them so.</summary>
    internal required bool OffloadTcpSegmentation { get; init; }

    /// <summary>
    /// [offload] udp-segmentation: yes: it hands over up to 64 datagrams that a program sent at once as one packet (Linux 6.2), and gets those of one
    /// flow so. Only with tcp-segmentation.
    /// </summary>
    internal required bool OffloadUdpSegmentation { get; init; }

    /// <summary>[offload] udp-runs: yes: datagrams of one size to one destination go to the kernel as one (UDP_SEGMENT).</summary>
    internal required bool OffloadUdpRuns { get; init; }

    /// <summary>[offload] udp-gro: yes: the kernel hands over datagrams that belong together as one (UDP_GRO).</summary>
    internal required bool OffloadUdpGro { get; init; }

    /// <summary>[offload] library-cipher: yes: Debian's libipsec-mb seals, where it is there and has passed its test. no: OpenSSL.</summary>
    internal required bool OffloadLibraryCipher { get; init; }

    /// <summary>
    /// [offload] esp: yes: packets of IPsec (ESP), which are sealed already, get a seal over their headers alone, if the other machine can read that.
    /// no: over all of it.
    /// </summary>
    internal required bool OffloadEsp { get; init; }

    /// <summary>
    /// [offload] priority: yes: the one thread that carries packets runs before programs (niceness -20; SCHED_RR amid a flood of packets), so that
    /// packets do not wait while this machine computes; not where there is only one processor.
    /// </summary>
    internal required bool OffloadPriority { get; init; }

    /// <summary>
    /// [offload] moderation: yes: amid a flood of packets it rests for a quarter of a millisecond once nothing waits, and then does more at once. A
    /// lone packet never waits.
    /// </summary>
    internal required bool OffloadModeration { get; init; }

    /// <summary>
    /// [relay] rate: Thousands of bytes a second that this machine hands on for others at most, as a relay and on the ring. 0: no limit. From 0 to
    /// 65535.
    /// </summary>
    internal required ushort RelayRate { get; init; }

    /// <summary>
    /// [time] set: yes: the machine's clock is set when the hypervisor's, or three peers and more, say that it is wrong; not where a program that
    /// speaks NTP keeps it. no: it is only looked at, and certificates are judged by what is believed to be the time.
    /// </summary>
    internal required bool TimeSet { get; init; }

    /// <summary>[time] ntp: One server that speaks NTP, by name or address: it goes before all others. Empty: none.</summary>
    internal required string? TimeNtp { get; init; }

    /// <summary>[control] socket: Unix socket for `wow status` and its like.</summary>
    internal required string ControlSocket { get; init; }

    /// <summary>
    /// [dns] listen: IPv4 ADDRESS:PORT where names of the pool are answered, by UDP and TCP. On port 53 DHCP hands the address out as name server.
    /// Empty: nowhere.
    /// </summary>
    internal required TransportAddress? DnsListen { get; init; }

    /// <summary>
    /// [metrics] listen: Loopback ADDRESS:PORT where metrics are served over HTTP for Prometheus, to every user of this machine. Empty: nowhere.
    /// </summary>
    internal required IPEndPoint? MetricsListen { get; init; }

    /// <summary>[ca] port: TCP port of the CA's enrolment service on the manager. From 1 to 65535.</summary>
    internal required ushort CaPort { get; init; }

    /// <summary>[ca] possession-port: TCP port on which this machine proves to the CA that it has its address. From 1 to 65535.</summary>
    internal required ushort CaPossessionPort { get; init; }

    /// <summary>[ca] ticket: ID:SECRET that `ipopd enroll` shows the CA. Empty: none.</summary>
    internal required string? CaTicket { get; init; }

    /// <summary>Asks the reader for every value.</summary>
    /// <exception cref="ConfigurationException">A value is wrong or missing.</exception>
    internal static DaemonOptions From(DaemonOptionsReader reader, string file) => new()
    {
        File = file,
        NodeState = reader.AbsolutePath(OptionKey.NodeState)!,
        NodeHost = reader.Label(OptionKey.NodeHost),
        PoolName = reader.Label(OptionKey.PoolName)!,
        PoolSubnet = reader.Subnet(OptionKey.PoolSubnet),
        PoolReserved = reader.Ranges(OptionKey.PoolReserved),
        PoolSecret = reader.Secret(OptionKey.PoolSecret),
        PoolBootstrap = reader.Bootstrap(OptionKey.PoolBootstrap),
        PoolOpen = reader.YesOrNo(OptionKey.PoolOpen),
        TapName = reader.Interface(OptionKey.TapName),
        TapMtu = reader.Number(OptionKey.TapMtu),
        TapLargestMtu = reader.Number(OptionKey.TapLargestMtu),
        TapCapture = reader.AbsolutePath(OptionKey.TapCapture),
        RouterLan = reader.YesOrNo(OptionKey.RouterLan),
        RouterHosts = reader.Number(OptionKey.RouterHosts),
        RouterRelay = reader.YesOrNo(OptionKey.RouterRelay),
        RouterRoutes = reader.Routes(OptionKey.RouterRoutes),
        UdpPort = reader.Number(OptionKey.UdpPort),
        UdpPortMapping = reader.YesOrNo(OptionKey.UdpPortMapping),
        UdpMulticast = reader.YesOrNo(OptionKey.UdpMulticast),
        TcpPorts = reader.Ports(OptionKey.TcpPorts),
        OffloadTcpSegmentation = reader.YesOrNo(OptionKey.OffloadTcpSegmentation),
        OffloadUdpSegmentation = reader.YesOrNo(OptionKey.OffloadUdpSegmentation),
        OffloadUdpRuns = reader.YesOrNo(OptionKey.OffloadUdpRuns),
        OffloadUdpGro = reader.YesOrNo(OptionKey.OffloadUdpGro),
        OffloadLibraryCipher = reader.YesOrNo(OptionKey.OffloadLibraryCipher),
        OffloadEsp = reader.YesOrNo(OptionKey.OffloadEsp),
        OffloadPriority = reader.YesOrNo(OptionKey.OffloadPriority),
        OffloadModeration = reader.YesOrNo(OptionKey.OffloadModeration),
        RelayRate = reader.Number(OptionKey.RelayRate),
        TimeSet = reader.YesOrNo(OptionKey.TimeSet),
        TimeNtp = reader.Host(OptionKey.TimeNtp),
        ControlSocket = reader.SocketPath(OptionKey.ControlSocket),
        DnsListen = reader.Listen(OptionKey.DnsListen),
        MetricsListen = reader.Loopback(OptionKey.MetricsListen),
        CaPort = reader.Number(OptionKey.CaPort),
        CaPossessionPort = reader.Number(OptionKey.CaPossessionPort),
        CaTicket = reader.Ticket(OptionKey.CaTicket),
    };
}
