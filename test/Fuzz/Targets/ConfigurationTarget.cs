using System.Text;
using Fuzz.Mutation;
using Ipop.Dhcp;
using Ipopd.Configuration;

namespace Fuzz.Targets;

/// <summary>The daemon's configuration file: whatever stands there, it is read, or refused in words that name the file.</summary>
internal sealed class ConfigurationTarget : FuzzTarget
{
    private const string Path = "/etc/ipopd.conf";

    private const string Full =
        """
        # A pool
        [node]
        state = /var/lib/wow
        host = alpha
        [pool]
        name = demo
        subnet = 10.128.0.0/16
        reserved = 10.128.0.1-10.128.3.255, 10.128.255.0-10.128.255.255
        secret = 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        bootstrap = udp:pool.example.org:4433 udp:[2001:db8::1]:4433 udp:192.0.2.1:4433
        open = no
        [tap]
        name = wow0
        mtu = 1280
        capture = /tmp/wow0.pcap
        [udp]
        port = 4433
        [control]
        socket = /run/wow/ipopd.sock
        [dns]
        listen = 127.0.0.54:5354
        [metrics]
        listen = 127.0.0.1:9433
        [ca]
        port = 8443
        possession-port = 8444
        ticket = ab12:0123456789

        """;

    /// <summary>An open pool's router: what a certified pool's machine can't be.</summary>
    private const string Router =
        """
        [node]
        state = /s
        [pool]
        name = a
        subnet = 10.128.0.0/16
        secret = 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
        open = yes
        [tcp]
        ports = 4433 443
        [router]
        lan = yes
        hosts = 3
        relay = yes
        routes = 192.168.50.0/24 via 10.128.3.4, 192.168.51.0/24 via 10.128.3.5
        [control]
        socket = /c

        """;

    public override string Name => "configuration";

    /// <summary>More routes than a machine takes, but for the first one's network.</summary>
    private static string Routes => string.Concat(Enumerable.Range(1, LanRoute.Most).Select(i => $"172.16.{i}.0/24 via 10.128.3.4, ")) + "192.168.51.0/24";

    public override long MostAllocated => 8 << 20;

    public override int LongestInput => 70_000;

    public override IMutator Mutator { get; } = new TextMutator(
    [
        "[node]", "[pool]", "[tap]", "[udp]", "[control]", "[dns]", "[metrics]", "[ca]", "[]", "[", "]", "=", "#", ";", "state", "host", "name", "subnet", "reserved", "10.0.0.1-10.0.0.2", ",", "secret", "bootstrap", "open",
        "mtu", "capture", "port", "socket", "listen", "ticket", "yes", "no", "/", "udp:", "udp:[]:1", "udp:[::ffff:1.2.3.4]:1", "udp:a:0", "udp:a:65535", "10.0.0.0/8",
        "10.0.0.0/28", "10.0.0.1/16", "255.255.255.255/28", "127.0.0.1:53", "[::1]:9433", "127.1:53", "::1", "127.0.0.1", ":", "a:b", "é", "\u2028",
    ]);

    public override IEnumerable<Sample> Samples()
    {
        yield return new("full", Encoding.UTF8.GetBytes(Full));
        yield return new("least", "[node]\nstate=/s\n[pool]\nname=a\nsubnet=10.0.0.0/8\nsecret=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n[control]\nsocket=/c\n"u8.ToArray());
        yield return new("router", Encoding.UTF8.GetBytes(Router));
        foreach ((string name, string from, string to) in new[]
        {
            ("router-certified", "open = yes", "open = no"), ("router-route", "/24 via", "/24 by"), ("router-way", "via 10.128.3.4", "via 10.129.3.4"),
            ("router-overlap", "192.168.50.0/24", "10.128.0.0/24"), ("router-maybe", "relay = yes", "relay = maybe"), ("tcp-none", "4433 443", "none"),
            ("tcp-twice", "4433 443", "443 443"), ("tcp-auto", "4433 443", "auto"), ("hosts", "hosts = 3", "hosts = 0"), ("route-too-many", "192.168.51.0/24", Routes),
            ("socket", "/c", "/" + new string('c', 120)), ("file-mtu", "[control]", "[tap]\nname = wow/0\nmtu = 9\n[control]"),
        })
        {
            yield return new(name, Encoding.UTF8.GetBytes(Router.Replace(from, to, StringComparison.Ordinal)));
        }

        yield return new("bracket", "[\n"u8.ToArray());
        yield return new("no-section", "a = b\n"u8.ToArray());
        yield return new("empty", "\n"u8.ToArray());
        yield return new("not-utf-8", [0xff, 0xfe, 0, 10]);
    }

    public override int Run(byte[] input)
    {
        try
        {
            DaemonOptions options = DaemonOptionsReader.Read(IniFile.Parse(Path, input));
            Oracle.That(options.PoolSecret.Length == 32 && options.NodeState[0] == '/', "what was read keeps the documented limits");
            Oracle.That(options.PoolSubnet == Subnet.Parse(options.PoolSubnet.ToString()), "a subnet that was read and written again is read as the same");
            foreach (BootstrapEntry entry in options.PoolBootstrap)
            {
                Oracle.That(BootstrapEntry.TryParse(entry.ToString(), out BootstrapEntry? again) && again == entry, "an entry that was read and written again is read as the same");
            }

            return options.PoolBootstrap.Count;
        }
        catch (ConfigurationException refusal)
        {
            Oracle.That(refusal.Message.StartsWith(Path, StringComparison.Ordinal), "a refusal names the file");
            return Stable.Hash(refusal.Message.AsSpan(Math.Max(0, refusal.Message.Length - 30)));
        }
    }
}
