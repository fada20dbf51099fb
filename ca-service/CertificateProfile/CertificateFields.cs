using System.Formats.Asn1;
using System.Numerics;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>
/// The fields of an X.509 certificate (RFC 5280 section 4.1), read strictly as DER. Both our kinds of certificate are read by
/// this instead of <c>X509Chain</c>, which accepts much that the profile does not and throws on a malformed RFC 3779 extension.
/// </summary>
internal sealed class CertificateFields
{
    private const int MaxBytes = 4096;
    private static readonly Asn1Tag VersionTag = new(TagClass.ContextSpecific, 0, isConstructed: true);
    private static readonly Asn1Tag ExtensionsTag = new(TagClass.ContextSpecific, 3, isConstructed: true);
    private readonly Dictionary<string, Extension> _extensions = [];

    private CertificateFields(ReadOnlyMemory<byte> der)
    {
        if (der.Length > MaxBytes)
        {
            throw new AsnContentException($"The certificate is longer than {MaxBytes} bytes.");
        }

        var outer = new AsnReader(der, AsnEncodingRules.DER);
        AsnReader certificate = outer.ReadSequence();
        outer.ThrowIfNotEmpty();
        ToBeSigned = certificate.PeekEncodedValue();
        AsnReader fields = certificate.ReadSequence();
        SignatureAlgorithm = ReadAlgorithm(certificate);
        Signature = certificate.ReadBitString(out int unused);
        certificate.ThrowIfNotEmpty();

        AsnReader version = fields.ReadSequence(VersionTag);
        bool isVersion3 = version.TryReadInt32(out int number) && number == 2;
        version.ThrowIfNotEmpty();
        BigInteger serial = fields.ReadInteger();
        if (!isVersion3 || serial.Sign <= 0 || serial.GetByteCount() > 20 || unused != 0 || ReadAlgorithm(fields) != SignatureAlgorithm)
        {
            throw new AsnContentException("Version, serial number or signature algorithm is not as RFC 5280 wants it.");
        }

        Serial = Convert.ToHexString(serial.ToByteArray(isUnsigned: true, isBigEndian: true));
        Issuer = fields.ReadEncodedValue();
        AsnReader validity = fields.ReadSequence();
        NotBefore = ReadTime(validity);
        NotAfter = ReadTime(validity);
        validity.ThrowIfNotEmpty();
        Subject = fields.ReadEncodedValue();
        PublicKey = fields.ReadEncodedValue();
        AsnReader wrapper = fields.ReadSequence(ExtensionsTag);
        fields.ThrowIfNotEmpty();
        ReadExtensions(wrapper.ReadSequence());
        wrapper.ThrowIfNotEmpty();
    }

    public ReadOnlyMemory<byte> ToBeSigned { get; }

    public string SignatureAlgorithm { get; }

    public ReadOnlyMemory<byte> Signature { get; }

    /// <summary>Upper-case hexadecimal.</summary>
    public string Serial { get; }

    public ReadOnlyMemory<byte> Issuer { get; }

    public DateTimeOffset NotBefore { get; }

    public DateTimeOffset NotAfter { get; }

    public ReadOnlyMemory<byte> Subject { get; }

    /// <summary>DER SubjectPublicKeyInfo.</summary>
    public ReadOnlyMemory<byte> PublicKey { get; }

    /// <exception cref="AsnContentException">These bytes are no certificate.</exception>
    public static CertificateFields Read(ReadOnlyMemory<byte> der) => new(der);

    /// <summary>Takes one extension out.</summary>
    /// <exception cref="AsnContentException">It is missing, or not as critical as it must be.</exception>
    public ReadOnlyMemory<byte> Take(string oid, bool critical)
    {
        if (!_extensions.Remove(oid, out Extension extension) || extension.Critical != critical)
        {
            throw new AsnContentException($"Extension {oid} is missing, or {(critical ? "not critical" : "critical")}.");
        }

        return extension.Value;
    }

    /// <summary>Refuses what nobody took and what nobody may ignore.</summary>
    /// <exception cref="AsnContentException">A critical extension was not taken.</exception>
    public void RequireNoOtherCritical()
    {
        foreach ((string oid, Extension extension) in _extensions)
        {
            if (extension.Critical)
            {
                throw new AsnContentException($"Critical extension {oid} is not part of the profile.");
            }
        }
    }

    /// <summary>Whether the holder of <paramref name="issuerKey"/> signed this, by ECDSA with SHA-384.</summary>
    public bool IsSignedBy(ECDsa issuerKey) =>
        SignatureAlgorithm == Oids.EcdsaWithSha384
        && issuerKey.VerifyData(ToBeSigned.Span, Signature.Span, HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);

    /// <summary>Whether reading hostile bytes may throw this; anything else is our own bug.</summary>
    public static bool IsBadInput(Exception e) =>
        e is AsnContentException or CryptographicException or ArgumentException or FormatException or OverflowException

            // A key on a curve that OpenSSL does not know.
            or PlatformNotSupportedException;

    /// <summary>An AlgorithmIdentifier without parameters (RFC 5280 section 4.1.1.2).</summary>
    public static string ReadAlgorithm(AsnReader reader)
    {
        AsnReader algorithm = reader.ReadSequence();
        string oid = algorithm.ReadObjectIdentifier();
        algorithm.ThrowIfNotEmpty();
        return oid;
    }

    /// <summary>A Time (RFC 5280 section 4.1.2.5).</summary>
    public static DateTimeOffset ReadTime(AsnReader reader) =>
        reader.PeekTag().HasSameClassAndValue(Asn1Tag.UtcTime)
            ? reader.ReadUtcTime(twoDigitYearMax: 2049)
            : reader.ReadGeneralizedTime();

    private void ReadExtensions(AsnReader list)
    {
        while (list.HasData)
        {
            AsnReader item = list.ReadSequence();
            string oid = item.ReadObjectIdentifier();
            bool critical = item.PeekTag().HasSameClassAndValue(Asn1Tag.Boolean) && item.ReadBoolean();
            var extension = new Extension(critical, item.ReadOctetString());
            item.ThrowIfNotEmpty();
            if (!_extensions.TryAdd(oid, extension))
            {
                throw new AsnContentException($"Extension {oid} is there twice.");
            }
        }
    }

    private readonly record struct Extension(bool Critical, ReadOnlyMemory<byte> Value);
}
