using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>Makes CRLs (RFC 5280 section 5) and the notices in which they travel.</summary>
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

    /// <summary>
    /// Puts a list into the file that ipopd spreads (docs/architecture.md, publish-notice): <c>"WOWN" kind(1) number(8) signature-length(1)
    /// signature body</c>. The signature is over <c>"wow-notice-1" kind(1) number(8) size(4) SHA-256(32)</c>.
    /// </summary>
    public static byte[] Notice(ECDsa key, ulong number, ReadOnlySpan<byte> list)
    {
        ArgumentNullException.ThrowIfNull(key);
        using var content = new MemoryStream();
        content.Write("wow-notice-1"u8);
        WriteHead(content, number);
        WriteNumber(content, (ulong)list.Length, 4);
        content.Write(SHA256.HashData(list));
        byte[] signature = key.SignData(content.ToArray(), HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);

        using var file = new MemoryStream();
        file.Write("WOWN"u8);
        WriteHead(file, number);
        file.WriteByte((byte)signature.Length);
        file.Write(signature);
        file.Write(list);
        return file.ToArray();
    }

    private static void WriteHead(MemoryStream stream, ulong number)
    {
        stream.WriteByte(NoticeKind);
        WriteNumber(stream, number, 8);
    }

    private static void WriteNumber(MemoryStream stream, ulong number, int bytes)
    {
        for (int i = bytes - 1; i >= 0; i--)
        {
            stream.WriteByte((byte)(number >> (8 * i)));
        }
    }
}
