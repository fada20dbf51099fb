using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>A method of a test project, by its text: everything after the bracket that follows its name.</summary>
/// <param name="File">Where it stands.</param>
/// <param name="Name">Its name.</param>
/// <param name="Text">Its parameters and statements.</param>
/// <param name="IsTest">Whether the runner calls it.</param>
internal sealed partial record TestBody(string File, string Name, string Text, bool IsTest)
{
    /// <summary>The names of everything that it calls.</summary>
    internal HashSet<string> Calls { get; } = [.. CallPattern().Matches(Text).Select(match => match.Groups[1].Value)];

    /// <summary>The methods of a file, in C# or Python.</summary>
    internal static IEnumerable<TestBody> In(string file)
    {
        bool isPython = Path.GetExtension(file) == ".py";
        foreach (Match match in (isPython ? FunctionPattern() : MethodPattern()).Matches(Clone.Read(file)))
        {
            string name = match.Groups["name"].Value, attributes = match.Groups["attributes"].Value;
            yield return new TestBody(
                file, name, match.Groups["body"].Value,
                isPython ? name.StartsWith("test_", StringComparison.Ordinal) : FactPattern().IsMatch(attributes));
        }
    }

    /// <summary>The tests among them that assert nothing, neither themselves nor by what they call.</summary>
    internal static IEnumerable<TestBody> WithoutAssertion(IReadOnlyCollection<TestBody> bodies)
    {
        HashSet<string> asserting = [.. bodies.Where(body => AssertionPattern().IsMatch(body.Text)).Select(body => body.Name)];
        for (int before = -1; before != asserting.Count;)
        {
            before = asserting.Count;
            asserting.UnionWith(bodies.Where(body => asserting.Overlaps(body.Calls)).Select(body => body.Name).ToList());
        }

        return bodies.Where(body => body.IsTest && !asserting.Contains(body.Name));
    }

    // Members are indented by four blanks, and what stands in them by more.
    [GeneratedRegex(
        @"^(?<attributes>(?:    \[[^\n]*\n(?:     [^\n]*\n)*)*)    (?:public|private|internal|protected)[^\n(=;]*? (?<name>\w+)(?:<[\w, ]+>)?\("
            + @"(?<body>[^\n]*(?:\n(?:     [^\n]*|    [{}][^\n]*)?(?=\n))*)",
        RegexOptions.Multiline)]
    private static partial Regex MethodPattern();

    [GeneratedRegex(@"^(?<indent> *)def (?<name>\w+)\((?<body>[^\n]*\n(?:\k<indent> [^\n]*\n|\n)*)", RegexOptions.Multiline)]
    private static partial Regex FunctionPattern();

    [GeneratedRegex(@"^    \[(?:Fact|Theory)\b", RegexOptions.Multiline)]
    private static partial Regex FactPattern();

    [GeneratedRegex(@"\b(\w+)(?:<[\w, ]+>)?\(")]
    private static partial Regex CallPattern();

    [GeneratedRegex(@"\bAssert\.|\bQuickCheckThrowOnFailure\(|\bNobodyBreaks\(|\bself\.(?:assert|fail)|^ *assert ", RegexOptions.Multiline)]
    private static partial Regex AssertionPattern();
}
