using System.Diagnostics.CodeAnalysis;
using System.Formats.Asn1;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>What the CA takes from a PKCS#10 request (RFC 2986): the public key, and as a mere wish a name. All else is ignored.</summary>
/// <param name="PublicKey">DER SubjectPublicKeyInfo, P-256; the request is signed by it.</param>
/// <param name="WantedName">Common name of the subject, else the first dNSName, else null. Any text: whoever uses it checks it.</param>
public sealed record EnrolmentRequest(ReadOnlyMemory<byte> PublicKey, string? WantedName)
{
    private const string ExtensionRequest = "1.2.840.113549.1.9.14";
    private static readonly Asn1Tag Attributes = new(TagClass.ContextSpecific, 0, isConstructed: true);
    private static readonly Asn1Tag DnsName = new(TagClass.ContextSpecific, 2);

    /// <summary>Makes a request.</summary>
    /// <param name="key">The machine's key, P-256.</param>
    /// <param name="wantedName">Host name, a label; null for none.</param>
    /// <returns>DER.</returns>
    public static byte[] Create(ECDsa key, string? wantedName)
    {
        ArgumentNullException.ThrowIfNull(key);
        var info = new AsnWriter(AsnEncodingRules.DER);
        using (info.PushSequence())
        {
            info.WriteInteger(0);
            info.WriteEncodedValue(wantedName is null ? DistinguishedName.Write() : DistinguishedName.Write((Oids.CommonName, wantedName)));
            info.WriteEncodedValue(key.ExportSubjectPublicKeyInfo());
            info.PushSetOf(Attributes).Dispose();
        }

        byte[] toBeSigned = info.Encode();
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteEncodedValue(toBeSigned);
            using (writer.PushSequence())
            {
                writer.WriteObjectIdentifier(Oids.EcdsaWithSha256);
            }

            writer.WriteBitString(key.SignData(toBeSigned, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence));
        }

        return writer.Encode();
    }

    /// <summary>Reads a request and checks its signature.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="request">What counts of it.</param>
    /// <param name="reason">Why not, one sentence for the asker.</param>
    /// <returns>False for anything else; never throws on hostile bytes.</returns>
    public static bool TryRead(ReadOnlyMemory<byte> der, [NotNullWhen(true)] out EnrolmentRequest? request, out string reason)
    {
        request = null;
        try
        {
            var outer = new AsnReader(der, AsnEncodingRules.DER);
            AsnReader sequence = outer.ReadSequence();
            outer.ThrowIfNotEmpty();
            ReadOnlyMemory<byte> signed = sequence.PeekEncodedValue();
            AsnReader info = sequence.ReadSequence();
            string algorithm = sequence.ReadSequence().ReadObjectIdentifier();
            byte[] signature = sequence.ReadBitString(out _);
            sequence.ThrowIfNotEmpty();

            _ = info.ReadInteger();
            string? commonName = ReadCommonName(info.ReadSequence());
            ReadOnlyMemory<byte> publicKey = info.ReadEncodedValue();
            NodeKey.RequireP256(publicKey.Span);
            string? dnsName = info.HasData ? ReadDnsName(info) : null;
            info.ThrowIfNotEmpty();

            using var key = ECDsa.Create();
            key.ImportSubjectPublicKeyInfo(publicKey.Span, out _);
            if (!key.VerifyData(signed.Span, signature, HashOf(algorithm), DSASignatureFormat.Rfc3279DerSequence))
            {
                reason = "The request is not signed by the key in it: make a new one.";
                return false;
            }

            request = new EnrolmentRequest(publicKey.ToArray(), commonName ?? dnsName);
            reason = string.Empty;
            return true;
        }
        catch (Exception e) when (CertificateFields.IsBadInput(e))
        {
            reason = "The request is not a PKCS#10 request of a P-256 key signed by ECDSA: make one with such a key.";
            return false;
        }
    }

    private static HashAlgorithmName HashOf(string algorithm) => algorithm switch
    {
        Oids.EcdsaWithSha256 => HashAlgorithmName.SHA256,
        Oids.EcdsaWithSha384 => HashAlgorithmName.SHA384,
        Oids.EcdsaWithSha512 => HashAlgorithmName.SHA512,
        _ => throw new CryptographicException("Unknown signature algorithm."),
    };

    private static string? ReadCommonName(AsnReader name)
    {
        string? found = null;
        while (name.HasData)
        {
            AsnReader set = name.ReadSetOf(skipSortOrderValidation: true);
            while (set.HasData)
            {
                AsnReader attribute = set.ReadSequence();
                string oid = attribute.ReadObjectIdentifier();
                Asn1Tag tag = attribute.PeekTag();
                if (oid == Oids.CommonName && (tag.HasSameClassAndValue(new Asn1Tag(UniversalTagNumber.UTF8String))
                    || tag.HasSameClassAndValue(new Asn1Tag(UniversalTagNumber.PrintableString))))
                {
                    found ??= attribute.ReadCharacterString((UniversalTagNumber)tag.TagValue);
                }
                else
                {
                    attribute.ReadEncodedValue();
                }
            }
        }

        return found;
    }

    // strongSwan's pki writes its attributes unsorted, so the order of sets is not checked.
    private static string? ReadDnsName(AsnReader info)
    {
        string? found = null;
        AsnReader attributes = info.ReadSetOf(skipSortOrderValidation: true, Attributes);
        while (attributes.HasData)
        {
            AsnReader attribute = attributes.ReadSequence();
            if (attribute.ReadObjectIdentifier() == ExtensionRequest)
            {
                AsnReader extensions = attribute.ReadSetOf(skipSortOrderValidation: true).ReadSequence();
                while (extensions.HasData)
                {
                    AsnReader extension = extensions.ReadSequence();
                    bool isNames = extension.ReadObjectIdentifier() == Oids.SubjectAlternativeName;
                    if (extension.PeekTag().HasSameClassAndValue(Asn1Tag.Boolean))
                    {
                        extension.ReadBoolean();
                    }

                    byte[] value = extension.ReadOctetString();
                    found ??= isNames ? FirstDnsName(value) : null;
                }
            }
        }

        return found;
    }

    private static string? FirstDnsName(byte[] value)
    {
        AsnReader names = new AsnReader(value, AsnEncodingRules.DER).ReadSequence();
        while (names.HasData)
        {
            if (names.PeekTag().HasSameClassAndValue(DnsName))
            {
                return names.ReadCharacterString(UniversalTagNumber.IA5String, DnsName);
            }

            names.ReadEncodedValue();
        }

        return null;
    }
}
