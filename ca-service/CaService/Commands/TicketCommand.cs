using System.Globalization;

namespace CaService.Commands;

/// <summary><c>wow-ca ticket</c>: prints a ticket for pool.conf.</summary>
internal static class TicketCommand
{
    private const int MostUses = 1_000_000;

    public static int Run(string[] args, TextWriter output, TimeProvider time)
    {
        Options options = Options.Read(args, ["state", "uses", "until"]);
        int uses = options.GetNumber("uses", 1, MostUses);
        DateTimeOffset until = ReadDate(options.Get("until"));
        DateTimeOffset now = time.GetUtcNow();
        if (until <= now)
        {
            throw new UserError($"--until {options.Get("until")} is over already: give a day from {now:yyyy-MM-dd} on.");
        }

        using CaFolder ca = CaFolder.Open(options.Get("state"));
        output.WriteLine(ca.Database.Write(transaction => Tickets.Create(transaction, uses, until, now)));
        return 0;
    }

    // A day means its last second, UTC; a moment means itself.
    private static DateTimeOffset ReadDate(string text)
    {
        const DateTimeStyles Utc = DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal;
        if (DateTimeOffset.TryParseExact(text, "yyyy-MM-dd", CultureInfo.InvariantCulture, Utc, out DateTimeOffset day))
        {
            return day.AddDays(1).AddSeconds(-1);
        }

        return DateTimeOffset.TryParseExact(text, "yyyy-MM-dd'T'HH:mm:ss'Z'", CultureInfo.InvariantCulture, Utc, out DateTimeOffset moment)
            ? moment
            : throw new UserError($"--until is '{text}': give a day such as 2027-01-31, or a moment such as 2027-01-31T12:00:00Z.");
    }
}
