using System.Net;
using CertificateProfile;
using Microsoft.Data.Sqlite;

namespace CaService;

/// <summary>A certificate as the CA remembers it.</summary>
/// <param name="Serial">Upper-case hexadecimal.</param>
/// <param name="Address">Virtual address.</param>
/// <param name="Key">SHA-256 of the key, hexadecimal.</param>
/// <param name="Host">Label.</param>
/// <param name="Role">Worker or manager.</param>
/// <param name="NotBefore">Start of validity.</param>
/// <param name="NotAfter">End of validity.</param>
/// <param name="Status">valid, replaced (the same key has a newer one for the address, or another key has the address) or expired.</param>
/// <param name="Der">The certificate.</param>
internal sealed record CertificateRow(
    string Serial,
    IPAddress Address,
    string Key,
    string Host,
    MemberRole Role,
    DateTimeOffset NotBefore,
    DateTimeOffset NotAfter,
    string Status,
    byte[] Der)
{
    public const string Columns = "serial, address, key, host, role, not_before, not_after, status, der";

    public string RoleName => MemberRoleNames.Of(Role);

    public static CertificateRow Read(SqliteDataReader row) => new(
        row.GetString(0),
        IPAddress.Parse(row.GetString(1)),
        row.GetString(2),
        row.GetString(3),
        row.GetString(4) == MemberRoleNames.Manager ? MemberRole.Manager : MemberRole.Worker,
        DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(5)),
        DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(6)),
        row.GetString(7),
        row.GetFieldValue<byte[]>(8));

    /// <summary>Whether its machine gets another one in its place (<see cref="Renewal.IsDue"/>).</summary>
    public bool IsDueForRenewal(DateTimeOffset now) => Renewal.IsDue(NotBefore, NotAfter, now);
}
