using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.RegularExpressions;

namespace PoolRules;

/// <summary>
/// Web servers beside the pool that have the files of its stack, in the order in which machines ask them (docs/protocol.md, Notices). As text, which the CA signs:
/// <c>wow-origins 1</c>, then a line <c>origin https://HOST[:PORT][/PATH][#sha256=HEX]</c> each.
/// </summary>
public sealed partial class OriginList
{
    /// <summary>The kind of notice that it is.</summary>
    public const byte NoticeKind = Agreed.OriginsNotice;

    private const string Head = Agreed.OriginsHead;
    private const string Word = "origin ";
    private const int LongestPin = 72;
    private const int LargestText = 16 + (Agreed.MostOrigins * (8 + Agreed.LongestOrigin + LongestPin));

    private OriginList(string[] origins) => Origins = origins;

    /// <summary>None.</summary>
    public static OriginList Empty { get; } = new([]);

    /// <summary>The origins, 0 to <see cref="Agreed.MostOrigins"/>, none twice.</summary>
    public IReadOnlyList<string> Origins { get; }

    /// <summary>Makes a list.</summary>
    /// <param name="origins">The origins.</param>
    /// <param name="list">The list.</param>
    /// <param name="reason">Why there is none, for people.</param>
    /// <returns>Whether each is an origin, and they are few.</returns>
    public static bool TryCreate(IReadOnlyList<string> origins, [NotNullWhen(true)] out OriginList? list, out string reason)
    {
        ArgumentNullException.ThrowIfNull(origins);
        reason = origins.Count > Agreed.MostOrigins ? $"There may be {Agreed.MostOrigins} at most, and {origins.Count} are named."
            : origins.FirstOrDefault(one => !IsOrigin(one)) is { } wrong
            ? $"'{wrong}' is not https://HOST[:PORT][/PATH][#sha256=HEX] of {Agreed.LongestOrigin} characters at most before #: write the host and HEX in lower case, no / at the end, and "
                + "only letters, digits and . _ ~ % + - / in the path."
            : origins.Distinct().Count() < origins.Count ? "One is named twice."
            : string.Empty;
        list = reason.Length == 0 ? new OriginList([.. origins]) : null;
        return list is not null;
    }

    /// <summary>Reads a list. Never throws on hostile bytes.</summary>
    /// <param name="text">Any bytes.</param>
    /// <param name="list">The list.</param>
    /// <returns>Whether it is one.</returns>
    public static bool TryRead(ReadOnlySpan<byte> text, [NotNullWhen(true)] out OriginList? list)
    {
        list = null;
        string[] lines = text.Length > LargestText ? [] : Encoding.Latin1.GetString(text).Split('\n');
        return lines is [Head, .. var rest, ""]
            && rest.All(line => line.StartsWith(Word, StringComparison.Ordinal))
            && TryCreate([.. rest.Select(line => line[Word.Length..])], out list, out _);
    }

    /// <summary>The text.</summary>
    public byte[] Write() => Encoding.ASCII.GetBytes($"{Head}\n{string.Concat(Origins.Select(one => $"{Word}{one}\n"))}");

    private static bool IsOrigin(string text) =>
        text.Length <= Agreed.LongestOrigin + LongestPin && text.Split('#')[0].Length <= Agreed.LongestOrigin && Whole().IsMatch(text);

    // $ would take a line feed at the end, too.
    [GeneratedRegex("^https://" + Agreed.OriginHost + Agreed.OriginPort + Agreed.OriginPath + @"\z", RegexOptions.CultureInvariant)]
    private static partial Regex Whole();
}
