using System.Diagnostics.CodeAnalysis;
using System.Net;
using System.Security.Cryptography;
using System.Text;

namespace CertificateProfile;

/// <summary>
/// The check that who asks for an address is reached at it and holds the key (docs/reference/certificates.md). The CA sends a
/// line with a nonce, the node answers with a line that holds a signature over nonce, address and key.
/// </summary>
public static class Possession
{
    /// <summary>Length of the nonce, in hexadecimal digits.</summary>
    public const int NonceDigits = 64;

    /// <summary>Length of the CA's line with its newline, in bytes.</summary>
    public const int ChallengeBytes = 6 + NonceDigits + 1;

    /// <summary>No answer is longer than this, in bytes: base64 of a P-256 signature in DER (at most 72 bytes) and CR LF.</summary>
    public const int MaxAnswerBytes = 98;

    private const string ChallengePrefix = "WOWP1 ";

    /// <summary>A fresh random nonce: lower-case hexadecimal.</summary>
    public static string NewNonce() => RandomNumberGenerator.GetHexString(NonceDigits, lowercase: true);

    /// <summary>The CA's line, newline included.</summary>
    public static byte[] Challenge(string nonce) => Encoding.ASCII.GetBytes($"{ChallengePrefix}{nonce}\n");

    /// <summary>Reads the CA's line.</summary>
    /// <param name="line">Bytes up to and including the newline.</param>
    /// <param name="nonce">The nonce, lower-case.</param>
    public static bool TryReadChallenge(ReadOnlySpan<byte> line, [NotNullWhen(true)] out string? nonce)
    {
        nonce = null;
        if (line.Length != ChallengeBytes || line[^1] != (byte)'\n' || !line.StartsWith("WOWP1 "u8))
        {
            return false;
        }

        foreach (byte digit in line[6..^1])
        {
            if (!char.IsAsciiHexDigitLower((char)digit))
            {
                return false;
            }
        }

        nonce = Encoding.ASCII.GetString(line[6..^1]);
        return true;
    }

    /// <summary>The node's line, newline included.</summary>
    /// <param name="key">The node's key.</param>
    /// <param name="nonce">From <see cref="TryReadChallenge"/>.</param>
    /// <param name="address">The node's virtual address.</param>
    public static byte[] Answer(ECDsa key, string nonce, IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(key);
        byte[] message = Message(key.ExportSubjectPublicKeyInfo(), nonce, address);
        byte[] signature = key.SignData(message, HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence);
        return Encoding.ASCII.GetBytes(Convert.ToBase64String(signature) + "\n");
    }

    /// <summary>Checks the node's line.</summary>
    /// <param name="subjectPublicKeyInfo">The key that asks for a certificate.</param>
    /// <param name="nonce">What was sent.</param>
    /// <param name="address">Where it was sent.</param>
    /// <param name="answer">What came back; a newline at its end is ignored.</param>
    /// <returns>False for anything but a signature of this key over this nonce and address; never throws on bad bytes.</returns>
    public static bool IsAnswer(ReadOnlySpan<byte> subjectPublicKeyInfo, string nonce, IPAddress address, ReadOnlySpan<byte> answer)
    {
        Span<byte> signature = stackalloc byte[MaxAnswerBytes];
        ReadOnlySpan<byte> trimmed = answer.TrimEnd("\r\n"u8);
        if (trimmed.Length > MaxAnswerBytes
            || System.Buffers.Text.Base64.DecodeFromUtf8(trimmed, signature, out _, out int length) != System.Buffers.OperationStatus.Done)
        {
            return false;
        }

        try
        {
            using var key = ECDsa.Create();
            key.ImportSubjectPublicKeyInfo(subjectPublicKeyInfo, out _);
            byte[] message = Message(subjectPublicKeyInfo, nonce, address);
            return key.VerifyData(message, signature[..length], HashAlgorithmName.SHA256, DSASignatureFormat.Rfc3279DerSequence);
        }
        catch (CryptographicException)
        {
            return false;
        }
    }

    private static byte[] Message(ReadOnlySpan<byte> subjectPublicKeyInfo, string nonce, IPAddress address) =>
        Encoding.ASCII.GetBytes($"wow-possession-1|{nonce}|{address}|{NodeKey.FingerprintOf(subjectPublicKeyInfo)}");
}
