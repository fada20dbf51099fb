// Made of docs/contract/settings.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace Ipopd.Configuration;

internal sealed partial record OptionKey
{
    internal static readonly OptionKey NodeState = new("node", "state", null);
    internal static readonly OptionKey NodeHost = new("node", "host", "");
    internal static readonly OptionKey PoolName = new("pool", "name", null);
    internal static readonly OptionKey PoolSubnet = new("pool", "subnet", null);
    internal static readonly OptionKey PoolReserved = new("pool", "reserved", "");
    internal static readonly OptionKey PoolSecret = new("pool", "secret", null);
    internal static readonly OptionKey PoolBootstrap = new("pool", "bootstrap", "");
    internal static readonly OptionKey PoolOpen = new("pool", "open", "no");
    internal static readonly OptionKey TapName = new("tap", "name", "wow0");
    internal static readonly OptionKey TapMtu = new("tap", "mtu", "1280", 576, 1500);
    internal static readonly OptionKey TapLargestMtu = new("tap", "largest-mtu", "9000", 576, 9000);
    internal static readonly OptionKey TapCapture = new("tap", "capture", "");
    internal static readonly OptionKey RouterLan = new("router", "lan", "no");
    internal static readonly OptionKey RouterHosts = new("router", "hosts", "64", 1, 250);
    internal static readonly OptionKey RouterRelay = new("router", "relay", "no");
    internal static readonly OptionKey RouterRoutes = new("router", "routes", "");
    internal static readonly OptionKey UdpPort = new("udp", "port", "4433", 0, 65535);
    internal static readonly OptionKey UdpPortMapping = new("udp", "port-mapping", "yes");
    internal static readonly OptionKey UdpMulticast = new("udp", "multicast", "yes");
    internal static readonly OptionKey TcpPorts = new("tcp", "ports", "auto");
    internal static readonly OptionKey OffloadTcpSegmentation = new("offload", "tcp-segmentation", "yes");
    internal static readonly OptionKey OffloadUdpSegmentation = new("offload", "udp-segmentation", "yes");
    internal static readonly OptionKey OffloadUdpRuns = new("offload", "udp-runs", "yes");
    internal static readonly OptionKey OffloadUdpGro = new("offload", "udp-gro", "yes");
    internal static readonly OptionKey OffloadLibraryCipher = new("offload", "library-cipher", "yes");
    internal static readonly OptionKey OffloadEsp = new("offload", "esp", "yes");
    internal static readonly OptionKey OffloadPriority = new("offload", "priority", "yes");
    internal static readonly OptionKey OffloadModeration = new("offload", "moderation", "yes");
    internal static readonly OptionKey RelayRate = new("relay", "rate", "1000", 0, 65535);
    internal static readonly OptionKey TimeSet = new("time", "set", "no");
    internal static readonly OptionKey TimeNtp = new("time", "ntp", "");
    internal static readonly OptionKey ControlSocket = new("control", "socket", null);
    internal static readonly OptionKey DnsListen = new("dns", "listen", "");
    internal static readonly OptionKey MetricsListen = new("metrics", "listen", "");
    internal static readonly OptionKey CaPort = new("ca", "port", "8443", 1, 65535);
    internal static readonly OptionKey CaPossessionPort = new("ca", "possession-port", "8444", 1, 65535);
    internal static readonly OptionKey CaTicket = new("ca", "ticket", "");

    /// <summary>Every key there is, in the order of the commented ipopd.conf.</summary>
    internal static IReadOnlyList<OptionKey> All { get; } =
    [
        NodeState, NodeHost, PoolName, PoolSubnet, PoolReserved, PoolSecret, PoolBootstrap, PoolOpen, TapName, TapMtu, TapLargestMtu, TapCapture,
        RouterLan, RouterHosts, RouterRelay, RouterRoutes, UdpPort, UdpPortMapping, UdpMulticast, TcpPorts, OffloadTcpSegmentation,
        OffloadUdpSegmentation, OffloadUdpRuns, OffloadUdpGro, OffloadLibraryCipher, OffloadEsp, OffloadPriority, OffloadModeration, RelayRate,
        TimeSet, TimeNtp, ControlSocket, DnsListen, MetricsListen, CaPort, CaPossessionPort, CaTicket,
    ];
}
