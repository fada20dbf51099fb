using System.Xml.Linq;

namespace House.Tests;

/// <summary>References run one way, as docs/architecture.md says.</summary>
public sealed class ReferenceTests
{
    /// <summary>The arrows of docs/architecture.md. A new project needs a line there and here.</summary>
    private static readonly Dictionary<string, string[]> Arrows = new()
    {
        ["Brunet"] = [],
        ["PoolRules"] = [],
        ["Ipop"] = ["Brunet", "PoolRules"],
        ["Ipop.Linux"] = ["Ipop"],
        ["Ipopd"] = ["Ipop.Linux", "CertificateProfile"],
        ["CertificateProfile"] = ["PoolRules"],
        ["CaService"] = ["CertificateProfile"],
    };

    public static TheoryData<string> ShippedProjects => [.. ProjectFile.All.Where(project => project.IsShipped).Select(project => project.Name)];

    [Theory]
    [MemberData(nameof(ShippedProjects))]
    public void A_project_refers_only_to_what_the_architecture_allows(string name)
    {
        Assert.True(Arrows.ContainsKey(name), $"{name} is new: add it to docs/architecture.md and to Arrows in this file.");
        Rule.NobodyBreaks(ProjectFile.Named(name).References.Except(Arrows[name]));
    }

    [Fact]
    public void Every_room_of_the_architecture_has_its_project() =>
        Rule.NobodyBreaks(Arrows.Keys.Except(ProjectFile.All.Select(project => project.Name)));

    [Fact]
    public void The_certificate_authority_does_not_know_the_overlay() =>
        Rule.NobodyBreaks(ProjectFile.All
            .Where(project => project.Path.StartsWith("ca-service/", StringComparison.Ordinal))
            .Where(project => project.Xml.ToString().Contains("ipop", StringComparison.OrdinalIgnoreCase))
            .Select(project => project.Path));

    [Fact]
    public void Appliance_and_modules_hold_no_projects() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.StartsWith("appliance/", StringComparison.Ordinal) || file.StartsWith("modules/", StringComparison.Ordinal))
            .Where(file => Path.GetExtension(file) is ".csproj" or ".cs"));

    [Fact]
    public void The_programs_do_not_know_the_appliance_that_ships_them() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.StartsWith("ipop/", StringComparison.Ordinal) || file.StartsWith("ca-service/", StringComparison.Ordinal))
            .Where(file => Path.GetExtension(file) is ".csproj" or ".cs")
            .Where(file => Clone.Read(file) is var text
                && (text.Contains("appliance/", StringComparison.Ordinal) || text.Contains("modules/", StringComparison.Ordinal))));

    [Fact]
    public void These_tests_refer_to_no_project() => Rule.NobodyBreaks(ProjectFile.Named("House.Tests").References);

    [Fact]
    public void The_pure_machines_use_no_packages() =>
        Rule.NobodyBreaks(ProjectFile.All.Where(project => FenceTests.PureNames.Contains(project.Name)).SelectMany(project => project.Packages));

    [Fact]
    public void Every_project_is_in_the_solution()
    {
        var listed = XDocument.Parse(Clone.Read("Wow.slnx")).Descendants("Project").Select(project => project.Attribute("Path")!.Value);
        Assert.Equal(ProjectFile.All.Select(project => project.Path).Order(StringComparer.Ordinal), listed.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_project_is_named_like_its_folder() =>
        Rule.NobodyBreaks(ProjectFile.All
            .Where(project => Path.GetFileName(Path.GetDirectoryName(project.Path)) != project.Name)
            .Select(project => project.Path));

    [Fact]
    public void Every_project_has_its_lock_file() =>
        Rule.NobodyBreaks(ProjectFile.All
            .Select(project => Path.GetDirectoryName(project.Path) + "/packages.lock.json")
            .Except(Clone.Files));
}
