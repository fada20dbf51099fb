using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>
/// Inside a project folders know each other one way, too: a folder may know what this table lets it know, only those before it, and each arrow that nobody
/// needs any more goes. What puts all parts together stands above: Brunet's node, Ipop's virtual network, Ipopd's folder Composition.
/// </summary>
public sealed class FloorTests
{
    /// <summary>Who knows whom, by the using lines, the lowest floor first. A new arrow wants a reason.</summary>
    private static readonly Dictionary<string, (string Floor, string[] Knows)[]> Projects = new()
    {
        ["ipop/Brunet"] =
        [
            ("Addressing", []),
            ("Wire", ["Addressing"]),
            ("Sessions", ["Addressing", "Wire"]),
            ("Links", ["Addressing", "Wire", "Sessions"]),
            ("Handshakes", ["Addressing", "Wire", "Sessions", "Links"]),
            ("Relay", ["Addressing", "Wire", "Sessions", "Links", "Handshakes"]),
            ("Ring", ["Addressing", "Wire", "Sessions", "Links", "Handshakes", "Relay"]),
            ("Nat", ["Addressing", "Wire", "Sessions", "Links", "Ring"]),
            ("Dht", ["Addressing", "Wire", "Sessions", "Links", "Handshakes", "Ring"]),
            ("Notices", ["Addressing", "Wire", "Sessions", "Links", "Ring"]),
            ("Diagnosis", ["Addressing", "Wire", "Sessions", "Links", "Handshakes", "Ring"]),
            ("Clocks", ["Addressing", "Wire", "Sessions", "Links"]),
        ],
        ["ipop/Ipop"] =
        [
            ("Ethernet", []),
            ("Offload", ["Ethernet"]),
            ("Icmp", ["Ethernet"]),
            ("Clock", []),
            ("Arp", []),
            ("Addresses", []),
            ("Dns", ["Ethernet", "Addresses"]),
            ("Dhcp", ["Ethernet", "Addresses", "Dns"]),
            ("Router", ["Ethernet", "Arp", "Addresses", "Dhcp"]),
            ("Packets", ["Ethernet", "Offload", "Icmp", "Arp", "Addresses", "Dhcp", "Router"]),
        ],
        ["ipop/Ipop.Linux"] =
        [
            ("Polling", []),
            ("Memory", []),
            ("Randomness", []),
            ("Ciphers", []),
            ("Systemd", []),
            ("Interfaces", ["Polling"]),
            ("Routes", ["Interfaces"]),
            ("KernelLog", ["Polling"]),
            ("Clocks", ["Polling"]),
            ("Udp", ["Polling"]),
            ("Tap", ["Polling", "Interfaces"]),
            ("Gateways", ["Polling", "Interfaces", "Udp"]),
            ("Handshakes", ["Randomness", "Ciphers"]),
            ("Interop", ["Handshakes"]),
            ("Tcp", ["Polling", "Udp", "Handshakes"]),
        ],
        ["ipop/Ipopd"] =
        [
            ("Logging", []),
            ("Configuration", []),
            ("Connections", []),
            ("Capture", []),
            ("State", ["Logging", "Configuration"]),
            ("Bootstrap", ["Logging", "Configuration"]),
            ("Control", ["Configuration", "Connections"]),
            ("Clock", ["Logging", "Configuration", "Control"]),
            ("Identity", ["Configuration", "State"]),
            ("Revocation", ["Logging", "Identity"]),
            ("Managers", ["Logging"]),
            ("Enroll", ["Configuration", "State"]),
            ("NameService", ["Configuration", "Connections"]),
            ("PortMapping", ["Logging", "Configuration", "Control"]),
            ("Metrics", ["Configuration", "Connections", "Control"]),
            ("Composition", ["Logging", "Configuration", "Capture", "State", "Bootstrap", "Control", "Clock", "Identity", "Revocation", "Managers", "NameService", "PortMapping", "Metrics"]),
        ],
        ["ca-service/CaService"] =
        [
            ("Store", []),
            ("Authority", []),
            ("Est", []),
            ("Commands", ["Est"]),
        ],
    };

    public static TheoryData<string> Names => [.. Projects.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_folder_knows_only_what_the_table_says(string project) => Rule.NobodyBreaks(
        Found(project).Where(arrow => !Known(project, arrow.From).Contains(arrow.To)).Select(arrow => $"{arrow.File} knows {arrow.To}"));

    [Theory]
    [MemberData(nameof(Names))]
    public void The_table_has_no_arrow_that_nobody_needs(string project)
    {
        var found = Found(project).Select(arrow => (arrow.From, arrow.To)).ToHashSet();
        Rule.NobodyBreaks(Projects[project].SelectMany(entry => entry.Knows.Where(to => !found.Contains((entry.Floor, to))).Select(to => $"{entry.Floor} -> {to}")));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_floor_knows_only_those_before_it(string project) => Rule.NobodyBreaks(Projects[project].SelectMany(
        (entry, index) => entry.Knows.Except(Projects[project][..index].Select(before => before.Floor)).Select(to => $"{entry.Floor} -> {to}")));

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_folder_is_a_floor(string project) =>
        Rule.NobodyBreaks(Sources(project).Select(source => source.Folder).Distinct().Except(Projects[project].Select(entry => entry.Floor)));

    [Fact]
    public void Every_project_with_floors_stands_in_the_table() => Rule.NobodyBreaks(
        Clone.Files.Where(file => file.EndsWith(".csproj", StringComparison.Ordinal) && !file.StartsWith("test/", StringComparison.Ordinal))
            .Select(file => file[..file.LastIndexOf('/')]).Where(project => !Projects.ContainsKey(project) && Sources(project).Any()));

    private static string[] Known(string project, string floor) => Projects[project].FirstOrDefault(entry => entry.Floor == floor).Knows ?? [];

    /// <summary>The source files that stand in folders of a project.</summary>
    private static IEnumerable<(string File, string Folder)> Sources(string project) =>
        from file in Clone.Files
        where file.StartsWith(project + "/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal)
        let path = file[(project.Length + 1)..].Split('/')
        where path.Length > 1 && path[0] != "Properties"
        select (file, path[0]);

    private static IEnumerable<(string File, string From, string To)> Found(string project)
    {
        string name = Regex.Escape(project[(project.LastIndexOf('/') + 1)..]);
        return from source in Sources(project)
               from Match line in Regex.Matches(Clone.Read(source.File), $@"^using {name}\.([A-Z]\w*)(?:\.\w+)*;", RegexOptions.Multiline)
               where line.Groups[1].Value != source.Folder
               select (source.File, source.Folder, line.Groups[1].Value);
    }
}
