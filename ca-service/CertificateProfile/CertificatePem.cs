using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>One certificate in PEM (RFC 7468 section 5).</summary>
public static class CertificatePem
{
    private const string Label = "CERTIFICATE";

    /// <summary>The text, newline at its end included.</summary>
    public static string Write(ReadOnlySpan<byte> der) => PemEncoding.WriteString(Label, der) + "\n";

    /// <summary>Reads the first certificate of a text.</summary>
    public static bool TryRead(ReadOnlySpan<char> text, [NotNullWhen(true)] out byte[]? der)
    {
        der = null;
        if (!PemEncoding.TryFind(text, out PemFields fields) || !text[fields.Label].SequenceEqual(Label))
        {
            return false;
        }

        der = Convert.FromBase64String(text[fields.Base64Data].ToString());
        return true;
    }
}
