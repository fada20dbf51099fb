namespace PoolRules;

/// <summary>The form of an enrolment ticket, <c>ID:SECRET</c>; whether it is good, the CA decides.</summary>
public static class Ticket
{
    /// <summary>Most characters of a ticket: four times what the CA makes, and little enough for a header of HTTP.</summary>
    public const int Longest = 256;

    /// <summary>
    /// Whether something stands before the first colon, and something after it, all of it ASCII that can be seen: a ticket is copied by hand, stands in
    /// files of lines, and passes HTTP's Basic credentials (RFC 7617).
    /// </summary>
    public static bool IsLegal(ReadOnlySpan<char> text)
    {
        int colon = text.IndexOf(':');
        return colon > 0 && colon < text.Length - 1 && text.Length <= Longest && !text.ContainsAnyExceptInRange('!', '~');
    }

    /// <summary>The part that may be shown and logged: what stands before the first colon, of any text.</summary>
    public static string IdOf(string text)
    {
        ArgumentNullException.ThrowIfNull(text);
        int colon = text.IndexOf(':', StringComparison.Ordinal);
        return colon < 0 ? text : text[..colon];
    }
}
