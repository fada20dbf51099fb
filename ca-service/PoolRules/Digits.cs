using System.Globalization;

namespace PoolRules;

/// <summary>Whole numbers in decimal digits, out of texts that anybody may have written.</summary>
/// <remarks>Brunet, which refers to no project, is built with this file, too, and has the class for itself.</remarks>
static partial class Digits
{
    /// <summary>
    /// Reads one: digits of ASCII alone, no sign, no blank; zeros may lead. The framework's own TryParse takes characters 0 behind the digits, too, so one number would
    /// have many texts.
    /// </summary>
    /// <param name="text">Any text.</param>
    /// <param name="most">The largest number that is one.</param>
    /// <param name="number">The number, 0 to <paramref name="most"/>.</param>
    public static bool TryRead(ReadOnlySpan<char> text, ulong most, out ulong number)
    {
        number = 0;
        return !text.ContainsAnyExceptInRange('0', '9') && ulong.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number <= most;
    }
}
