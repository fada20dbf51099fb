namespace Ipopd.Configuration;

/// <summary>One key of the configuration file.</summary>
/// <param name="Section">Section, lower case.</param>
/// <param name="Name">Key, lower case.</param>
/// <param name="Default">Value if the file doesn't set it; null if it must.</param>
internal sealed record OptionKey(string Section, string Name, string? Default)
{
    internal static readonly OptionKey State = new("node", "state", null);
    internal static readonly OptionKey Host = new("node", "host", "");
    internal static readonly OptionKey Pool = new("pool", "name", null);
    internal static readonly OptionKey PoolSubnet = new("pool", "subnet", null);
    internal static readonly OptionKey PoolReserved = new("pool", "reserved", "");
    internal static readonly OptionKey Secret = new("pool", "secret", null);
    internal static readonly OptionKey Bootstrap = new("pool", "bootstrap", "");
    internal static readonly OptionKey Open = new("pool", "open", "no");
    internal static readonly OptionKey TapName = new("tap", "name", "wow0");
    internal static readonly OptionKey TapMtu = new("tap", "mtu", "1280");
    internal static readonly OptionKey LargestMtu = new("tap", "largest-mtu", "9000");
    internal static readonly OptionKey Capture = new("tap", "capture", "");
    internal static readonly OptionKey Lan = new("router", "lan", "no");
    internal static readonly OptionKey LanHosts = new("router", "hosts", "64");
    internal static readonly OptionKey LanRelay = new("router", "relay", "no");
    internal static readonly OptionKey LanRoutes = new("router", "routes", "");
    internal static readonly OptionKey UdpPort = new("udp", "port", "4433");
    internal static readonly OptionKey PortMapping = new("udp", "port-mapping", "yes");
    internal static readonly OptionKey Multicast = new("udp", "multicast", "yes");
    internal static readonly OptionKey TcpPorts = new("tcp", "ports", "auto");
    internal static readonly OptionKey TcpSegmentation = new("offload", "tcp-segmentation", "yes");
    internal static readonly OptionKey UdpSegmentation = new("offload", "udp-segmentation", "yes");
    internal static readonly OptionKey UdpRuns = new("offload", "udp-runs", "yes");
    internal static readonly OptionKey UdpGro = new("offload", "udp-gro", "yes");
    internal static readonly OptionKey LibraryCipher = new("offload", "library-cipher", "yes");
    internal static readonly OptionKey Esp = new("offload", "esp", "yes");
    internal static readonly OptionKey Priority = new("offload", "priority", "yes");
    internal static readonly OptionKey Moderation = new("offload", "moderation", "yes");
    internal static readonly OptionKey RelayRate = new("relay", "rate", "1000");
    internal static readonly OptionKey SetsClock = new("time", "set", "no");
    internal static readonly OptionKey TimeServer = new("time", "ntp", "");
    internal static readonly OptionKey ControlSocket = new("control", "socket", null);
    internal static readonly OptionKey DnsListen = new("dns", "listen", "");
    internal static readonly OptionKey MetricsListen = new("metrics", "listen", "");
    internal static readonly OptionKey CaPort = new("ca", "port", "8443");
    internal static readonly OptionKey PossessionPort = new("ca", "possession-port", "8444");
    internal static readonly OptionKey Ticket = new("ca", "ticket", "");

    /// <summary>Every key there is.</summary>
    internal static IReadOnlyList<OptionKey> All { get; } =
    [
        State, Host, Pool, PoolSubnet, PoolReserved, Secret, Bootstrap, Open, TapName, TapMtu, LargestMtu, Capture, Lan, LanHosts, LanRelay, LanRoutes, UdpPort, PortMapping,
        Multicast, TcpPorts, TcpSegmentation, UdpSegmentation, UdpRuns, UdpGro, LibraryCipher, Esp, Priority, Moderation, RelayRate, SetsClock, TimeServer, ControlSocket, DnsListen, MetricsListen, CaPort,
        PossessionPort, Ticket,
    ];

    /// <inheritdoc/>
    public override string ToString() => $"[{Section}] {Name}";
}
