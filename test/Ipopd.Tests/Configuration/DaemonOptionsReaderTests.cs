using System.Text;
using Brunet.Addressing;
using Ipop.Dhcp;
using Ipop.Router;
using Ipopd.Configuration;

namespace Ipopd.Tests.Configuration;

public sealed class DaemonOptionsReaderTests
{
    private const string Least =
        """
        [node]
        state = /var/lib/wow
        [pool]
        name = demo
        subnet = 10.128.0.0/16
        secret = 00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
        [control]
        socket = /run/wow/ipopd.sock
        """;

    [Fact]
    public void The_least_file_gives_the_documented_defaults()
    {
        DaemonOptions options = Read(Least);

        Assert.Equal("/var/lib/wow", options.NodeState);
        Assert.Equal("demo", options.PoolName);
        Assert.Equal("10.128.0.0/16", options.PoolSubnet.ToString());
        Assert.Equal(32, options.PoolSecret.Length);
        Assert.Equal(0xff, options.PoolSecret.Span[^1]);
        Assert.Empty(options.PoolBootstrap);
        Assert.False(options.PoolOpen);
        Assert.Equal(("wow0", (ushort)1280, (string?)null), (options.TapName, options.TapMtu, options.TapCapture));
        Assert.Equal(4433, options.UdpPort);
        Assert.True(options.UdpPortMapping);
        Assert.Equal(new OffloadOptions(true, true, true, true, true, true, true, true), options.Offload);
        Assert.Null(options.TcpPorts);
        Assert.Null(options.DnsListen);
        Assert.Equal((8443, 8444), (options.CaPort, options.CaPossessionPort));
        Assert.Null(options.CaTicket);
        Assert.Null(options.NodeHost);
        Assert.Null(options.Router);
    }

    [Fact]
    public void Everything_can_be_set()
    {
        DaemonOptions options = Read(Least
            .Replace("[node]", "[node]\nhost = alpha", StringComparison.Ordinal)
            .Replace("[pool]", "[pool]\nopen = yes\nbootstrap = udp:ring.example:1 udp:192.0.2.1:2\tudp:[2001:db8::1]:3", StringComparison.Ordinal)
            + "\n[tap]\nname = t-1\nmtu = 1400\ncapture = /tmp/x.pcap\n[udp]\nport = 0\nport-mapping = no\n[offload]\nudp-segmentation = no\nudp-gro = no\nesp = no\npriority = no\nmoderation = no\n[tcp]\nports = 4433 443\n[dns]\nlisten = 127.0.0.54:5354\n[ca]\nport = 1\npossession-port = 2\nticket = a:b:c\n");

        Assert.Equal(["udp:ring.example:1", "udp:192.0.2.1:2", "udp:[2001:db8::1]:3"], options.PoolBootstrap.Select(entry => entry.ToString()));
        Assert.Equal([false, true, true], options.PoolBootstrap.Select(entry => entry.IsLiteral));
        Assert.True(options.PoolOpen);
        Assert.Equal(("t-1", (ushort)1400, "/tmp/x.pcap"), (options.TapName, options.TapMtu, options.TapCapture));
        Assert.Equal(0, options.UdpPort);
        Assert.False(options.UdpPortMapping);
        Assert.Equal(new OffloadOptions(true, false, true, false, true, false, false, false), options.Offload);
        Assert.Equal([4433, 443], options.TcpPorts!.Select(port => (int)port));
        Assert.Equal(TransportAddress.FromIPv4(0x7f000036, 5354), options.DnsListen);
        Assert.Equal((1, 2, "a:b:c", "alpha"), (options.CaPort, options.CaPossessionPort, options.CaTicket, options.NodeHost));
    }

    [Fact]
    public void Ranges_can_be_reserved()
    {
        Assert.False(Read(Least).PoolReserved.Contains(new(0x0a800005)));
        DaemonOptions options = Read(Least.Replace("[pool]", "[pool]\nreserved = 10.128.255.0-10.128.255.255 ,10.128.0.5-10.128.0.5", StringComparison.Ordinal));
        Assert.Equal(
            [false, true, false, false, true, true],
            new uint[] { 0x0a800004, 0x0a800005, 0x0a800006, 0x0a80feff, 0x0a80ff00, 0x0a80fffe }.Select(address => options.PoolReserved.Contains(new(address))));
        Assert.NotNull(Read(Least.Replace("[pool]", "[pool]\nreserved = 10.128.0.0-10.128.255.252", StringComparison.Ordinal)));
    }

    [Fact]
    public void Router_mode_has_limits_and_needs_an_open_pool()
    {
        string open = Least.Replace("[pool]", "[pool]\nopen = yes", StringComparison.Ordinal);
        Assert.Equal((64, false), (Read(open + "\n[router]\nlan = yes\n").Router!.Hosts, Read(open + "\n[router]\nlan = yes\n").Router!.HasRelays));
        Assert.Equal((250, true), (Read(open + "\n[router]\nlan = yes\nhosts = 250\nrelay = yes\n").Router!.Hosts, true));
        Assert.Equal(
            ["192.168.50.0/24 via 10.128.3.4", "172.16.0.0/12 via 10.128.3.5"],
            Read(open + "\n[router]\nlan = yes\nroutes = 192.168.50.0/24 via 10.128.3.4, 172.16.0.0/12 via 10.128.3.5\n").Router!.Routes.Select(route => route.ToString()));
        string one = "192.168.50.0/24 via 10.128.3.4";
        Assert.Equal(LanRoute.Most, Read($"{open}\n[router]\nlan = yes\nroutes = {string.Join(',', Enumerable.Repeat(one, LanRoute.Most))}\n").Router!.Routes.Count);
        var many = Assert.Throws<ConfigurationException>(() => Read($"{open}\n[router]\nlan = yes\nroutes = {string.Join(',', Enumerable.Repeat(one, LanRoute.Most + 1))}\n"));
        Assert.Contains("has more than 16 routes; leave some out", many.Message, StringComparison.Ordinal);
        var closed = Assert.Throws<ConfigurationException>(() => Read(Least + "\n[router]\nlan = yes\n"));
        Assert.Contains("[router] lan = yes needs [pool] open = yes", closed.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("router", "lan", "eth0", "is neither yes nor no")]
    [InlineData("router", "hosts", "0", "is not a number from 1 to 250")]
    [InlineData("router", "hosts", "251", "is not a number from 1 to 250")]
    [InlineData("router", "relay", "1", "is neither yes nor no")]
    [InlineData("router", "routes", "192.168.50.0/24", "is not NETWORK/BITS via ADDRESS")]
    [InlineData("router", "routes", "192.168.50.1/24 via 10.128.3.4", "of 1 to 32 bits and none beyond them")]
    [InlineData("router", "routes", "0.0.0.0/0 via 10.128.3.4", "of 1 to 32 bits and none beyond them")]
    [InlineData("router", "routes", "192.168.50.0/33 via 10.128.3.4", "of 1 to 32 bits and none beyond them")]
    [InlineData("router", "routes", "192.168.50.0/24 via 10.128.3.4,", "is not NETWORK/BITS via ADDRESS")]
    [InlineData("router", "routes", "192.168.50.0/24 via 10.129.3.4", "leads by way of no host of [pool] subnet = 10.128.0.0/16")]
    [InlineData("router", "routes", "192.168.50.0/24 via 10.128.255.254", "leads by way of no host of [pool] subnet = 10.128.0.0/16")]
    [InlineData("router", "routes", "10.128.7.0/24 via 10.128.3.4", "takes addresses of [pool] subnet = 10.128.0.0/16 elsewhere")]
    [InlineData("router", "routes", "10.0.0.0/8 via 10.128.3.4", "takes addresses of [pool] subnet = 10.128.0.0/16 elsewhere")]
    [InlineData("node", "state", "relative", "is not an absolute path")]
    [InlineData("node", "state", "", "is missing; add it")]
    [InlineData("node", "host", "a.b", "is no DNS label")]
    [InlineData("pool", "name", "-", "is no DNS label")]
    [InlineData("pool", "name", "Demo", "is no DNS label")]
    [InlineData("pool", "subnet", "10.128.0.0/7", "is not an IPv4 prefix")]
    [InlineData("pool", "subnet", "10.128.0.0/29", "is not an IPv4 prefix")]
    [InlineData("pool", "subnet", "10.128.0.1/16", "is not an IPv4 prefix")]
    [InlineData("pool", "subnet", "fd00::/16", "is not an IPv4 prefix")]
    [InlineData("pool", "subnet", "10.128.0.0/016", "is not an IPv4 prefix")]
    [InlineData("pool", "subnet", "127.0.0.0/8", "is kept for loopback; choose one like 10.128.0.0/16")]
    [InlineData("pool", "reserved", "10.128.0.0/24", "is not FIRST-LAST; write ranges like")]
    [InlineData("pool", "reserved", "10.128.0.7", "is not FIRST-LAST")]
    [InlineData("pool", "reserved", "10.128.0.1-10.128.0.9,", "is not FIRST-LAST")]
    [InlineData("pool", "reserved", "10.128.0.1-10.128.0.9 10.128.1.1-10.128.1.9", "is not FIRST-LAST")]
    [InlineData("pool", "reserved", "10.128.0.1-10.128.0.9, 10.128.2.9-10.128.2.1", "= 10.128.2.9-10.128.2.1 ends before it begins")]
    [InlineData("pool", "reserved", "10.127.255.255-10.128.0.9", "is not inside [pool] subnet = 10.128.0.0/16")]
    [InlineData("pool", "reserved", "10.128.0.1-10.129.0.0", "is not inside [pool] subnet = 10.128.0.0/16")]
    [InlineData("pool", "reserved", "10.128.9.0-10.128.255.253, 10.128.0.1-10.128.9.7", "leaves no address of 10.128.0.0/16")]
    [InlineData("pool", "secret", "zz", "is not 64 hexadecimal digits")]
    [InlineData("pool", "bootstrap", "udp:a", "is not udp:HOST:PORT")]
    [InlineData("pool", "bootstrap", "udp:a:0", "is not udp:HOST:PORT")]
    [InlineData("pool", "bootstrap", "udp:2001:db8::1:4433", "is not udp:HOST:PORT")]
    [InlineData("pool", "bootstrap", "udp:[a]:1", "is not udp:HOST:PORT")]
    [InlineData("pool", "bootstrap", "tcp:a:1", "is not udp:HOST:PORT")]
    [InlineData("pool", "open", "true", "is neither yes nor no")]
    [InlineData("offload", "udp-runs", "off", "is neither yes nor no")]
    [InlineData("tap", "name", "0123456789abcdef", "is no name for an interface")]
    [InlineData("tap", "name", "..", "is no name for an interface")]
    [InlineData("tap", "mtu", "575", "is not a number from 576 to 1500")]
    [InlineData("tap", "capture", "x", "is not an absolute path")]
    [InlineData("udp", "port-mapping", "on", "is neither yes nor no")]
    [InlineData("tcp", "ports", "4433 4433", "is neither auto, none nor a list of different ports; write it like 4433 443")]
    [InlineData("relay", "rate", "-1", "is not a number from 0 to 65535")]
    [InlineData("tcp", "ports", "0", "is neither auto, none nor a list")]
    [InlineData("udp", "port", "-1", "is not a number from 0 to 65535")]
    [InlineData("control", "socket", "/012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234", "103 bytes")]
    [InlineData("dns", "listen", "127.0.0.1", "is not ADDRESS:PORT")]
    [InlineData("dns", "listen", "[::1]:53", "is not ADDRESS:PORT")]
    [InlineData("metrics", "listen", "9433", "is not ADDRESS:PORT")]
    [InlineData("metrics", "listen", "127.0.0.1", "is not ADDRESS:PORT")]
    [InlineData("metrics", "listen", "0.0.0.0:9433", "is not a loopback address: metrics name every peer")]
    [InlineData("metrics", "listen", "192.0.2.1:9433", "is not a loopback address")]
    [InlineData("metrics", "listen", "[::]:9433", "is not a loopback address")]
    [InlineData("ca", "port", "0", "is not a number from 1 to 65535")]
    [InlineData("udp", "multicast", "on", "is neither yes nor no")]
    [InlineData("ca", "ticket", "x:", "is not ID:SECRET")]
    [InlineData("ca", "ticket", "x:y z", "is not ID:SECRET")]
    [InlineData("pool", "color", "red", "[pool] color is unknown; [pool] has name, subnet, reserved, secret, bootstrap, open")]
    [InlineData("time", "ntp", "a b", "is neither a name nor an address")]
    [InlineData("time", "set", "maybe", "is neither yes nor no")]
    [InlineData("pools", "name", "x", "section [pools] is unknown; use node, pool, tap, router, udp, tcp, offload, relay, time, control, dns, metrics, ca")]
    public void A_wrong_value_is_told_with_file_key_and_what_to_do(string section, string key, string value, string expected)
    {
        string lines = string.Join('\n', Least.Split('\n').Where(line => section == "tap" || !line.StartsWith(key + " =", StringComparison.Ordinal)));
        string heading = $"[{section}]";
        string text = lines.Contains(heading + "\n", StringComparison.Ordinal)
            ? lines.Replace(heading + "\n", $"{heading}\n{key} = {value}\n", StringComparison.Ordinal)
            : $"{lines}\n{heading}\n{key} = {value}\n";

        string message = Assert.Throws<ConfigurationException>(() => Read(text)).Message;

        Assert.StartsWith("/etc/x.conf", message, StringComparison.Ordinal);
        Assert.Contains(expected, message, StringComparison.Ordinal);
        Assert.Contains($"[{section}]", message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_secret_is_never_repeated_in_a_message()
    {
        string text = Least.Replace("00112233", "x0112233", StringComparison.Ordinal);
        Assert.DoesNotContain("112233", Assert.Throws<ConfigurationException>(() => Read(text)).Message, StringComparison.Ordinal);
        Assert.DoesNotContain("hush", Assert.Throws<ConfigurationException>(() => Read(Least + "\n[ca]\nticket = :hush\n")).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_contract_lets_a_LAN_have_as_many_hosts_as_the_router_can_serve() => Assert.Equal(RouterOptions.MostHosts, OptionKey.RouterHosts.Most);

    private static DaemonOptions Read(string text) => DaemonOptionsReader.Read(IniFile.Parse("/etc/x.conf", Encoding.UTF8.GetBytes(text)));
}
