using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>A test can fail.</summary>
public sealed partial class AssertionTests
{
    public static TheoryData<string> Projects => [.. ProjectFile.All.Where(project => project.Name.EndsWith(".Tests", StringComparison.Ordinal)).Select(project => project.Name)];

    [Theory]
    [MemberData(nameof(Projects))]
    public void Each_test_asserts_something_itself_or_by_a_method_of_its_project(string project)
    {
        List<TestBody> bodies = Bodies(project);
        Assert.Contains(bodies, body => body.IsTest);
        Rule.NobodyBreaks(TestBody.WithoutAssertion(bodies).Select(Place));
    }

    // What a machine lacks is said by an assertion, or half of the machines prove nothing.
    [Theory]
    [MemberData(nameof(Projects))]
    public void No_test_returns_before_its_end(string project) =>
        Rule.NobodyBreaks(Bodies(project).Where(body => body.IsTest && EarlyReturnPattern().IsMatch(body.Text)).Select(Place));

    [Fact]
    public void Each_unit_test_in_Python_asserts_something_itself_or_by_a_function_of_its_file()
    {
        var files = Clone.Files.Where(file => file.StartsWith("test/", StringComparison.Ordinal) && Path.GetFileName(file) is var name
            && name.StartsWith("test_", StringComparison.Ordinal) && name.EndsWith(".py", StringComparison.Ordinal)).Select(file => TestBody.In(file).ToList()).ToList();
        Assert.All(files, bodies => Assert.Contains(bodies, body => body.IsTest));
        Rule.NobodyBreaks(files.SelectMany(TestBody.WithoutAssertion).Select(Place));
    }

    [Fact]
    public void A_loop_over_nothing_proves_nothing() => Assert.Throws<Xunit.Sdk.NotEmptyException>(() => Assert.All(new List<object>(), Assert.NotNull));

    private static List<TestBody> Bodies(string project) =>
        [.. Clone.Files.Where(file => file.StartsWith($"test/{project}/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal)).SelectMany(TestBody.In)];

    private static string Place(TestBody body) => $"{body.File}: {body.Name}";

    // Those of local functions and lambdas stand deeper than a test's own and those of its ifs.
    [GeneratedRegex(@"^ {8,12}return;$", RegexOptions.Multiline)]
    private static partial Regex EarlyReturnPattern();
}
