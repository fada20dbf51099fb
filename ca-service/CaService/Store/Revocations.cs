namespace CaService;

/// <summary>The tables of revoked certificates and of the lists made of them.</summary>
internal static class Revocations
{
    /// <summary>
    /// An entry leaves the lists once a list had it that was made so long after its certificate's end (RFC 5280 section 3.3: it stays until a list after the end has it).
    /// </summary>
    public static readonly TimeSpan Margin = TimeSpan.FromDays(1);

    /// <summary>A list as it was signed.</summary>
    internal sealed record Signed(ulong Number, DateTimeOffset MadeAt, byte[] Der);

    /// <summary>
    /// The certificate that a serial number stands for, else those of an address or a host name, the latest first. A serial number is a legal host name, too, and a
    /// machine asks for any name: it must not stand in the place of the one that is meant.
    /// </summary>
    public static List<CertificateRow> Find(Transaction transaction, string target) =>
        Where(transaction, "serial = upper(@0)", target) is { Count: > 0 } meant ? meant : Where(transaction, "address = @0 OR host = lower(@0)", target);

    /// <summary>All certificates of a key.</summary>
    public static List<CertificateRow> OfKey(Transaction transaction, string key) => transaction.Query(
        $"SELECT {CertificateRow.Columns} FROM certificates WHERE key = @0 ORDER BY not_before", CertificateRow.Read, key);

    /// <summary>When a key's certificates were revoked; null if they were not.</summary>
    public static DateTimeOffset? OfKeyAt(Transaction transaction, string key) => transaction.Query(
        "SELECT at FROM banned WHERE key = @0",
        row => DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(0)),
        key) is [DateTimeOffset at] ? at : null;

    /// <summary>The same of a key that is known by its ring address alone, 40 lower-case hexadecimal digits.</summary>
    public static DateTimeOffset? OfNodeAt(Transaction transaction, string node) => transaction.Query(
        "SELECT at FROM banned WHERE key BETWEEN @0 AND @0 || 'g'", row => DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(0)), node) is [DateTimeOffset at, ..] ? at : null;

    /// <summary>Whether a certificate was revoked.</summary>
    public static bool Contains(Transaction transaction, string serial) =>
        transaction.First("SELECT count(*) FROM revocations WHERE serial = @0", row => row.GetInt64(0), serial) > 0;

    /// <summary>Whether a serial number is revoked of which there is no certificate here.</summary>
    public static bool IsHeard(Transaction transaction, string serial) =>
        transaction.First("SELECT count(*) FROM heard WHERE serial = @0", row => row.GetInt64(0), serial) > 0;

    /// <summary>Notes such a serial number.</summary>
    /// <param name="transaction">Where.</param>
    /// <param name="serial">Upper-case hexadecimal.</param>
    /// <param name="notAfter">No certificate of this number lasts longer.</param>
    /// <param name="now">Wall-clock time.</param>
    public static void Hear(Transaction transaction, string serial, DateTimeOffset notAfter, DateTimeOffset now) => transaction.Run(
        "INSERT OR IGNORE INTO heard (serial, not_after, at) VALUES (@0, @1, @2)", serial, notAfter.ToUnixTimeSeconds(), now.ToUnixTimeSeconds());

    /// <summary>Whether anything was ever revoked.</summary>
    public static bool HaveBeen(Transaction transaction) =>
        transaction.First("SELECT (SELECT count(*) FROM banned) + (SELECT count(*) FROM heard)", row => row.GetInt64(0)) > 0;

    /// <summary>Notes a key for good.</summary>
    /// <returns>False if it was noted before.</returns>
    public static bool Ban(Transaction transaction, string key, DateTimeOffset now) =>
        transaction.Run("INSERT OR IGNORE INTO banned (key, at) VALUES (@0, @1)", key, now.ToUnixTimeSeconds()) > 0;

    /// <summary>Notes a revocation.</summary>
    public static void Add(Transaction transaction, CertificateRow certificate, DateTimeOffset now)
    {
        transaction.Run(
            "INSERT INTO revocations (serial, key, not_after, at) VALUES (@0, @1, @2, @3)",
            certificate.Serial,
            certificate.Key,
            certificate.NotAfter.ToUnixTimeSeconds(),
            now.ToUnixTimeSeconds());
        transaction.Run("DELETE FROM heard WHERE serial = @0", certificate.Serial);
    }

    /// <summary>What a list made now has to hold: also what ended since the newest one was made, be that long ago.</summary>
    public static List<(string Serial, DateTimeOffset At)> Current(Transaction transaction, DateTimeOffset now) => transaction.Query(
        "SELECT serial, at FROM (SELECT serial, at, not_after FROM revocations UNION ALL SELECT serial, at, not_after FROM heard) WHERE not_after >= @0 ORDER BY at, serial",
        row => (row.GetString(0), DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(1))),
        ((Newest(transaction)?.MadeAt is { } made && made < now ? made : now) - Margin).ToUnixTimeSeconds());

    /// <summary>The newest list; null if there is none yet.</summary>
    public static Signed? Newest(Transaction transaction) => transaction.First(
        "SELECT number, at, der FROM revocation_lists ORDER BY number DESC LIMIT 1",
        row => new Signed((ulong)row.GetInt64(0), DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(1)), row.GetFieldValue<byte[]>(2)));

    /// <summary>Keeps a list in the place of those before.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Its number is not higher.</exception>
    public static void Keep(Transaction transaction, Signed list)
    {
        transaction.Run(
            "INSERT INTO revocation_lists (number, at, der) VALUES (@0, @1, @2)",
            (long)list.Number,
            list.MadeAt.ToUnixTimeSeconds(),
            list.Der);
        transaction.Run("DELETE FROM revocation_lists WHERE number < @0", (long)list.Number);
    }

    private static List<CertificateRow> Where(Transaction transaction, string condition, string target) => transaction.Query(
        $"SELECT {CertificateRow.Columns} FROM certificates WHERE {condition} ORDER BY not_before DESC", CertificateRow.Read, target);
}
