using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>Rules that every file keeps.</summary>
public sealed partial class FileTests
{
    private const int LongestFile = 500;

    private static readonly string[] Interpreters = ["#!/bin/sh", "#!/bin/sh -e", "#!/usr/bin/python3", "#!/usr/bin/python3 -IS", "#!/bin/busybox sh", "#!/usr/sbin/nft -f"];

    [Fact]
    public void No_code_file_has_more_than_500_lines() =>
        Rule.NobodyBreaks(Clone.Files.Where(Clone.IsCode).Where(file => Clone.Lines(file).Length > LongestFile));

    [Fact]
    public void Nothing_is_left_for_later_and_no_test_is_skipped() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(Clone.IsCode)
            .SelectMany(file => Clone.Lines(file).Select((line, index) => (file, line, number: index + 1)))
            .Where(place => UnfinishedPattern().IsMatch(place.line) && !place.file.EndsWith("/FileTests.cs", StringComparison.Ordinal))
            .Select(place => $"{place.file}:{place.number}: {place.line.Trim()}"));

    /// <summary>The framework's TryParse takes characters 0 behind the digits, blanks and signs.</summary>
    [Fact]
    public void A_number_in_a_text_is_read_by_Digits() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => Path.GetExtension(file) == ".cs" && (file.StartsWith("ipop/", StringComparison.Ordinal) || file.StartsWith("ca-service/", StringComparison.Ordinal)))
            .Where(file => file != "ca-service/PoolRules/Digits.cs")
            .Where(file => NumberPattern().IsMatch(Clone.Read(file))));

    [Fact]
    public void A_file_can_be_executed_just_when_it_names_its_interpreter()
    {
        var scripts = Clone.Files.Where(file => Clone.Shebang(file) is not null).ToHashSet();
        Rule.NobodyBreaks(Clone.Executables().Except(scripts));
        Rule.NobodyBreaks(scripts.Except(Clone.Executables()));
        Rule.NobodyBreaks(Clone.ExecutablesInIndex().Except(scripts));
    }

    [Fact]
    public void A_shell_file_names_its_interpreter_or_is_a_library_for_others() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.EndsWith(".sh", StringComparison.Ordinal) && Clone.Shebang(file) is null)
            .Where(file => !Clone.Lines(file).Take(3).Contains("# shellcheck shell=sh")));

    [Fact]
    public void Scripts_are_POSIX_sh_or_Debians_Python() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => Clone.Shebang(file) is { } line && !Interpreters.Contains(line) && file != ".ci/run")
            .Select(file => $"{file}: {Clone.Shebang(file)}"));

    [Fact]
    public void A_file_of_CSharp_is_named_after_its_type_or_after_what_its_types_have_in_common() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.EndsWith(".cs", StringComparison.Ordinal) && Path.GetFileName(file) is not ("Program.cs" or "Properties.cs" or "GlobalUsings.cs"))
            .Where(file =>
            {
                var name = Path.GetFileName(file).Split('.')[0];
                var types = TypePattern().Matches(Clone.Read(file)).Select(match => match.Groups[1].Value).ToList();
                return !types.Contains(name) && !(types.Count > 1 && name.EndsWith('s'));
            }));

    [Fact]
    public void Text_ends_with_one_newline_and_has_no_trailing_blanks() =>
        Rule.NobodyBreaks(Clone.Files.Where(Clone.IsText).Where(file => Path.GetFileName(file) != "packages.lock.json").Select(file => (file, text: Clone.Read(file)))
            .Where(place => place.text.Length > 0 && (!place.text.EndsWith('\n') || TrailingBlankPattern().IsMatch(place.text)))
            .Select(place => place.file));

    // The build holds neither of the next two (IDE0003, the order of imports), and format looks at white space only.
    [Fact]
    public void Usings_are_in_order_those_of_System_first() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.EndsWith(".cs", StringComparison.Ordinal))
            .Where(file =>
            {
                var usings = UsingPattern().Matches(Clone.Read(file)).Select(match => match.Groups[1].Value).ToList();
                return !usings.SequenceEqual(usings
                    .OrderBy(name => name.Split('.')[0] != "System")
                    .ThenBy(name => name.Replace('.', '\0'), StringComparer.OrdinalIgnoreCase));
            }));

    [Fact]
    public void No_member_is_called_by_this() =>
        Rule.NobodyBreaks(Clone.Files
            .Where(file => file.EndsWith(".cs", StringComparison.Ordinal))
            .Where(file => QualifiedPattern().IsMatch(Clone.Read(file))));

    // xunit 2 disposes of a test class by IDisposable or IAsyncLifetime only; by this one its servers and folders would stay.
    [Fact]
    public void No_test_class_hopes_for_IAsyncDisposable() =>
        Rule.NobodyBreaks(Clone.Files.Where(file => file.StartsWith("test/", StringComparison.Ordinal) && file.EndsWith("Tests.cs", StringComparison.Ordinal))
            .Where(file => LostDisposalPattern().IsMatch(Clone.Read(file))));

    [Fact]
    public void Every_folder_of_Python_has_unit_tests()
    {
        var tests = Clone.Files.Where(file => file.StartsWith("test/", StringComparison.Ordinal) && Path.GetFileName(file).StartsWith("test_", StringComparison.Ordinal))
            .Select(Clone.Read).ToList();
        var stems = Clone.Files
            .Where(file => !file.StartsWith("test/", StringComparison.Ordinal))
            .Where(file => file.EndsWith(".py", StringComparison.Ordinal) || Clone.Shebang(file) == "#!/usr/bin/python3")
            .GroupBy(file => Path.GetDirectoryName(file)!, Path.GetFileNameWithoutExtension);
        Rule.NobodyBreaks(stems
            .Where(folder => !folder.Any(stem => tests.Any(test => test.Contains(stem!, StringComparison.Ordinal))))
            .Select(folder => folder.Key));
    }

    [GeneratedRegex(@"\b(TODO|FIXME|HACK|XXX)\b|NotImplementedException|\bSkip\s*=|unittest\.skip|skipTest\(|SkipTest")]
    private static partial Regex UnfinishedPattern();

    /// <summary>Numbers in base 16 are what Digits does not read.</summary>
    [GeneratedRegex(@"\b(?:s?byte|u?short|u?int|u?long|Int32|Int64|double|float|decimal)\.(?:Try)?Parse\((?![^;]*?NumberStyles\.(?:AllowHexSpecifier|HexNumber))")]
    private static partial Regex NumberPattern();

    [GeneratedRegex(@"^using ([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex UsingPattern();

    [GeneratedRegex(@"\bthis\.\w")]
    private static partial Regex QualifiedPattern();

    [GeneratedRegex(@"^\s*[\w ]*\b(?:class|struct|record|interface|enum|delegate [\w<>?\[\], .]+?) (\w+)\b", RegexOptions.Multiline)]
    private static partial Regex TypePattern();

    [GeneratedRegex(@"^public sealed class \w+Tests\b[^{]*\bIAsyncDisposable\b", RegexOptions.Multiline)]
    private static partial Regex LostDisposalPattern();

    [GeneratedRegex(@"[ \t\r]\n|\n\n\z")]
    private static partial Regex TrailingBlankPattern();
}
