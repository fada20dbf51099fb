using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using Ipop.Dhcp;

namespace Ipopd.Configuration;

/// <summary>
/// Makes <see cref="DaemonOptions"/> of a file, by a method for each kind of value in the contract. Each message says what is wrong where, and what would be
/// right.
/// </summary>
internal sealed class DaemonOptionsReader
{
    /// <summary>Longest path of the control socket: unix(7)'s 108 bytes without the zero at their end, and without what its name ends with until it is ready.</summary>
    private const int LongestSocketPath = 107 - 4;

    private readonly IniFile _file;

    private DaemonOptionsReader(IniFile file) => _file = file;

    /// <summary>Reads and checks a file.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static DaemonOptions Load(string path) => Read(IniFile.Load(path));

    /// <summary>Checks a file's entries. What is wrong with router mode shows even while that is off, not on the day that it is switched on.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static DaemonOptions Read(IniFile file)
    {
        var reader = new DaemonOptionsReader(file);
        reader.RefuseUnknownKeys();
        var options = DaemonOptions.From(reader, file.Path);
        return options is { RouterLan: true, PoolOpen: false }
            ? throw reader.Wrong(
                OptionKey.RouterLan, "yes",
                $"needs {OptionKey.PoolOpen} = yes: in a pool with a CA a certificate grants one address to one machine, so nobody would believe the hosts of a LAN; set it to no, "
                + "and let each of the hosts join by itself")
            : options;
    }

    private void RefuseUnknownKeys()
    {
        foreach (IniFile.Heading heading in _file.Sections)
        {
            if (!IsKnown(heading.Section))
            {
                throw new ConfigurationException(
                    $"{_file.Path}:{heading.Line}: section [{heading.Section}] is unknown; use {Listed(OptionKey.All.Select(known => known.Section).Distinct())}");
            }
        }

        foreach (IniFile.Entry entry in _file.Keys)
        {
            if (!IsKnown(entry.Section, entry.Key))
            {
                throw Unknown(entry);
            }
        }
    }

    /// <summary>Whether there is such a section or, if a key is named, such a key in it.</summary>
    private static bool IsKnown(string section, string? key = null)
    {
        foreach (OptionKey known in OptionKey.All)
        {
            if (known.Section == section && (key is null || known.Name == key))
            {
                return true;
            }
        }

        return false;
    }

    private ConfigurationException Unknown(IniFile.Entry entry)
    {
        IEnumerable<string> siblings = OptionKey.All.Where(known => known.Section == entry.Section).Select(known => known.Name);
        return new ConfigurationException($"{_file.Path}:{entry.Line}: [{entry.Section}] {entry.Key} is unknown; [{entry.Section}] has {Listed(siblings)}");
    }

    private static string Listed(IEnumerable<string> names) => string.Join(", ", names);

    private string Value(OptionKey key)
    {
        string? value = _file.Find(key.Section, key.Name)?.Value;
        return (string.IsNullOrEmpty(value) ? key.Default : value)
            ?? throw new ConfigurationException($"{_file.Path}: {key} is missing; add it as the example ipopd.conf shows");
    }

    private ConfigurationException Wrong(OptionKey key, string value, string what) => new($"{Where(key)}: {key} = {value} {what}");

    /// <summary>What is wrong with a value that is a secret, so that no log and no console shows it.</summary>
    private ConfigurationException WrongSecret(OptionKey key, string what) => new($"{Where(key)}: {key} {what}");

    private string Where(OptionKey key) => _file.Find(key.Section, key.Name) is { } entry ? $"{_file.Path}:{entry.Line}" : _file.Path;

    private string[] Words(OptionKey key) => Value(key).Split([' ', '\t'], StringSplitOptions.RemoveEmptyEntries);

    internal bool YesOrNo(OptionKey key)
    {
        string value = Value(key);
        return value switch
        {
            "yes" => true,
            "no" => false,
            _ => throw Wrong(key, value, "is neither yes nor no"),
        };
    }

    internal ushort Number(OptionKey key)
    {
        string value = Value(key);
        return Digits.TryRead(value, ushort.MaxValue, out ulong number) && (ushort)number >= key.Least && (ushort)number <= key.Most
            ? (ushort)number
            : throw Wrong(key, value, $"is not a number from {key.Least} to {key.Most}");
    }

    internal string? AbsolutePath(OptionKey key)
    {
        string value = Value(key);
        return value.Length == 0 ? null : value[0] == '/' ? value : throw Wrong(key, value, "is not an absolute path; begin it with /");
    }

    internal string SocketPath(OptionKey key)
    {
        string path = AbsolutePath(key)!;
        return System.Text.Encoding.UTF8.GetByteCount(path) <= LongestSocketPath
            ? path
            : throw Wrong(key, path, $"is longer than the {LongestSocketPath} bytes that the path of a control socket may have; choose a shorter one");
    }

    internal string? Label(OptionKey key)
    {
        string value = Value(key);
        return value.Length == 0 ? null
            : HostLabel.IsLegal(value) ? value
            : throw Wrong(key, value, "is no DNS label; use 1 to 63 of a-z, 0-9 and inner hyphens, without dots");
    }

    internal string? Host(OptionKey key)
    {
        string value = Value(key);
        return value.Length == 0 ? null
            : Uri.CheckHostName(value) is UriHostNameType.Dns or UriHostNameType.IPv4 or UriHostNameType.IPv6 ? value
            : throw Wrong(key, value, "is neither a name nor an address; name one server, without port");
    }

    internal string Interface(OptionKey key)
    {
        string value = Value(key);
        bool isLegal = value.Length <= 15 && value is not "." and not ".." && value.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.');
        return isLegal ? value : throw Wrong(key, value, "is no name for an interface; use 1 to 15 letters, digits, - _ .");
    }

    internal Subnet Subnet(OptionKey key)
    {
        string value = Value(key);
        if (!PoolRules.Subnet.TryParse(value, out Subnet subnet))
        {
            throw Wrong(key, value, "is not an IPv4 prefix of /8 to /28 without host bits; write it like 10.128.0.0/16");
        }

        return subnet.KeptFor() is { } use ? throw Wrong(key, value, $"is kept for {use}; choose one like 10.128.0.0/16") : subnet;
    }

    internal ReservedRanges Ranges(OptionKey key)
    {
        Subnet subnet = Subnet(OptionKey.PoolSubnet);
        return ReservedRanges.TryParse(subnet, Value(key), out ReservedRanges? reserved, out RangeFault? fault, out string part)
            ? reserved
            : throw Wrong(key, part, fault switch
            {
                RangeFault.NoRange => "is not FIRST-LAST; write ranges like 10.128.0.1-10.128.3.255, commas between",
                RangeFault.Backwards => "ends before it begins; write the lower address first",
                RangeFault.Outside => $"is not inside {OptionKey.PoolSubnet} = {subnet}; reserve addresses of that alone",
                _ => $"leaves no address of {subnet} to anybody; reserve less",
            });
    }

    internal byte[] Secret(OptionKey key)
    {
        string value = Value(key);
        byte[] secret = new byte[32];
        return value.Length == 64
            && Convert.FromHexString(value, secret, out _, out int written) == System.Buffers.OperationStatus.Done
            && written == secret.Length
            ? secret
            : throw WrongSecret(key, "is not 64 hexadecimal digits; make one with `openssl rand -hex 32`, the same on all nodes");
    }

    internal string? Ticket(OptionKey key)
    {
        string value = Value(key);
        return value.Length == 0 ? null
            : PoolRules.Ticket.IsLegal(value) ? value
            : throw WrongSecret(key, "is not ID:SECRET; copy it as `wow-ca ticket` printed it");
    }

    internal List<BootstrapEntry> Bootstrap(OptionKey key)
    {
        var entries = new List<BootstrapEntry>();
        foreach (string text in Words(key))
        {
            entries.Add(BootstrapEntry.TryParse(text, out BootstrapEntry? entry)
                ? entry
                : throw Wrong(key, text, "is not udp:HOST:PORT; an IPv6 address stands in brackets, as in udp:[2001:db8::1]:4433"));
        }

        return entries;
    }

    internal List<LanRoute> Routes(OptionKey key)
    {
        Subnet subnet = Subnet(OptionKey.PoolSubnet);
        var routes = new List<LanRoute>();
        foreach (string text in Value(key) is { Length: > 0 } value ? value.Split(',', StringSplitOptions.TrimEntries) : [])
        {
            if (!LanRoute.TryParse(text, out LanRoute route))
            {
                throw Wrong(
                    key, text, "is not NETWORK/BITS via ADDRESS, of 1 to 32 bits and none beyond them; write routes like 192.168.50.0/24 via 10.128.3.4, commas between");
            }

            if (!subnet.IsHost(route.Via))
            {
                throw Wrong(key, text, $"leads by way of no host of {OptionKey.PoolSubnet} = {subnet}; name a machine of the LAN");
            }

            if (route.Overlaps(subnet))
            {
                throw Wrong(key, text, $"takes addresses of {OptionKey.PoolSubnet} = {subnet} elsewhere; name other networks");
            }

            routes.Add(route);
        }

        return routes.Count <= LanRoute.Most ? routes : throw Wrong(key, Value(key), $"has more than {LanRoute.Most} routes; leave some out");
    }

    internal List<ushort>? Ports(OptionKey key)
    {
        string value = Value(key);
        if (value is "auto" or "none")
        {
            return value == "auto" ? null : [];
        }

        var ports = new List<ushort>();
        foreach (string text in Words(key))
        {
            ports.Add(Digits.TryRead(text, ushort.MaxValue, out ulong port) && port > 0 && !ports.Contains((ushort)port)
                ? (ushort)port
                : throw Wrong(key, value, "is neither auto, none nor a list of different ports; write it like 4433 443"));
        }

        return ports;
    }

    internal IPEndPoint? Loopback(OptionKey key)
    {
        string value = Value(key);
        if (value.Length == 0)
        {
            return null;
        }

        // 0 stands for a port that was left out.
        if (!IPEndPoint.TryParse(value, out IPEndPoint? endpoint) || endpoint.Port == 0)
        {
            throw Wrong(key, value, "is not ADDRESS:PORT; write it like 127.0.0.1:9433, or leave it empty");
        }

        return IPAddress.IsLoopback(endpoint.Address)
            ? endpoint
            : throw Wrong(
                key, value, "is not a loopback address: metrics name every peer and are for this machine alone; write it like 127.0.0.1:9433 or [::1]:9433");
    }

    internal TransportAddress? Listen(OptionKey key)
    {
        string value = Value(key);
        if (value.Length == 0)
        {
            return null;
        }

        return IPEndPoint.TryParse(value, out IPEndPoint? endpoint) && endpoint.AddressFamily == AddressFamily.InterNetwork && endpoint.Port != 0
            ? TransportAddress.From(endpoint)
            : throw Wrong(key, value, "is not ADDRESS:PORT with an IPv4 address; write it like 127.0.0.54:5354, or leave it empty");
    }
}
