using System.Text;
using Fuzz.Mutation;
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

    public override string Name => "configuration";

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
            Oracle.That(options.Secret.Length == 32 && options.State[0] == '/', "what was read keeps the documented limits");
            Oracle.That(options.Subnet == Ipop.Subnet.Parse(options.Subnet.ToString()), "a subnet that was read and written again is read as the same");
            foreach (BootstrapEntry entry in options.Bootstrap)
            {
                Oracle.That(BootstrapEntry.TryParse(entry.ToString(), out BootstrapEntry? again) && again == entry, "an entry that was read and written again is read as the same");
            }

            return options.Bootstrap.Count;
        }
        catch (ConfigurationException refusal)
        {
            Oracle.That(refusal.Message.StartsWith(Path, StringComparison.Ordinal), "a refusal names the file");
            return Stable.Hash(refusal.Message.AsSpan(Math.Max(0, refusal.Message.Length - 30)));
        }
    }
}
