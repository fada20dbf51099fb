namespace House.Tests;

/// <summary>
/// Inside a project folders know each other one way, too: a folder may know what this table lets it know, only those before it, and each arrow that nobody
/// needs any more goes. What puts all parts together stands above: Brunet's node, Ipop's virtual network, Ipopd's folder Composition.
/// </summary>
public sealed class FloorTests
{
    /// <summary>Who knows whom, the lowest floor first. A new arrow wants a reason.</summary>
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
            ("Interop", []),
            ("Polling", ["Interop"]),
            ("Memory", ["Interop"]),
            ("Randomness", ["Interop"]),
            ("Ciphers", []),
            ("Systemd", ["Interop"]),
            ("Interfaces", ["Interop", "Polling"]),
            ("Routes", ["Interop", "Interfaces"]),
            ("KernelLog", ["Interop", "Polling"]),
            ("Clocks", ["Interop", "Polling"]),
            ("Udp", ["Interop", "Polling"]),
            ("Tap", ["Interop", "Polling", "Interfaces"]),
            ("Gateways", ["Polling", "Interfaces", "Udp"]),
            ("Handshakes", ["Interop", "Randomness", "Ciphers"]),
            ("Tcp", ["Interop", "Polling", "Udp", "Handshakes"]),
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
            ("Identity", ["Logging", "Configuration", "State"]),
            ("Revocation", ["Logging", "Identity"]),
            ("Managers", ["Logging"]),
            ("Enroll", ["Configuration", "State"]),
            ("NameService", ["Configuration", "Connections"]),
            ("PortMapping", ["Logging", "Configuration", "Control"]),
            ("Metrics", ["Configuration", "Connections", "Control"]),
            ("Composition", ["Logging", "Configuration", "Connections", "Capture", "State", "Bootstrap", "Control", "Clock", "Identity", "Revocation", "Managers", "NameService", "PortMapping", "Metrics"]),
        ],
        ["ca-service/CaService"] =
        [
            ("Store", []),
            ("Authority", ["Store"]),
            ("Layers", ["Store", "Authority"]),
            ("Est", ["Store", "Authority", "Layers"]),
            ("Admin", ["Layers"]),
            ("Commands", ["Store", "Authority", "Layers", "Est", "Admin"]),
        ],
    };

    public static TheoryData<string> Names => [.. Projects.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_folder_knows_only_what_the_table_says(string project) => Rule.NobodyBreaks(
        FolderArrows.Find(project).Where(arrow => !Known(project, arrow.From).Contains(arrow.To)).Select(arrow => $"{arrow.File} knows {arrow.To}"));

    [Theory]
    [MemberData(nameof(Names))]
    public void The_table_has_no_arrow_that_nobody_needs(string project)
    {
        var found = FolderArrows.Find(project).Select(arrow => (arrow.From, arrow.To)).ToHashSet();
        Rule.NobodyBreaks(Projects[project].SelectMany(entry => entry.Knows.Where(to => !found.Contains((entry.Floor, to))).Select(to => $"{entry.Floor} -> {to}")));
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void A_floor_knows_only_those_before_it(string project) => Rule.NobodyBreaks(Projects[project].SelectMany(
        (entry, index) => entry.Knows.Except(Projects[project][..index].Select(before => before.Floor)).Select(to => $"{entry.Floor} -> {to}")));

    [Theory]
    [MemberData(nameof(Names))]
    public void Every_folder_is_a_floor(string project) =>
        Rule.NobodyBreaks(FolderArrows.Sources(project).Select(source => source.Folder).Distinct().Except(Projects[project].Select(entry => entry.Floor)));

    [Fact]
    public void Every_project_with_floors_stands_in_the_table() => Rule.NobodyBreaks(
        Clone.Files.Where(file => file.EndsWith(".csproj", StringComparison.Ordinal) && !file.StartsWith("test/", StringComparison.Ordinal))
            .Select(file => file[..file.LastIndexOf('/')]).Where(project => !Projects.ContainsKey(project) && FolderArrows.Sources(project).Any()));

    private static string[] Known(string project, string floor) => Projects[project].FirstOrDefault(entry => entry.Floor == floor).Knows ?? [];
}
