using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace CaService;

/// <summary>
/// What the CA did, in a table that grows at its end and loses the oldest lines alone. Each line holds the hash of the one before, so a line that was changed or
/// taken out of the middle shows; a line of its own names the last that is gone, so that shows, too.
/// </summary>
internal static class Audit
{
    /// <summary>A line goes after so long, and not before <see cref="Lot"/> of them do.</summary>
    public static readonly TimeSpan Kept = TimeSpan.FromDays(5 * 365);

    /// <summary>As many lines stay at most, and a <see cref="Lot"/>: 1,000 machines make fewer in five years.</summary>
    public const int Most = 100_000;

    /// <summary>So many lines go at once. One is written about them, so fewer would not be worth it.</summary>
    public const int Lot = 256;

    /// <summary>The event of the line about lines that are gone.</summary>
    public const string Pruned = "prune";

    private static readonly string First = new('0', 64);

    /// <summary>Adds a line.</summary>
    public static bool Append(Transaction transaction, DateTimeOffset now, string name, string detail)
    {
        string previous = transaction.First("SELECT hash FROM audit ORDER BY id DESC LIMIT 1", row => row.GetString(0)) ?? First;
        long at = now.ToUnixTimeSeconds();
        string hash = Hash(previous, at, name, detail);
        transaction.Run("INSERT INTO audit (at, event, detail, previous, hash) VALUES (@0, @1, @2, @3, @4)", at, name, detail, previous, hash);
        return true;
    }

    /// <summary>Deletes the oldest lines, if a lot of them is older than <see cref="Kept"/> or beyond <see cref="Most"/>.</summary>
    /// <param name="transaction">Where.</param>
    /// <param name="proven">A time that has come.</param>
    /// <param name="now">Wall-clock time, for the line that says so.</param>
    /// <returns>How many went.</returns>
    public static int Prune(Transaction transaction, DateTimeOffset proven, DateTimeOffset now)
    {
        if (!IsLotOver(transaction, proven))
        {
            return 0;
        }

        (long id, string hash) = transaction.First($"SELECT id, hash FROM audit ORDER BY id LIMIT 1 OFFSET {Lot - 1}", row => (row.GetInt64(0), row.GetString(1)));
        transaction.Run("INSERT INTO audit_start (id, hash) VALUES (@0, @1)", id, hash);
        transaction.Run("DELETE FROM audit_start WHERE id < @0", id);
        int gone = transaction.Run("DELETE FROM audit WHERE id <= @0", id);
        Append(transaction, now, Pruned, Detail(id, hash));
        return gone;
    }

    /// <summary>Whether <see cref="Prune"/> would delete something. Of lines whose clock was ahead the later ones wait for them.</summary>
    public static bool IsLotOver(Transaction transaction, DateTimeOffset proven)
    {
        (long first, long last) = transaction.First("SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM audit", row => (row.GetInt64(0), row.GetInt64(1)));
        return last - first >= Most + Lot || (last - first > Lot && transaction.First(
            $"SELECT max(at) FROM (SELECT at FROM audit ORDER BY id LIMIT {Lot})", row => row.GetInt64(0)) < (proven - Kept).ToUnixTimeSeconds());
    }

    /// <summary>Whether there is a line: a CA writes its first one when it is made, and of those that go a line is left that says so.</summary>
    public static bool IsBegun(Transaction transaction) =>
        transaction.First("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'audit'", row => row.GetInt64(0)) > 0
        && transaction.First("SELECT count(*) FROM (SELECT id FROM audit LIMIT 1)", row => row.GetInt64(0)) > 0;

    /// <summary>Checks the chain from the first line on that there is.</summary>
    /// <returns>
    /// The first line that is wrong, or null; where all are right, but no line tells of those that are gone, the first one. That is so, too, where there is none.
    /// </returns>
    public static long? FindBreak(Transaction transaction)
    {
        (long gone, string? end) = transaction.First("SELECT id, hash FROM audit_start ORDER BY id DESC LIMIT 1", row => (row.GetInt64(0), (string?)row.GetString(1)));
        string previous = end ?? First;
        string? told = null;
        for (long after = gone; ;)
        {
            List<Line> lines = transaction.Query(
                $"SELECT id, at, event, detail, previous, hash FROM audit WHERE id > @0 ORDER BY id LIMIT {Lot}",
                row => new Line(row.GetInt64(0), row.GetInt64(1), row.GetString(2), row.GetString(3), row.GetString(4), row.GetString(5)),
                after);
            if (lines.Count == 0)
            {
                bool isWhole = end is null ? after > 0 : told == Detail(gone, end);
                return isWhole ? null : gone + 1;
            }

            foreach (Line line in lines)
            {
                if (line.Previous != previous || line.Hash != Hash(previous, line.At, line.Name, line.Detail))
                {
                    return line.Id;
                }

                (previous, told, after) = (line.Hash, line.Name == Pruned ? line.Detail : told, line.Id);
            }
        }
    }

    private static string Detail(long id, string hash) => string.Create(CultureInfo.InvariantCulture, $"through={id} hash={hash}");

    private static string Hash(string previous, long at, string name, string detail) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(
            string.Create(CultureInfo.InvariantCulture, $"{previous}\n{at}\n{name}\n{detail}"))));

    private sealed record Line(long Id, long At, string Name, string Detail, string Previous, string Hash);
}
