using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace CaService;

/// <summary>
/// What the CA did, in a table that only grows. Each line holds the hash of the one before, so a line that was changed or taken
/// out of the middle shows.
/// </summary>
internal static class Audit
{
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

    /// <summary>Checks the chain from the first line on.</summary>
    /// <returns>The first line that is wrong, or null.</returns>
    public static long? FindBreak(Transaction transaction)
    {
        string previous = First;
        foreach ((long id, long at, string name, string detail, string before, string hash) in transaction.Query(
            "SELECT id, at, event, detail, previous, hash FROM audit ORDER BY id",
            row => (row.GetInt64(0), row.GetInt64(1), row.GetString(2), row.GetString(3), row.GetString(4), row.GetString(5))))
        {
            if (before != previous || hash != Hash(previous, at, name, detail))
            {
                return id;
            }

            previous = hash;
        }

        return null;
    }

    private static string Hash(string previous, long at, string name, string detail) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(
            string.Create(CultureInfo.InvariantCulture, $"{previous}\n{at}\n{name}\n{detail}"))));
}
