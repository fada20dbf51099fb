using System.Globalization;
using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>The documents agree with the house.</summary>
public sealed partial class DocumentTests
{
    /// <summary>Columns of a line, so that two documents fit beside each other and no cell of a table tells a story.</summary>
    private const int Widest = 130;

    [Fact]
    public void README_names_every_folder()
    {
        var readme = Clone.Read("README.md");
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.Contains('/') && file[0] != '.')
            .Select(file => file.Split('/')[0])
            .Distinct()
            .Where(folder => !readme.Contains($"{folder}/", StringComparison.Ordinal)));
    }

    [Fact]
    public void Architecture_names_every_shipped_project()
    {
        var text = Clone.Read("docs/architecture.md");
        Rule.NobodyBreaks(ProjectFile.All.Where(project => project.IsShipped).Select(project => Path.GetDirectoryName(project.Path)!)
            .Where(folder => !text.Contains(folder, StringComparison.Ordinal)));
    }

    [Fact]
    public void Decisions_are_numbered_without_gaps()
    {
        var numbers = Clone.Files
            .Where(file => file.StartsWith("docs/decisions/", StringComparison.Ordinal))
            .Select(file => DecisionPattern().Match(file) is { Success: true } match ? match.Groups[1].Value : $"not NNNN-words.md: {file}")
            .ToList();
        Assert.NotEmpty(numbers);
        Assert.Equal(Enumerable.Range(1, numbers.Count).Select(number => number.ToString("D4", CultureInfo.InvariantCulture)), numbers);
    }

    [Fact]
    public void Links_between_documents_lead_somewhere() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.EndsWith(".md", StringComparison.Ordinal))
            .SelectMany(file => LinkPattern().Matches(Clone.Read(file)).Select(match => (file, target: match.Groups[1].Value)))
            .Where(link => !link.target.Contains(':', StringComparison.Ordinal))
            .Where(link => !Path.Exists(Path.Combine(Clone.Root, Path.GetDirectoryName(link.file)!, link.target)))
            .Select(link => $"{link.file}: {link.target}"));

    [Fact]
    public void No_line_of_a_document_is_too_wide() => Rule.NobodyBreaks(
        from file in Clone.Files
        where file.EndsWith(".md", StringComparison.Ordinal)
        from line in Clone.Lines(file).Select((text, index) => (text, number: index + 1))
        where new StringInfo(line.text).LengthInTextElements > Widest
        select $"{file}:{line.number} has {line.text.Length} columns, at most {Widest}: wrap it, or make a list of the table");

    [Fact]
    public void Decisions_that_files_cite_exist()
    {
        var numbers = Clone.Files.Select(file => DecisionPattern().Match(file)).Where(match => match.Success).Select(match => match.Groups[1].Value).ToHashSet();
        Rule.NobodyBreaks(Clone.Files.Where(Clone.IsText)
            .SelectMany(file => CitationPattern().Matches(Clone.Read(file)).Select(match => (file, number: match.Groups[1].Value)))
            .Where(citation => !numbers.Contains(citation.number))
            .Select(citation => $"{citation.file} cites decision {citation.number}")
            .Distinct());
    }

    [Fact]
    public void The_licence_is_Apache_2()
    {
        var text = Clone.Read("LICENSE");
        Assert.Contains("Apache License", text, StringComparison.Ordinal);
        Assert.Contains("Version 2.0, January 2004", text, StringComparison.Ordinal);
        Assert.Contains("END OF TERMS AND CONDITIONS", text, StringComparison.Ordinal);
    }

    [Fact]
    public void No_file_names_the_host_of_a_registry()
    {
        var hosts = RegistryHosts();
        Assert.NotEmpty(hosts);
        Rule.NobodyBreaks(Clone.Files.Where(Clone.IsText)
            .SelectMany(file => hosts.Where(host => Clone.Read(file).Contains(host, StringComparison.OrdinalIgnoreCase)).Select(host => $"{file}: {host}")));
    }

    /// <summary>Where this machine's own configuration fetches packages from. A host without a dot (a local proxy) is too common a word.</summary>
    private static HashSet<string> RegistryHosts()
    {
        var addresses = string.Join('\n', [
            Clone.Output("apt-get", "indextargets", "--format", "$(SITE)"),
            Clone.Output("dotnet", "nuget", "list", "source", "--format", "short"),
            Clone.Output("npm", "config", "get", "registry"),
        ]);
        return [.. HostPattern().Matches(addresses).Select(match => match.Groups[1].Value).Where(host => host.Contains('.', StringComparison.Ordinal))];
    }

    [GeneratedRegex(@"^docs/decisions/(\d{4})-[a-z0-9-]+\.md$")]
    private static partial Regex DecisionPattern();

    [GeneratedRegex(@"\]\(([^)#\s]+)[^)]*\)")]
    private static partial Regex LinkPattern();

    [GeneratedRegex(@"(?:docs/decisions/|\bdecisions? )(\d{4})\b")]
    private static partial Regex CitationPattern();

    [GeneratedRegex(@"https?://(?:[^/@\s]*@)?([A-Za-z0-9.-]+)")]
    private static partial Regex HostPattern();
}
