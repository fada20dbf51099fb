using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace PoolRules;

/// <summary>
/// Until when the pool's stack is the newest: its term, which the CA renews each day while it runs. So a machine that is kept from all news knows it by its own clock
/// (docs/protocol.md, Notices). As text, which the CA signs: <c>wow-term 1</c>, <c>stack NUMBER</c> and <c>until SECONDS</c>, each with a line feed.
/// </summary>
/// <param name="Stack">The number of the stack's notice, 1 or more.</param>
/// <param name="Until">In Unix seconds, 1 to <see cref="Agreed.LatestRestart"/>.</param>
public sealed record StackTerm(ulong Stack, long Until)
{
    /// <summary>The kind of notice that a term is.</summary>
    public const byte NoticeKind = Agreed.TermNotice;

    /// <summary>How long one lasts.</summary>
    public static readonly TimeSpan Life = TimeSpan.FromSeconds(Agreed.TermLife);

    private const string Head = Agreed.TermHead;
    private const string StackWord = "stack ";
    private const string UntilWord = "until ";
    private const int LargestText = 64;

    /// <summary>Reads a term.</summary>
    /// <param name="text">Any bytes.</param>
    /// <param name="term">The term.</param>
    /// <returns>Whether it is one.</returns>
    public static bool TryRead(ReadOnlySpan<byte> text, [NotNullWhen(true)] out StackTerm? term)
    {
        term = null;
        if (text.Length <= LargestText
            && Encoding.Latin1.GetString(text).Split('\n') is [Head, var stack, var until, ""]
            && ReadNumber(stack, StackWord) is { } number
            && ReadNumber(until, UntilWord) is { } second and <= Agreed.LatestRestart)
        {
            term = new StackTerm(number, (long)second);
        }

        return term is not null;
    }

    /// <summary>The text.</summary>
    public byte[] Write() => Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Head}\n{StackWord}{Stack}\n{UntilWord}{Until}\n"));

    /// <summary>The number behind a line's word, 1 or more; null if it is none.</summary>
    private static ulong? ReadNumber(string line, string word) =>
        line.StartsWith(word, StringComparison.Ordinal) && line[word.Length..] is [>= '1' and <= '9', ..] digits
            && Digits.TryRead(digits, ulong.MaxValue, out ulong number)
            ? number
            : null;
}
