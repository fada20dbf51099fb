using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>
/// Inside the largest room folders know each other one way, too, or are on their way there: a folder may know what this table lets it know, and each arrow that nobody
/// needs any more goes.
/// </summary>
public sealed partial class FloorTests
{
    private const string Room = "ipop/Brunet/";

    /// <summary>Who knows whom in Brunet, by its using lines. A new arrow wants a reason.</summary>
    private static readonly Dictionary<string, string[]> Arrows = new()
    {
        ["Addressing"] = [],
        ["Wire"] = ["Addressing"],
        ["Sessions"] = ["Addressing", "Wire", "Links"],
        ["Links"] = ["Addressing", "Wire", "Sessions", "Ring", "Relay", "Nat", "Dht", "Notices", "Diagnosis", "Clocks"],
        ["Ring"] = ["Addressing", "Wire", "Sessions", "Links", "Nat", "Diagnosis"],
        ["Relay"] = ["Addressing", "Wire", "Links"],
        ["Nat"] = ["Addressing", "Wire", "Links", "Diagnosis"],
        ["Dht"] = ["Addressing", "Wire", "Sessions", "Links", "Diagnosis"],
        ["Notices"] = ["Addressing", "Wire", "Links", "Ring"],
        ["Diagnosis"] = ["Addressing", "Wire", "Links"],
        ["Clocks"] = ["Addressing", "Wire", "Sessions", "Links", "Diagnosis"],
    };

    /// <summary>Folders below the knot of Links and Sessions: they know nobody above them.</summary>
    private static readonly string[] Floors = ["Addressing", "Wire"];

    [Fact]
    public void A_folder_knows_only_what_the_table_says() =>
        Rule.NobodyBreaks(Found().Where(arrow => !Arrows.GetValueOrDefault(arrow.From, []).Contains(arrow.To)).Select(arrow => $"{arrow.File} knows {arrow.To}"));

    [Fact]
    public void The_table_has_no_arrow_that_nobody_needs()
    {
        var found = Found().Select(arrow => (arrow.From, arrow.To)).ToHashSet();
        Rule.NobodyBreaks(Arrows.SelectMany(entry => entry.Value.Where(to => !found.Contains((entry.Key, to))).Select(to => $"{entry.Key} -> {to}")));
    }

    [Fact]
    public void The_lowest_floors_know_only_those_before_them() =>
        Rule.NobodyBreaks(Floors.SelectMany((floor, index) => Arrows[floor].Except(Floors[..index]).Select(to => $"{floor} -> {to}")));

    private static IEnumerable<(string File, string From, string To)> Found() =>
        from file in Clone.Files
        where file.StartsWith(Room, StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal)
        let path = file[Room.Length..].Split('/')
        where path.Length > 1 && path[0] != "Properties"
        from Match line in Using().Matches(Clone.Read(file))
        where line.Groups[1].Value != path[0]
        select (file, path[0], line.Groups[1].Value);

    [GeneratedRegex(@"^using Brunet\.([A-Z]\w*)(?:\.\w+)*;", RegexOptions.Multiline)]
    private static partial Regex Using();
}
