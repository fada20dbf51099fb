namespace Brunet.Sessions;

/// <summary>The one form of a public key that counts: a node's address hangs on its bytes, so one key must have one encoding.</summary>
public static class P256PublicKey
{
    /// <summary>Length of the DER SubjectPublicKeyInfo in bytes.</summary>
    public const int Size = 91;

    // SEQUENCE, AlgorithmIdentifier {id-ecPublicKey, secp256r1}, BIT STRING, uncompressed point (RFC 5480 section 2).
    private static ReadOnlySpan<byte> Head =>
    [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
        0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ];

    /// <summary>Whether this is P-256 with an uncompressed point; whether the point is on the curve OpenSSL has checked.</summary>
    public static bool IsCanonical(ReadOnlySpan<byte> subjectPublicKeyInfo) =>
        subjectPublicKeyInfo.Length == Size && subjectPublicKeyInfo.StartsWith(Head);
}
