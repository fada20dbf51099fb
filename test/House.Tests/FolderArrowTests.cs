namespace House.Tests;

/// <summary>FloorTests sees that a folder knows another however the source says it.</summary>
public sealed class FolderArrowTests
{
    private const string Sample = "test/House.Tests/Sample";

    public static TheoryData<string> Ways =>
        [.. FolderArrows.Sources(Sample).Select(source => Path.GetFileNameWithoutExtension(source.File)).Where(name => name.StartsWith("By", StringComparison.Ordinal))];

    [Theory]
    [MemberData(nameof(Ways))]
    public void An_arrow_is_seen_in_whichever_way_it_is_written(string way) =>
        Assert.Contains(new FolderArrow($"{Sample}/Low/{way}.cs", "Low", "High"), FolderArrows.Find(Sample, "House.Tests"));

    [Fact]
    public void No_arrow_is_seen_where_there_is_none() =>
        Assert.DoesNotContain(FolderArrows.Find(Sample, "House.Tests"), arrow => arrow.File.EndsWith("/Stranger.cs", StringComparison.Ordinal) || arrow.From == "High");

    /// <summary>Each type that people wrote is somewhere; else its arrows would be nobody's.</summary>
    [Theory]
    [MemberData(nameof(FloorTests.Names), MemberType = typeof(FloorTests))]
    public void Every_source_file_is_that_of_a_type(string project)
    {
        using var assembly = CompiledAssembly.Open(project[(project.LastIndexOf('/') + 1)..]);
        using var sources = new SourceOfTypes(assembly);
        Rule.NobodyBreaks(FolderArrows.Sources(project).Select(source => source.File).Except(assembly.Metadata.TypeDefinitions.SelectMany(type => sources.Of(type, project))));
    }
}
