using System.Runtime.CompilerServices;

namespace House.Tests;

/// <summary>Says which files break a rule; the rule is the test's name.</summary>
internal static class Rule
{
    /// <summary>Fails with the list of offenders, one a line.</summary>
    internal static void NobodyBreaks(IEnumerable<string> offenders, [CallerMemberName] string rule = "")
    {
        var list = offenders.ToList();
        Assert.True(list.Count == 0, $"{rule.Replace('_', ' ')}, but:\n  {string.Join("\n  ", list)}");
    }
}
