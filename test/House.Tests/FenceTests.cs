using System.Reflection.Metadata.Ecma335;
using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>Unsafe code, native calls, clocks, chance, sockets and threads stay where docs/decisions/0001 puts them.</summary>
public sealed partial class FenceTests
{
    private const string UnsafeProject = "Ipop.Linux";

    /// <summary>Native resources by the assemblies of the framework that give them.</summary>
    private static readonly string[] ImpureAssemblies =
    [
        "System.Net.Sockets", "System.Net.NameResolution", "System.Net.Http", "System.Net.NetworkInformation", "System.Net.Security",
        "System.Diagnostics.Process", "System.IO.Pipes", "System.IO.FileSystem.Watcher", "System.Threading.ThreadPool", "System.Console",
    ];

    public static TheoryData<string> Shipped => [.. ProjectFile.All.Where(project => project.IsShipped).Select(project => project.Name)];

    /// <summary>Projects without sockets, threads and clocks.</summary>
    internal static readonly string[] PureNames = ["Brunet", "Ipop", "PoolRules"];

    public static TheoryData<string> Pure => [.. PureNames];

    [Fact]
    public void Only_one_project_allows_unsafe_code() =>
        Assert.Equal([UnsafeProject], ProjectFile.All.Where(project => project.Property("AllowUnsafeBlocks") == "true").Select(project => project.Name));

    [Fact]
    public void No_shared_file_allows_unsafe_code() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => Path.GetExtension(file) is ".props" or ".targets")
            .Where(file => Clone.Read(file).Contains("AllowUnsafeBlocks", StringComparison.Ordinal)));

    [Theory]
    [MemberData(nameof(Shipped))]
    public void Only_one_project_calls_native_code(string name)
    {
        using var assembly = CompiledAssembly.Open(name);
        var calls = assembly.Metadata.GetTableRowCount(TableIndex.ImplMap);
        if (name == UnsafeProject)
            Assert.NotEqual(0, calls);
        else
            Assert.Equal(0, calls);
    }

    [Theory]
    [MemberData(nameof(Shipped))]
    public void A_shipped_project_uses_nothing_that_is_banned_everywhere(string name)
    {
        using var assembly = CompiledAssembly.Open(name);
        Rule.NobodyBreaks(assembly.Members().Intersect(Banned("BannedSymbols.txt", 'P')));
    }

    [Theory]
    [MemberData(nameof(Pure))]
    public void A_pure_machine_uses_nothing_that_is_banned_for_it(string name)
    {
        using var assembly = CompiledAssembly.Open(name);
        Rule.NobodyBreaks(assembly.Members().Intersect(Banned("BannedSymbols.Pure.txt", 'P')));
        Rule.NobodyBreaks(assembly.Types().Intersect(Banned("BannedSymbols.Pure.txt", 'T')));
        Rule.NobodyBreaks(assembly.Assemblies().Intersect(ImpureAssemblies));
    }

    [Fact]
    public void The_lists_of_banned_symbols_are_read_and_breaking_them_is_an_error()
    {
        var props = Clone.Read("Directory.Build.props");
        Assert.Contains("<AdditionalFiles Include=\"$(MSBuildThisFileDirectory)BannedSymbols.txt\" />", props, StringComparison.Ordinal);
        Assert.Contains("<AdditionalFiles Include=\"$(MSBuildThisFileDirectory)BannedSymbols.Pure.txt\" />", props, StringComparison.Ordinal);
        Assert.Contains("dotnet_diagnostic.RS0030.severity = error", Clone.Lines(".editorconfig"));
    }

    [Fact]
    public void Nobody_switches_the_analysis_of_banned_symbols_off() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => Path.GetExtension(file) is ".cs" or ".csproj" or ".props" or ".targets" && !file.StartsWith("test/House.Tests/", StringComparison.Ordinal))
            .Where(file => Clone.Read(file).Contains("RS0030", StringComparison.Ordinal)));

    /// <summary>Names of one kind in a list: P as the getter's, T without the count of type parameters.</summary>
    private static IEnumerable<string> Banned(string list, char kind)
    {
        var found = Clone.Lines(list).Select(line => EntryPattern().Match(line)).Where(match => match.Success && match.Groups[1].Value[0] == kind).ToList();
        Assert.NotEmpty(found);
        return found.Select(match => kind == 'P' ? $"{match.Groups[2].Value}.get_{match.Groups[3].Value}" : $"{match.Groups[2].Value}.{match.Groups[3].Value}");
    }

    [GeneratedRegex(@"^([PT]):([\w.`]+)\.([\w`]+);")]
    private static partial Regex EntryPattern();
}
