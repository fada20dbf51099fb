using System.Globalization;

namespace CaService.Commands;

/// <summary>
/// Whether this computer's clock may number a list of managers, or a stack. Both are numbered by the time, so that copies of the CA's folder need not know of
/// each other; one that is signed under a clock that is ahead keeps all later ones out until that time has come.
/// </summary>
internal static class ProvenClock
{
    /// <summary>How far the clock may be ahead of the last that the CA did; the folder's certificates have to be renewed that often.</summary>
    internal static readonly TimeSpan Leeway = TimeSpan.FromDays(30);

    /// <summary>What a person says who has looked at a calendar.</summary>
    internal static readonly Option Today = new("today", "YYYY-MM-DD", "this day (UTC), where the CA was not used for long: a clock that is ahead would do harm");

    /// <summary>Looks at the clock before anything is signed: what is signed counts as proof from then on.</summary>
    /// <exception cref="UserError">It is ahead of all that proves the time.</exception>
    public static void Check(CaFolder ca, Options options, DateTimeOffset now)
    {
        string today = now.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
        if (options.Find(Today.Name) is { } said && said != today)
        {
            throw new UserError($"--today is '{said}', but this computer's clock says {today} (UTC): set the clock, or give that day if it is right.");
        }

        // What was asked is noted before this is looked at, and what goes goes by itself: neither proves anything.
        DateTimeOffset last = DateTimeOffset.FromUnixTimeSeconds(ca.Database.Read(transaction =>
            transaction.First($"SELECT max(at) FROM audit WHERE event NOT IN ('asked', '{Audit.Pruned}')", row => row.GetInt64(0))));
        if (now - last > Leeway && !options.Has(Today.Name))
        {
            throw new UserError(
                $"This computer's clock says {today} (UTC), {(now - last).Days} days after the last that this CA did here. What is signed under a clock that is "
                + $"ahead keeps all later ones out: if it is that day, add --today {today}; if not, set the clock.");
        }
    }
}
