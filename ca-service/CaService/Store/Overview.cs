namespace CaService;

/// <summary>A line of the audit.</summary>
internal sealed record AuditRow(DateTimeOffset At, string Event, string Detail);

/// <summary>A ticket: how many machines, how many came by it, until when.</summary>
internal sealed record TicketRow(string Id, long Uses, long Used, DateTimeOffset NotAfter);

/// <summary>What a page of the CA has room for: counts of all, and the first of each kind.</summary>
/// <param name="Policy">Who is admitted of those whom nobody named.</param>
/// <param name="States">Certificates by state; of those that are late the valid ones have them, too.</param>
/// <param name="Ends">Valid certificates by the day on which they end, today first.</param>
/// <param name="Soon">Valid certificates whose machine should have renewed them, the next to end first.</param>
/// <param name="Waiting">How many machines wait.</param>
/// <param name="Requests">Those that wait longest.</param>
/// <param name="Tickets">Tickets that still admit somebody, the next to end first.</param>
/// <param name="Decisions">What was decided, the last first.</param>
internal sealed record Overview(
    AdmissionPolicy Policy,
    IReadOnlyDictionary<string, long> States,
    IReadOnlyList<long> Ends,
    List<CertificateRow> Soon,
    long Waiting,
    List<AdmissionRow> Requests,
    List<TicketRow> Tickets,
    List<AuditRow> Decisions)
{
    /// <summary>Rows of each list at most.</summary>
    public const int Most = 50;

    /// <summary>Days of which it is said how many certificates end: a certificate lasts as many.</summary>
    public const int Days = 31;

    /// <summary>Valid ones that should have been renewed.</summary>
    public const string Late = "late";

    private const string Now = "status = 'valid' AND not_after >= @0 AND serial NOT IN (SELECT serial FROM revocations)";

    /// <summary>Looks.</summary>
    public static Overview Of(Transaction transaction, DateTimeOffset now)
    {
        long at = now.ToUnixTimeSeconds();
        long today = now.ToUnixTimeSeconds() / 86400;

        // The same rule as Renewal.IsDue's: less than a third of its life is left, or it is not valid yet.
        const string IsLate = "((not_after - @0) * 3 < not_after - not_before OR not_before > @0)";
        long Count(string where) => transaction.First($"SELECT count(*) FROM certificates WHERE {where}", row => row.GetInt64(0), at);
        long[] ends = new long[Days];
        foreach ((long day, long count) in transaction.Query(
            $"SELECT not_after / 86400, count(*) FROM certificates WHERE {Now} GROUP BY 1", row => (row.GetInt64(0), row.GetInt64(1)), at))
        {
            if (day - today is >= 0 and < Days and var ahead)
            {
                ends[ahead] += count;
            }
        }

        return new Overview(
            Admissions.Policy(transaction),
            new Dictionary<string, long>
            {
                ["valid"] = Count(Now),
                [Late] = Count($"{Now} AND {IsLate}"),
                ["revoked"] = Count("not_after >= @0 AND serial IN (SELECT serial FROM revocations)"),
                ["replaced"] = Count("status = 'replaced' AND not_after >= @0 AND serial NOT IN (SELECT serial FROM revocations)"),
                ["expired"] = Count("not_after < @0"),
            },
            ends,
            transaction.Query($"SELECT {CertificateRow.Columns} FROM certificates WHERE {Now} AND {IsLate} ORDER BY not_after, serial LIMIT {Most}", CertificateRow.Read, at),
            transaction.First("SELECT count(*) FROM admissions WHERE state = 'waiting'", row => row.GetInt64(0)),
            transaction.Query($"SELECT {AdmissionRow.Columns} FROM admissions WHERE state = 'waiting' ORDER BY since, node LIMIT {Most}", AdmissionRow.Read),
            transaction.Query(
                $"""
                SELECT id, uses, (SELECT count(*) FROM ticket_uses WHERE ticket = id) AS used, not_after FROM tickets
                WHERE not_after >= @0 AND used < uses ORDER BY not_after, id LIMIT {Most}
                """,
                row => new TicketRow(row.GetString(0), row.GetInt64(1), row.GetInt64(2), DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(3))),
                at),
            transaction.Query(
                $"""
                SELECT at, event, detail FROM audit WHERE event IN ('init', 'asked', 'approve', 'deny', 'ticket', 'revoke', 'policy', 'managers', 'displace', 'publish', 'drain', 'drain-end')
                ORDER BY id DESC LIMIT {Most}
                """,
                row => new AuditRow(DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(0)), row.GetString(1), row.GetString(2))));
    }
}
