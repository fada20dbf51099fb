using System.Formats.Asn1;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace CertificateProfile;

/// <summary>
/// The extensions that are the same in every certificate of a kind. The issuer copies them and the reader compares bytes: DER has
/// one way to write a value.
/// </summary>
internal static class FixedExtensions
{
    /// <summary>A CA that signs no other CAs; it signs certificates and CRLs and nothing else.</summary>
    public static readonly X509Extension[] Authority =
    [
        new X509BasicConstraintsExtension(true, true, 0, critical: true),
        new X509KeyUsageExtension(X509KeyUsageFlags.KeyCertSign | X509KeyUsageFlags.CrlSign, critical: true),
    ];

    /// <summary>No CA; it signs handshakes, as server, as client and in IKE.</summary>
    public static readonly X509Extension[] Member =
    [
        new X509BasicConstraintsExtension(false, false, 0, critical: true),
        new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true),
        new X509EnhancedKeyUsageExtension([new Oid(Oids.ServerAuth), new Oid(Oids.ClientAuth), new Oid(Oids.IpsecIke)], critical: false),
    ];

    /// <summary>Takes extensions out of a certificate.</summary>
    /// <exception cref="AsnContentException">One is missing or different.</exception>
    public static void Take(CertificateFields fields, ReadOnlySpan<X509Extension> expected)
    {
        foreach (X509Extension extension in expected)
        {
            if (!fields.Take(extension.Oid!.Value!, extension.Critical).Span.SequenceEqual(extension.RawData))
            {
                throw new AsnContentException($"Extension {extension.Oid.Value} ({extension.Oid.FriendlyName}) is not that of the profile.");
            }
        }
    }
}
