using System.Net;
using CertificateProfile;

namespace CaService;

/// <summary>The table of certificates.</summary>
internal static class Certificates
{
    /// <summary>
    /// Frees addresses whose certificate is over. The margin is what new certificates are backdated by, so that even the lifetimes
    /// of two certificates of one address never overlap.
    /// </summary>
    public static int Expire(Transaction transaction, DateTimeOffset now) => transaction.Run(
        "UPDATE certificates SET status = 'expired' WHERE status = 'valid' AND not_after < @0",
        (now - PoolProfile.Backdate).ToUnixTimeSeconds());

    /// <summary>Who holds an address now.</summary>
    public static CertificateRow? HolderOf(Transaction transaction, IPAddress address, DateTimeOffset now) => transaction.First(
        $"SELECT {CertificateRow.Columns} FROM certificates WHERE address = @0 AND status = 'valid' AND not_after >= @1",
        CertificateRow.Read,
        address.ToString(),
        (now - PoolProfile.Backdate).ToUnixTimeSeconds());

    /// <summary>Whether a machine with another key has this name.</summary>
    public static bool IsNameTaken(Transaction transaction, string host, string key) => transaction.First(
        "SELECT count(*) FROM certificates WHERE host = @0 AND status = 'valid' AND key <> @1", row => row.GetInt64(0), host, key) > 0;

    /// <summary>Has a certificate that was taken for expired, by a clock that was ahead, count again.</summary>
    /// <returns>Whether there is one of this serial number.</returns>
    public static bool Revive(Transaction transaction, string serial) =>
        transaction.Run("UPDATE certificates SET status = 'valid' WHERE serial = @0", serial) > 0;

    /// <summary>All of them, by address and age.</summary>
    public static List<CertificateRow> All(Transaction transaction) => transaction.Query(
        $"SELECT {CertificateRow.Columns} FROM certificates ORDER BY not_before, serial", CertificateRow.Read);

    /// <summary>Notes a certificate, in the place of the same key's older one for the address.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Another key holds the address.</exception>
    public static void Add(Transaction transaction, MemberInfo info, string key, string? ticket, byte[] der)
    {
        string address = info.Address.ToString();
        transaction.Run("UPDATE certificates SET status = 'replaced' WHERE address = @0 AND key = @1 AND status = 'valid'", address, key);
        transaction.Run(
            """
            INSERT INTO certificates (serial, address, key, host, role, not_before, not_after, status, ticket, der)
            VALUES (@0, @1, @2, @3, @4, @5, @6, 'valid', @7, @8)
            """,
            info.Serial,
            address,
            key,
            info.HostName,
            MemberRoleNames.Of(info.Role),
            info.NotBefore.ToUnixTimeSeconds(),
            info.NotAfter.ToUnixTimeSeconds(),
            ticket,
            der);
    }
}
