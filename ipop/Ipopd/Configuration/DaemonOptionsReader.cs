using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using CertificateProfile;
using Ipop;
using Ipop.Addresses;
using Ipop.Dhcp;
using Ipop.Router;

namespace Ipopd.Configuration;

/// <summary>Makes <see cref="DaemonOptions"/> of a file. Each message says what is wrong where, and what would be right.</summary>
internal sealed class DaemonOptionsReader
{
    /// <summary>Narrowest MTU that IPv4 hosts must take (RFC 791), widest that may be taken for safe, and widest that a frame holds.</summary>
    private const ushort SmallestMtu = 576, LargestSafeMtu = 1500, LargestMtu = 9000;

    /// <summary>Longest path of the control socket: unix(7)'s 108 bytes without the zero at their end, and without what its name ends with until it is ready.</summary>
    private const int LongestSocketPath = 107 - 4;

    private readonly IniFile _file;

    private DaemonOptionsReader(IniFile file) => _file = file;

    /// <summary>Reads and checks a file.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static DaemonOptions Load(string path) => Read(IniFile.Load(path));

    /// <summary>Checks a file's entries.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static DaemonOptions Read(IniFile file)
    {
        var reader = new DaemonOptionsReader(file);
        reader.RefuseUnknownKeys();
        return new DaemonOptions
        {
            File = file.Path,
            State = reader.AbsolutePath(OptionKey.State)!,
            Host = reader.HostName(),
            Pool = reader.PoolName(),
            Subnet = reader.PoolSubnet(),
            Reserved = reader.Reserved(),
            Secret = reader.Secret(),
            Bootstrap = reader.Bootstrap(),
            IsOpen = reader.YesOrNo(OptionKey.Open),
            TapName = reader.TapName(),
            TapMtu = reader.Number(OptionKey.TapMtu, SmallestMtu, LargestSafeMtu),
            LargestMtu = reader.Number(OptionKey.LargestMtu, SmallestMtu, LargestMtu),
            Capture = reader.AbsolutePath(OptionKey.Capture),
            Router = reader.Router(),
            UdpPort = reader.Number(OptionKey.UdpPort, 0, ushort.MaxValue),
            PortMapping = reader.YesOrNo(OptionKey.PortMapping),
            HasMulticast = reader.YesOrNo(OptionKey.Multicast),
            TcpPorts = reader.TcpPorts(),
            Offload = new OffloadOptions(
                reader.YesOrNo(OptionKey.TcpSegmentation),
                reader.YesOrNo(OptionKey.UdpSegmentation),
                reader.YesOrNo(OptionKey.UdpRuns),
                reader.YesOrNo(OptionKey.UdpGro),
                reader.YesOrNo(OptionKey.LibraryCipher),
                reader.YesOrNo(OptionKey.Esp),
                reader.YesOrNo(OptionKey.Priority),
                reader.YesOrNo(OptionKey.Moderation)),
            RelayRate = reader.Number(OptionKey.RelayRate, 0, ushort.MaxValue),
            SetsClock = reader.YesOrNo(OptionKey.SetsClock),
            TimeServer = reader.TimeServer(),
            ControlSocket = reader.SocketPath(),
            DnsListen = reader.DnsListen(),
            MetricsListen = reader.MetricsListen(),
            CaPort = reader.Number(OptionKey.CaPort, 1, ushort.MaxValue),
            PossessionPort = reader.Number(OptionKey.PossessionPort, 1, ushort.MaxValue),
            Ticket = reader.Ticket(),
        };
    }

    private void RefuseUnknownKeys()
    {
        foreach (IniFile.Entry entry in _file.Keys)
        {
            if (!IsKnown(entry))
            {
                throw Unknown(entry);
            }
        }
    }

    private static bool IsKnown(IniFile.Entry entry)
    {
        foreach (OptionKey known in OptionKey.All)
        {
            if (known.Section == entry.Section && known.Name == entry.Key)
            {
                return true;
            }
        }

        return false;
    }

    private ConfigurationException Unknown(IniFile.Entry entry)
    {
        var siblings = OptionKey.All.Where(known => known.Section == entry.Section).Select(known => known.Name).ToList();
        return new ConfigurationException(
            siblings.Count == 0
                ? $"{_file.Path}:{entry.Line}: section [{entry.Section}] is unknown; use {Listed(OptionKey.All.Select(known => known.Section).Distinct())}"
                : $"{_file.Path}:{entry.Line}: [{entry.Section}] {entry.Key} is unknown; [{entry.Section}] has {Listed(siblings)}");
    }

    private static string Listed(IEnumerable<string> names) => string.Join(", ", names);

    private string Value(OptionKey key)
    {
        string? value = _file.Find(key.Section, key.Name)?.Value;
        return (string.IsNullOrEmpty(value) ? key.Default : value)
            ?? throw new ConfigurationException($"{_file.Path}: {key} is missing; add it as the example ipopd.conf shows");
    }

    private ConfigurationException Wrong(OptionKey key, string value, string what) =>
        new($"{Where(key)}: {key} = {value} {what}");

    private string Where(OptionKey key) =>
        _file.Find(key.Section, key.Name) is { } entry ? $"{_file.Path}:{entry.Line}" : _file.Path;

    private string? AbsolutePath(OptionKey key)
    {
        string value = Value(key);
        return value.Length == 0 ? null : value[0] == '/' ? value : throw Wrong(key, value, "is not an absolute path; begin it with /");
    }

    private string SocketPath()
    {
        string path = AbsolutePath(OptionKey.ControlSocket)!;
        return System.Text.Encoding.UTF8.GetByteCount(path) <= LongestSocketPath
            ? path
            : throw Wrong(OptionKey.ControlSocket, path, $"is longer than the {LongestSocketPath} bytes that the path of a control socket may have; choose a shorter one");
    }

    private string? TimeServer()
    {
        string value = Value(OptionKey.TimeServer);
        return value.Length == 0 ? null
            : Uri.CheckHostName(value) is UriHostNameType.Dns or UriHostNameType.IPv4 or UriHostNameType.IPv6 ? value
            : throw Wrong(OptionKey.TimeServer, value, "is neither a name nor an address; name one server that speaks NTP, without port");
    }

    private string HostName()
    {
        string value = Value(OptionKey.Host);
        return value.Length == 0 || HostLabel.IsLegal(value)
            ? value
            : throw Wrong(OptionKey.Host, value, "is no host name; use one label of a-z, 0-9 and hyphen, without dots");
    }

    private string PoolName()
    {
        string value = Value(OptionKey.Pool);
        return HostLabel.IsLegal(value)
            ? value
            : throw Wrong(OptionKey.Pool, value, "is no name for a pool; use 1 to 63 of a-z, 0-9 and hyphen");
    }

    private Subnet PoolSubnet()
    {
        string value = Value(OptionKey.PoolSubnet);
        return Subnet.TryParse(value, out Subnet subnet)
            ? subnet
            : throw Wrong(OptionKey.PoolSubnet, value, "is not an IPv4 prefix of /8 to /28 without host bits; write it like 10.128.0.0/16");
    }

    private ReservedRanges Reserved()
    {
        Subnet subnet = PoolSubnet();
        var ranges = new List<AddressRange>();
        foreach (string text in List(OptionKey.PoolReserved))
        {
            if (!AddressRange.TryParse(text, out AddressRange range))
            {
                throw Wrong(OptionKey.PoolReserved, text, "is not FIRST-LAST; write ranges like 10.128.0.1-10.128.3.255, commas between");
            }

            if (range.First > range.Last)
            {
                throw Wrong(OptionKey.PoolReserved, text, "ends before it begins; write the lower address first");
            }

            if (!subnet.Contains(range.First) || !subnet.Contains(range.Last))
            {
                throw Wrong(OptionKey.PoolReserved, text, $"is not inside {OptionKey.PoolSubnet} = {subnet}; reserve addresses of that alone");
            }

            ranges.Add(range);
        }

        var reserved = new ReservedRanges(ranges);
        return reserved.Exhaust(subnet) ? throw Wrong(OptionKey.PoolReserved, Value(OptionKey.PoolReserved), $"leaves no address of {subnet} to anybody; reserve less") : reserved;
    }

    private byte[] Secret()
    {
        string value = Value(OptionKey.Secret);
        byte[] secret = new byte[32];
        return value.Length == 64
            && Convert.FromHexString(value, secret, out _, out int written) == System.Buffers.OperationStatus.Done
            && written == secret.Length
            ? secret
            : throw new ConfigurationException(
                $"{Where(OptionKey.Secret)}: {OptionKey.Secret} is not 64 hexadecimal digits; make one with `openssl rand -hex 32`, the same on all nodes");
    }

    private List<BootstrapEntry> Bootstrap()
    {
        var entries = new List<BootstrapEntry>();
        foreach (string text in Value(OptionKey.Bootstrap).Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries))
        {
            entries.Add(BootstrapEntry.TryParse(text, out BootstrapEntry? entry)
                ? entry
                : throw Wrong(OptionKey.Bootstrap, text, "is not udp:HOST:PORT; an IPv6 address stands in brackets, as in udp:[2001:db8::1]:4433"));
        }

        return entries;
    }

    private bool YesOrNo(OptionKey key)
    {
        string value = Value(key);
        return value switch
        {
            "yes" => true,
            "no" => false,
            _ => throw Wrong(key, value, "is neither yes nor no"),
        };
    }

    private RouterOptions? Router()
    {
        // Looked at in any case: what is wrong shall not show on the day that router mode is switched on.
        var router = new RouterOptions
        {
            Hosts = Number(OptionKey.LanHosts, 1, RouterOptions.MostHosts),
            HasRelays = YesOrNo(OptionKey.LanRelay),
            Routes = LanRoutes(),
        };
        if (!YesOrNo(OptionKey.Lan))
        {
            return null;
        }

        return YesOrNo(OptionKey.Open)
            ? router
            : throw Wrong(
                OptionKey.Lan, "yes",
                $"needs {OptionKey.Open} = yes: in a pool with a CA a certificate grants one address to one machine, so nobody would believe the hosts of a LAN; set it to no, "
                + "and let each of the hosts join by itself");
    }

    private List<LanRoute> LanRoutes()
    {
        Subnet subnet = PoolSubnet();
        var routes = new List<LanRoute>();
        foreach (string text in List(OptionKey.LanRoutes))
        {
            if (!LanRoute.TryParse(text, out LanRoute route))
            {
                throw Wrong(
                    OptionKey.LanRoutes, text,
                    "is not NETWORK/BITS via ADDRESS, of 1 to 32 bits and none beyond them; write routes like 192.168.50.0/24 via 10.128.3.4, commas between");
            }

            if (!subnet.IsHost(route.Via))
            {
                throw Wrong(OptionKey.LanRoutes, text, $"leads by way of no host of {OptionKey.PoolSubnet} = {subnet}; name a machine of the LAN");
            }

            if (route.Overlaps(subnet))
            {
                throw Wrong(OptionKey.LanRoutes, text, $"takes addresses of {OptionKey.PoolSubnet} = {subnet} elsewhere; name other networks");
            }

            routes.Add(route);
        }

        return routes.Count <= LanRoute.Most ? routes : throw Wrong(OptionKey.LanRoutes, Value(OptionKey.LanRoutes), $"has more than {LanRoute.Most} routes; leave some out");
    }

    private string[] List(OptionKey key) => Value(key) is { Length: > 0 } value ? value.Split(',', StringSplitOptions.TrimEntries) : [];

    private string TapName()
    {
        string value = Value(OptionKey.TapName);
        bool isLegal = value.Length <= 15 && value is not "." and not ".." && value.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.');
        return isLegal ? value : throw Wrong(OptionKey.TapName, value, "is no name for an interface; use 1 to 15 letters, digits, - _ .");
    }

    private ushort Number(OptionKey key, ushort least, ushort most)
    {
        string value = Value(key);
        return ushort.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number) && number >= least && number <= most
            ? number
            : throw Wrong(key, value, $"is not a number from {least} to {most}");
    }

    private List<ushort>? TcpPorts()
    {
        string value = Value(OptionKey.TcpPorts);
        if (value is "auto" or "none")
        {
            return value == "auto" ? null : [];
        }

        var ports = new List<ushort>();
        foreach (string text in value.Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries))
        {
            ports.Add(ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort port) && port > 0 && !ports.Contains(port)
                ? port
                : throw Wrong(OptionKey.TcpPorts, value, "is neither auto, none nor a list of different ports; write it like 4433 443"));
        }

        return ports;
    }

    private IPEndPoint? MetricsListen()
    {
        string value = Value(OptionKey.MetricsListen);
        if (value.Length == 0)
        {
            return null;
        }

        // 0 stands for a port that was left out.
        if (!IPEndPoint.TryParse(value, out IPEndPoint? endpoint) || endpoint.Port == 0)
        {
            throw Wrong(OptionKey.MetricsListen, value, "is not ADDRESS:PORT; write it like 127.0.0.1:9433, or leave it empty");
        }

        return IPAddress.IsLoopback(endpoint.Address)
            ? endpoint
            : throw Wrong(
                OptionKey.MetricsListen, value,
                "is not a loopback address: metrics name every peer and are for this machine alone; write it like 127.0.0.1:9433 or [::1]:9433");
    }

    private TransportAddress? DnsListen()
    {
        string value = Value(OptionKey.DnsListen);
        if (value.Length == 0)
        {
            return null;
        }

        return IPEndPoint.TryParse(value, out IPEndPoint? endpoint) && endpoint.AddressFamily == AddressFamily.InterNetwork && endpoint.Port != 0
            ? TransportAddress.From(endpoint)
            : throw Wrong(OptionKey.DnsListen, value, "is not ADDRESS:PORT with an IPv4 address; write it like 127.0.0.54:5354, or leave it empty");
    }

    private string? Ticket()
    {
        string value = Value(OptionKey.Ticket);
        return value.Length == 0 ? null
            : TicketForm.IsKept(value) ? value
            : throw new ConfigurationException(
                $"{Where(OptionKey.Ticket)}: {OptionKey.Ticket} is not ID:SECRET; copy it as `wow-ca ticket` printed it");
    }
}
