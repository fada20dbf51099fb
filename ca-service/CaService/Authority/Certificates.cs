using System.Net;
using CertificateProfile;

namespace CaService;

/// <summary>The table of certificates.</summary>
internal static class Certificates
{
    /// <summary>
    /// Addresses that a key may hold at a time. An honest machine takes another one where it lost its own; who takes one after the other keeps them from all others for
    /// a month, and no revocation gives them back sooner.
    /// </summary>
    public const int MostAddresses = 4;

    /// <summary>
    /// Frees addresses whose certificate is over. The margin is what new certificates are backdated by, so that even the lifetimes
    /// of two certificates of one address never overlap.
    /// </summary>
    /// <remarks>
    /// What a clock that was ahead took for over holds its address again: of several the one that began last, if nobody has the address by now. Its name may be
    /// another's, too, until one of them renews (EnrolmentDesk.ChooseName).
    /// </remarks>
    public static int Expire(Transaction transaction, DateTimeOffset now)
    {
        long over = (now - PoolProfile.Backdate).ToUnixTimeSeconds();
        int expired = transaction.Run("UPDATE certificates SET status = 'expired' WHERE status = 'valid' AND not_after < @0", over);
        transaction.Run(
            """
            UPDATE certificates SET status = 'valid' WHERE serial IN (
                SELECT serial FROM (
                    SELECT serial, address, max(not_before) FROM certificates WHERE status = 'expired' AND not_after >= @0 AND not_before <= @1 GROUP BY address)
                WHERE address NOT IN (SELECT address FROM certificates WHERE status = 'valid'))
            """,
            over,
            now.ToUnixTimeSeconds());
        return expired;
    }

    /// <summary>Who holds an address now.</summary>
    public static CertificateRow? HolderOf(Transaction transaction, IPAddress address, DateTimeOffset now) => transaction.First(
        $"SELECT {CertificateRow.Columns} FROM certificates WHERE address = @0 AND status = 'valid' AND not_after >= @1",
        CertificateRow.Read,
        address.ToString(),
        (now - PoolProfile.Backdate).ToUnixTimeSeconds());

    /// <summary>Whether a machine with another key has this name.</summary>
    public static bool IsNameTaken(Transaction transaction, string host, string key) => transaction.First(
        "SELECT count(*) FROM certificates WHERE host = @0 AND status = 'valid' AND key <> @1", row => row.GetInt64(0), host, key) > 0;

    /// <summary>When the first of a key's certificates ends, if it has as many as one may have at a time; null while it may have another.</summary>
    public static DateTimeOffset? FullUntil(Transaction transaction, string key, DateTimeOffset now)
    {
        List<long> ends = transaction.Query(
            "SELECT not_after FROM certificates WHERE status = 'valid' AND key = @0 AND not_after >= @1 ORDER BY not_after",
            row => row.GetInt64(0),
            key,
            (now - PoolProfile.Backdate).ToUnixTimeSeconds());
        return ends.Count < MostAddresses ? null : DateTimeOffset.FromUnixTimeSeconds(ends[0]);
    }

    /// <summary>Whether there is a row for a certificate.</summary>
    public static bool IsKnown(Transaction transaction, string serial) =>
        transaction.First("SELECT count(*) FROM certificates WHERE serial = @0", row => row.GetInt64(0), serial) > 0;

    /// <summary>All of them, by address and age.</summary>
    public static List<CertificateRow> All(Transaction transaction) => transaction.Query(
        $"SELECT {CertificateRow.Columns} FROM certificates ORDER BY not_before, serial", CertificateRow.Read);

    /// <summary>Notes a certificate, in the place of the same key's older one for the address.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Another key holds the address.</exception>
    public static void Add(Transaction transaction, MemberInfo info, string key, string? ticket, byte[] der)
    {
        transaction.Run("UPDATE certificates SET status = 'replaced' WHERE address = @0 AND key = @1 AND status = 'valid'", info.Address.ToString(), key);
        Insert(transaction, info, key, ticket, der, "valid");
    }

    /// <summary>
    /// Notes a certificate that this CA's key signed elsewhere, in a copy of its folder: so it can be revoked, and what was revoked before takes it along.
    /// One that the table took for expired, by a clock that was ahead, counts again.
    /// </summary>
    /// <param name="transaction">Where.</param>
    /// <param name="info">What it says, verified.</param>
    /// <param name="der">The certificate.</param>
    /// <param name="mayDisplace">Whether it takes the address even from another key's: it is that of a manager to whom the CA's list gives the address.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <returns>Whether the table had no such certificate.</returns>
    public static bool Learn(Transaction transaction, MemberInfo info, byte[] der, bool mayDisplace, DateTimeOffset now)
    {
        Expire(transaction, now);
        string key = NodeKey.FingerprintOf(info.PublicKey.Span);
        CertificateRow? holder = HolderOf(transaction, info.Address, now);
        bool holds = holder is null || (holder.Key == key ? holder.NotBefore < info.NotBefore : mayDisplace);
        if (holds && holder is not null)
        {
            transaction.Run("UPDATE certificates SET status = 'replaced' WHERE serial = @0", holder.Serial);
        }

        if (holds && holder is not null && holder.Key != key)
        {
            Audit.Append(transaction, now, "displace", $"serial={holder.Serial} address={holder.Address} host={holder.Host} key={holder.Key}");
        }

        if (IsKnown(transaction, info.Serial))
        {
            if (holds)
            {
                transaction.Run("UPDATE certificates SET status = 'valid' WHERE serial = @0", info.Serial);
            }

            return false;
        }

        Insert(transaction, info, key, null, der, holds ? "valid" : "replaced");
        return Audit.Append(transaction, now, "learn", $"serial={info.Serial} address={info.Address} host={info.HostName} role={info.Role} key={key}");
    }

    private static void Insert(Transaction transaction, MemberInfo info, string key, string? ticket, byte[] der, string status) => transaction.Run(
        """
        INSERT INTO certificates (serial, address, key, host, role, not_before, not_after, status, ticket, der)
        VALUES (@0, @1, @2, @3, @4, @5, @6, @7, @8, @9)
        """,
        info.Serial,
        info.Address.ToString(),
        key,
        info.HostName,
        MemberRoleNames.Of(info.Role),
        info.NotBefore.ToUnixTimeSeconds(),
        info.NotAfter.ToUnixTimeSeconds(),
        status,
        ticket,
        der);
}
