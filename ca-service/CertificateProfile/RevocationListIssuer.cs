using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>Makes CRLs (RFC 5280 section 5), which travel in notices.</summary>
public static class RevocationListIssuer
{
    /// <summary>The kind of notice that a CRL is (docs/protocol.md, Notices).</summary>
    public const byte NoticeKind = 1;

    /// <summary>Most entries of a list: with 40 bytes each it stays within <see cref="RevocationList.MaxBytes"/>.</summary>
    public const int MaxEntries = 1600;

    /// <summary>Makes a list.</summary>
    /// <param name="authority">The CA.</param>
    /// <param name="key">Its private key.</param>
    /// <param name="number">Higher than that of every list before.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <param name="next">When the next list is made at the latest.</param>
    /// <param name="revoked">Serial numbers in hexadecimal, at most <see cref="MaxEntries"/>, and since when they don't count.</param>
    /// <returns>DER.</returns>
    public static byte[] Create(
        PoolAuthority authority, ECDsa key, ulong number, DateTimeOffset now, DateTimeOffset next, IReadOnlyList<(string Serial, DateTimeOffset At)> revoked)
    {
        ArgumentNullException.ThrowIfNull(authority);
        ArgumentNullException.ThrowIfNull(revoked);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(revoked.Count, MaxEntries);
        var builder = new CertificateRevocationListBuilder();
        foreach ((string serial, DateTimeOffset at) in revoked)
        {
            builder.AddEntry(Convert.FromHexString(serial), at);
        }

        using X509Certificate2 issuer = X509CertificateLoader.LoadCertificate(authority.Der.Span);
        return builder.Build(
            issuer.SubjectName, X509SignatureGenerator.CreateForECDsa(key), number, next, HashAlgorithmName.SHA384,
            X509AuthorityKeyIdentifierExtension.CreateFromCertificate(issuer, true, false), now);
    }
}
