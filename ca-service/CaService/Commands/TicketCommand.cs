using System.Globalization;

namespace CaService.Commands;

/// <summary><c>wow-ca ticket</c>: prints a ticket for pool.conf.</summary>
internal static class TicketCommand
{
    private const int MostUses = 1_000_000;

    public static int Run(string[] args, TextWriter output, TimeProvider time)
    {
        Options options = Options.Read(args, ["state", "uses", "until", "end"]);
        if (options.Find("end") is string id)
        {
            return End(id, options, output, time.GetUtcNow());
        }

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

    private static int End(string id, Options options, TextWriter output, DateTimeOffset now)
    {
        if (options.Find("uses") is not null || options.Find("until") is not null)
        {
            throw new UserError("--end goes alone, with --state: it ends the ticket at once.");
        }

        using CaFolder ca = CaFolder.Open(options.Get("state"));
        if (!ca.Database.Write(transaction => Tickets.End(transaction, id, now)))
        {
            throw new UserError($"--end is '{id}': there is no such ticket; wow-ca list shows them.");
        }

        output.WriteLine($"ticket {id} admits nobody any more");
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
