using System.Diagnostics.CodeAnalysis;
using System.Formats.Asn1;

namespace CertificateProfile;

/// <summary>The "certs-only" PKCS#7 message in which EST carries certificates (RFC 7030 section 4.1.3, RFC 5652 section 5.1).</summary>
public static class CertsOnly
{
    private const string SignedData = "1.2.840.113549.1.7.2";
    private const string Data = "1.2.840.113549.1.7.1";
    private static readonly Asn1Tag Tag0 = new(TagClass.ContextSpecific, 0, isConstructed: true);

    /// <summary>Wraps certificates.</summary>
    /// <param name="certificates">DER, each.</param>
    public static byte[] Write(params ReadOnlySpan<byte[]> certificates)
    {
        var writer = new AsnWriter(AsnEncodingRules.DER);
        using (writer.PushSequence())
        {
            writer.WriteObjectIdentifier(SignedData);
            using (writer.PushSequence(Tag0))
            using (writer.PushSequence())
            {
                writer.WriteInteger(1);
                writer.PushSetOf().Dispose();
                using (writer.PushSequence())
                {
                    writer.WriteObjectIdentifier(Data);
                }

                using (writer.PushSetOf(Tag0))
                {
                    foreach (byte[] certificate in certificates)
                    {
                        writer.WriteEncodedValue(certificate);
                    }
                }

                writer.PushSetOf().Dispose();
            }
        }

        return writer.Encode();
    }

    /// <summary>Takes the first certificate out; the certificate itself is not looked at.</summary>
    /// <param name="der">Any bytes.</param>
    /// <param name="certificate">DER.</param>
    /// <returns>False if there is none; never throws on hostile bytes.</returns>
    public static bool TryReadFirst(ReadOnlyMemory<byte> der, [NotNullWhen(true)] out byte[]? certificate)
    {
        certificate = null;
        try
        {
            AsnReader content = new AsnReader(der, AsnEncodingRules.BER).ReadSequence();
            if (content.ReadObjectIdentifier() != SignedData)
            {
                return false;
            }

            AsnReader signedData = content.ReadSequence(Tag0).ReadSequence();
            signedData.ReadInteger();
            signedData.ReadSetOf(skipSortOrderValidation: true);
            signedData.ReadSequence();
            AsnReader certificates = signedData.ReadSetOf(skipSortOrderValidation: true, Tag0);
            certificate = certificates.ReadEncodedValue().ToArray();
            return true;
        }
        catch (AsnContentException)
        {
            return false;
        }
    }
}
