using System.Formats.Asn1;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>A machine's one key pair (ECDSA P-256) and what follows from its public half.</summary>
public static class NodeKey
{
    /// <summary>Hexadecimal digits of a ring address: as many of a key's SHA-256 are it.</summary>
    public const int AddressDigits = 2 * AddressBytes;

    /// <summary>Hexadecimal digits of a key's SHA-256.</summary>
    public const int FingerprintDigits = 2 * SHA256.HashSizeInBytes;

    private const int AddressBytes = 20;
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    /// <summary>Reads a key from PKCS#8 PEM.</summary>
    /// <param name="path">The file.</param>
    /// <exception cref="InvalidDataException">The file holds no P-256 private key; the message says what to do.</exception>
    /// <exception cref="IOException">The file can't be read.</exception>
    public static ECDsa Load(string path)
    {
        string pem = File.ReadAllText(path);
        var key = ECDsa.Create();
        try
        {
            key.ImportFromPem(pem);
            RequireP256(key.ExportSubjectPublicKeyInfo());
            _ = key.ExportParameters(includePrivateParameters: true);
            return key;
        }
        catch (Exception e) when (CertificateFields.IsBadInput(e))
        {
            key.Dispose();
            throw new InvalidDataException($"{path} holds no P-256 private key in PEM: put the right file there, or remove it to get a new key.", e);
        }
    }

    /// <summary>Reads the key, or makes one if there is no such file: PKCS#8 PEM, mode 0600, whole or not at all.</summary>
    /// <inheritdoc cref="Load"/>
    public static ECDsa LoadOrCreate(string path)
    {
        if (File.Exists(path))
        {
            return Load(path);
        }

        var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        AtomicFile.WriteText(path, key.ExportPkcs8PrivateKeyPem() + "\n", OwnerOnly);
        return key;
    }

    /// <summary>The ring address: the first 20 bytes of the SHA-256 of the key, as 40 lower-case hexadecimal digits.</summary>
    /// <param name="subjectPublicKeyInfo">DER SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7).</param>
    public static string AddressOf(ReadOnlySpan<byte> subjectPublicKeyInfo) =>
        Convert.ToHexStringLower(SHA256.HashData(subjectPublicKeyInfo).AsSpan(0, AddressBytes));

    /// <summary>The SHA-256 of the key, as 64 lower-case hexadecimal digits.</summary>
    /// <inheritdoc cref="AddressOf"/>
    public static string FingerprintOf(ReadOnlySpan<byte> subjectPublicKeyInfo) =>
        Convert.ToHexStringLower(SHA256.HashData(subjectPublicKeyInfo));

    /// <summary>Checks that this is a P-256 key: the named curve, an uncompressed point, on the curve.</summary>
    /// <param name="subjectPublicKeyInfo">DER SubjectPublicKeyInfo.</param>
    /// <returns>False for anything else; never throws.</returns>
    public static bool IsP256(ReadOnlySpan<byte> subjectPublicKeyInfo)
    {
        try
        {
            RequireP256(subjectPublicKeyInfo);
            return true;
        }
        catch (Exception e) when (e is CryptographicException or AsnContentException)
        {
            return false;
        }
    }

    /// <summary>Imports a public key that <see cref="IsP256"/> accepts.</summary>
    /// <exception cref="CryptographicException">It does not.</exception>
    internal static void RequireP256(ReadOnlySpan<byte> subjectPublicKeyInfo)
    {
        AsnDecoder.ReadSequence(subjectPublicKeyInfo, AsnEncodingRules.DER, out int offset, out int length, out int consumed);
        if (consumed != subjectPublicKeyInfo.Length)
        {
            throw new CryptographicException("Bytes after the public key.");
        }

        // One key, one encoding: the ring address is a hash of these bytes, so a second way to write them would be a second address.
        ReadOnlySpan<byte> inner = subjectPublicKeyInfo.Slice(offset, length);
        AsnDecoder.ReadSequence(inner, AsnEncodingRules.DER, out int algorithmOffset, out int algorithmLength, out int algorithmEnd);
        ReadOnlySpan<byte> algorithm = inner.Slice(algorithmOffset, algorithmLength);
        string kind = AsnDecoder.ReadObjectIdentifier(algorithm, AsnEncodingRules.DER, out int kindEnd);
        string curve = AsnDecoder.ReadObjectIdentifier(algorithm[kindEnd..], AsnEncodingRules.DER, out int curveEnd);
        byte[] point = AsnDecoder.ReadBitString(inner[algorithmEnd..], AsnEncodingRules.DER, out int unused, out int pointEnd);
        bool exact = kind == Oids.EcPublicKey && curve == Oids.P256 && kindEnd + curveEnd == algorithm.Length
            && algorithmEnd + pointEnd == inner.Length && unused == 0 && point.Length == 65 && point[0] == 0x04;
        if (!exact)
        {
            throw new CryptographicException("Not an uncompressed P-256 public key.");
        }

        using var key = ECDsa.Create();
        key.ImportSubjectPublicKeyInfo(subjectPublicKeyInfo, out _);
    }
}
