namespace CaService;

/// <summary>
/// Says which rows go, and takes them a few at a time. What is asked of the tables is who has an address, whom a name means, and what can be revoked; of what
/// ended long ago the audit tells (docs/decisions/0103).
/// </summary>
internal static class Retention
{
    /// <summary>
    /// A certificate and a ticket are kept for so long after their end. A revoked certificate stays until a list after its end had it, besides
    /// (<see cref="Revocations.Margin"/>). A ticket that was ended early stays until the end that its own text names, or it would count again.
    /// </summary>
    public static readonly TimeSpan Kept = TimeSpan.FromDays(90);

    /// <summary>Rows that go in one transaction at most, of each table.</summary>
    public const int MostAtOnce = 256;

    /// <summary>
    /// Days on which something was signed that prove the time. By a clock that was a year ahead all would be over: addresses would be free that are not, and
    /// lists would lose certificates that have not ended.
    /// </summary>
    private const int ProvingDays = 8;

    private const int SecondsOfDay = 86400;

    /// <summary>Revoked ones, of those that are over, that a list has to have yet.</summary>
    private const string Over = """
        FROM certificates WHERE not_after < @0 AND NOT (
            serial IN (SELECT serial FROM revocations) AND not_after >= coalesce((SELECT max(at) FROM revocation_lists), 0) - @1)
        """;

    /// <summary>Serial numbers that were heard of, of which the same holds.</summary>
    private const string HeardOver = "FROM heard WHERE not_after < @0 AND not_after < coalesce((SELECT max(at) FROM revocation_lists), 0) - @1";

    /// <summary>Does one step.</summary>
    /// <param name="database">Where: it is written to only if something goes.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <returns>How many rows went.</returns>
    public static int Step(Database database, DateTimeOffset now) => database.Read(transaction => IsAnythingOver(transaction, now))
        ? database.Write(transaction =>
        {
            DateTimeOffset proven = Proven(transaction, now);
            return PruneCertificates(transaction, proven - Kept) + PruneHeard(transaction, proven - Kept) + PruneTickets(transaction, proven - Kept) + Audit.Prune(transaction, proven, now);
        })
        : 0;

    private static bool IsAnythingOver(Transaction transaction, DateTimeOffset now)
    {
        DateTimeOffset proven = Proven(transaction, now);
        return OverCertificates(transaction, proven - Kept, most: 1).Count > 0 || HasOverHeard(transaction, proven - Kept) || OverTickets(transaction, proven - Kept).Any() || Audit.IsLotOver(transaction, proven);
    }

    /// <summary>A time that has come: the clock's, but no later than the last of some days on which something was signed.</summary>
    private static DateTimeOffset Proven(Transaction transaction, DateTimeOffset now)
    {
        DateTimeOffset signed = DateTimeOffset.FromUnixTimeSeconds(transaction.First(
            $"SELECT DISTINCT not_before / {SecondsOfDay} * {SecondsOfDay} FROM certificates ORDER BY 1 DESC LIMIT 1 OFFSET {ProvingDays - 1}", row => row.GetInt64(0)));
        return signed < now ? signed : now;
    }

    private static List<string> OverCertificates(Transaction transaction, DateTimeOffset before, int most) => transaction.Query(
        $"SELECT serial {Over} ORDER BY not_after LIMIT @2", row => row.GetString(0), before.ToUnixTimeSeconds(), (long)Revocations.Margin.TotalSeconds, most);

    private static int PruneCertificates(Transaction transaction, DateTimeOffset before)
    {
        List<string> over = OverCertificates(transaction, before, MostAtOnce);
        foreach (string serial in over)
        {
            transaction.Run("DELETE FROM revocations WHERE serial = @0", serial);
            transaction.Run("DELETE FROM certificates WHERE serial = @0", serial);
        }

        return over.Count;
    }

    private static bool HasOverHeard(Transaction transaction, DateTimeOffset before) =>
        transaction.First($"SELECT count(*) {HeardOver}", row => row.GetInt64(0), before.ToUnixTimeSeconds(), (long)Revocations.Margin.TotalSeconds) > 0;

    private static int PruneHeard(Transaction transaction, DateTimeOffset before) => transaction.Run(
        $"DELETE FROM heard WHERE serial IN (SELECT serial {HeardOver} LIMIT @2)", before.ToUnixTimeSeconds(), (long)Revocations.Margin.TotalSeconds, MostAtOnce);

    private static IEnumerable<string> OverTickets(Transaction transaction, DateTimeOffset before) =>
        transaction.Query("SELECT id FROM tickets WHERE not_after < @0 ORDER BY not_after", row => row.GetString(0), before.ToUnixTimeSeconds())
            .Where(id => !TicketTerms.TryRead(id, out TicketTerms terms) || terms.NotAfter < before.ToUnixTimeSeconds());

    /// <summary>A ticket goes after all its uses: it may have had a million.</summary>
    private static int PruneTickets(Transaction transaction, DateTimeOffset before)
    {
        int left = MostAtOnce;
        foreach (string id in OverTickets(transaction, before))
        {
            left -= transaction.Run("DELETE FROM ticket_uses WHERE ticket = @0 AND key IN (SELECT key FROM ticket_uses WHERE ticket = @0 LIMIT @1)", id, left);
            if (left == 0)
            {
                break;
            }

            left -= transaction.Run("DELETE FROM tickets WHERE id = @0", id);
            if (left == 0)
            {
                break;
            }
        }

        return MostAtOnce - left;
    }
}
