using System.Diagnostics.CodeAnalysis;
using System.Formats.Asn1;
using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>A pool's CA as those see it who trust it: its public key, its pool, and what it may sign.</summary>
/// <remarks>Safe for concurrent use.</remarks>
public sealed class PoolAuthority
{
    /// <summary>The kind of notice that is a renewed certificate.</summary>
    public const byte NoticeKind = Agreed.AuthorityNotice;

    internal const string CommonName = "WOW CA";
    private readonly byte[] _publicKey;
    private readonly ReadOnlyMemory<byte> _subject;

    private PoolAuthority(CertificateFields fields, byte[] der, PoolProfile pool)
    {
        _publicKey = fields.PublicKey.ToArray();
        _subject = fields.Subject;
        Der = der;
        Pool = pool;
        NotBefore = fields.NotBefore;
        NotAfter = fields.NotAfter;
    }

    /// <summary>The pool that it signs for.</summary>
    public PoolProfile Pool { get; }

    /// <summary>The certificate.</summary>
    public ReadOnlyMemory<byte> Der { get; }

    /// <summary>Start of validity.</summary>
    public DateTimeOffset NotBefore { get; }

    /// <summary>End of validity.</summary>
    public DateTimeOffset NotAfter { get; }

    /// <summary>The SHA-256 of the certificate, 64 lower-case hexadecimal digits: what two people compare.</summary>
    public string Fingerprint => Convert.ToHexStringLower(SHA256.HashData(Der.Span));

    /// <summary>The number of the notice that is this certificate: the Unix second of its end, so the one that ends last counts.</summary>
    public ulong NoticeNumber => (ulong)NotAfter.ToUnixTimeSeconds();

    /// <summary>
    /// Whether this is another's certificate, perhaps renewed: the same key, name and pool, and valid as early. Who believes the other may believe this one, for only the
    /// holder of its key can have made it, and so long as it does not end earlier it takes nothing away.
    /// </summary>
    /// <param name="former">The one that is believed.</param>
    public bool IsSameAs(PoolAuthority former)
    {
        ArgumentNullException.ThrowIfNull(former);
        return _publicKey.AsSpan().SequenceEqual(former._publicKey) && _subject.Span.SequenceEqual(former._subject.Span) && Pool == former.Pool && NotBefore <= former.NotBefore;
    }

    /// <summary>Reads a CA certificate from a PEM file.</summary>
    /// <exception cref="InvalidDataException">It holds no CA certificate of our profile; the message names the file and says why.</exception>
    /// <exception cref="IOException">The file can't be read.</exception>
    public static PoolAuthority Load(string path)
    {
        if (!CertificatePem.TryRead(File.ReadAllText(path), out byte[]? der))
        {
            throw new InvalidDataException($"{path} holds no certificate in PEM: put the pool's CA certificate there.");
        }

        return TryRead(der, out PoolAuthority? authority, out string reason)
            ? authority
            : throw new InvalidDataException($"{path} is not a pool's CA certificate ({reason}): put the one that wow-ca init made there.");
    }

    /// <summary>Reads a CA certificate and checks it against the profile; nothing else about it is trusted yet.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="authority">The CA.</param>
    /// <param name="reason">Why not, for a log.</param>
    /// <returns>False for anything that is not a CA of ours; never throws on hostile bytes.</returns>
    public static bool TryRead(ReadOnlySpan<byte> der, [NotNullWhen(true)] out PoolAuthority? authority, out string reason)
    {
        authority = null;
        try
        {
            byte[] copy = der.ToArray();
            CertificateFields fields = CertificateFields.Read(copy);
            PoolProfile pool = ReadProfile(fields);
            using var key = ECDsa.Create();
            key.ImportSubjectPublicKeyInfo(fields.PublicKey.Span, out _);
            if (key.KeySize != 384 || !fields.IsSignedBy(key))
            {
                reason = "its key is not P-384, or it did not sign itself";
                return false;
            }

            authority = new PoolAuthority(fields, copy, pool);
            reason = string.Empty;
            return true;
        }
        catch (Exception e) when (CertificateFields.IsBadInput(e))
        {
            reason = e.Message;
            return false;
        }
    }

    /// <summary>Checks a machine's certificate: this CA's signature, validity now, and the profile exactly.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="now">Wall-clock time.</param>
    /// <param name="info">What the certificate says.</param>
    /// <param name="reason">Why not, for a log.</param>
    /// <returns>False for anything but a certificate that may be believed; never throws on hostile bytes.</returns>
    public bool TryVerify(ReadOnlySpan<byte> der, DateTimeOffset now, [NotNullWhen(true)] out MemberInfo? info, out string reason)
    {
        if (!TryVerifyIgnoringTime(der, out info, out reason))
        {
            return false;
        }

        if (OutOfDate(info.NotBefore, info.NotAfter, now) is not { } fault)
        {
            return true;
        }

        (info, reason) = (null, fault);
        return false;
    }

    /// <summary>Why a machine's certificate, which is this CA's, is not valid at a time; null if it is.</summary>
    /// <param name="notBefore">Start of its validity.</param>
    /// <param name="notAfter">End of its validity.</param>
    /// <param name="now">Wall-clock time.</param>
    public string? OutOfDate(DateTimeOffset notBefore, DateTimeOffset notAfter, DateTimeOffset now)
    {
        if (now < notBefore || now < NotBefore)
        {
            return $"it is not valid before {(notBefore > NotBefore ? notBefore : NotBefore):u}";
        }

        return now > notAfter || now > NotAfter ? $"it expired at {(notAfter < NotAfter ? notAfter : NotAfter):u}" : null;
    }

    /// <summary>Like <see cref="TryVerify(ReadOnlySpan{byte}, DateTimeOffset, out MemberInfo?, out string)"/>, but whatever the time is.</summary>
    public bool TryVerifyIgnoringTime(ReadOnlySpan<byte> der, [NotNullWhen(true)] out MemberInfo? info, out string reason)
    {
        info = null;
        try
        {
            CertificateFields fields = CertificateFields.Read(der.ToArray());
            using var key = ECDsa.Create();
            key.ImportSubjectPublicKeyInfo(_publicKey, out _);
            if (!fields.Issuer.Span.SequenceEqual(_subject.Span) || !fields.IsSignedBy(key))
            {
                reason = $"the CA of pool {Pool.Name} did not sign it";
                return false;
            }

            info = MemberCertificateReader.Read(fields, Pool);
            reason = string.Empty;
            return true;
        }
        catch (Exception e) when (CertificateFields.IsBadInput(e))
        {
            reason = e.Message;
            return false;
        }
    }

    /// <summary>Reads a CRL and checks this CA's signature. Its age is not looked at: what was revoked stays so.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="list">What it says.</param>
    /// <param name="reason">Why not, for a log.</param>
    /// <returns>False for anything but a list of this CA; never throws on hostile bytes.</returns>
    public bool TryReadRevocations(ReadOnlySpan<byte> der, [NotNullWhen(true)] out RevocationList? list, out string reason) =>
        RevocationList.TryRead(der, _subject, _publicKey, out list, out reason);

    /// <summary>The same in one call, for those who hold the CA as a .NET certificate.</summary>
    /// <inheritdoc cref="TryVerify(ReadOnlySpan{byte}, DateTimeOffset, out MemberInfo?, out string)"/>
    public static bool TryVerify(
        ReadOnlySpan<byte> der,
        X509Certificate2 authority,
        DateTimeOffset now,
        [NotNullWhen(true)] out MemberInfo? info,
        out string reason)
    {
        ArgumentNullException.ThrowIfNull(authority);
        info = null;
        return TryRead(authority.RawDataMemory.Span, out PoolAuthority? pool, out reason) && pool.TryVerify(der, now, out info, out reason);
    }

    private static PoolProfile ReadProfile(CertificateFields fields)
    {
        string[] subject = DistinguishedName.Read(fields.Subject, Oids.Organization, Oids.CommonName);
        FixedExtensions.Take(fields, FixedExtensions.Authority);
        (string zone, IPNetwork named) = NameConstraints.Read(fields.Take(Oids.NameConstraints, critical: true));
        IPNetwork blocks = IpAddressBlocks.Read(fields.Take(Oids.IpAddressBlocks, critical: true));
        fields.RequireNoOtherCritical();

        if (subject[1] != CommonName || !fields.Subject.Span.SequenceEqual(fields.Issuer.Span)
            || !PoolProfile.TryCreate(subject[0], blocks, out PoolProfile? pool) || zone != pool.Zone || !named.Equals(blocks))
        {
            throw new AsnContentException("subject, name constraints and address blocks are not those of a pool's CA");
        }

        return pool;
    }
}
