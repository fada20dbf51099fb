using System.Globalization;

namespace CaService;

/// <summary>What a ticket admits, as its id says it: eight random hexadecimal digits, machines, last second in Unix time, hyphens between.</summary>
/// <param name="Uses">How many machines.</param>
/// <param name="NotAfter">Seconds of Unix time.</param>
internal readonly record struct TicketTerms(int Uses, long NotAfter)
{
    /// <summary>As many machines as a ticket may admit.</summary>
    public const int MostUses = 1_000_000;

    /// <summary>Random hexadecimal digits in front of an id.</summary>
    public const int RandomDigits = 8;

    /// <summary>The id of these terms.</summary>
    /// <param name="digits">The random digits, in small letters.</param>
    public string IdWith(string digits) => string.Create(CultureInfo.InvariantCulture, $"{digits}-{Uses}-{NotAfter}");

    /// <summary>Reads an id as <see cref="IdWith"/> writes it, and in no other form. Whether anybody made it, only its secret proves.</summary>
    public static bool TryRead(string id, out TicketTerms terms)
    {
        terms = default;
        // A fourth part is one too many already; a stranger's text may have thousands.
        string[] parts = id.Split('-', 4);
        if (parts is not [{ Length: RandomDigits } digits, var machines, var end] || !digits.All(char.IsAsciiHexDigitLower)
            || !Digits.TryRead(machines, MostUses, out ulong uses) || uses == 0
            || !Digits.TryRead(end, (ulong)DateTimeOffset.MaxValue.ToUnixTimeSeconds(), out ulong notAfter))
        {
            return false;
        }

        terms = new TicketTerms((int)uses, (long)notAfter);
        return terms.IdWith(digits) == id;
    }
}
