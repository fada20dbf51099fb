using System.Globalization;

namespace CaService.Commands;

/// <summary>A time as people say it to an option. A day means its last second, UTC; a moment means itself.</summary>
internal static class Moment
{
    /// <summary>Reads one.</summary>
    /// <param name="option">The option's name.</param>
    /// <param name="text">What it says.</param>
    /// <exception cref="UserError">It is none.</exception>
    public static DateTimeOffset Read(string option, string text)
    {
        const DateTimeStyles Utc = DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal;
        if (DateTimeOffset.TryParseExact(text, "yyyy-MM-dd", CultureInfo.InvariantCulture, Utc, out DateTimeOffset day))
        {
            return day.AddSeconds(86_399);
        }

        return DateTimeOffset.TryParseExact(text, "yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture, Utc, out DateTimeOffset moment)
            ? moment
            : throw new UserError($"--{option} is '{text}': give a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z.");
    }
}
