using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>Makes what the CA tells all nodes: a notice, in the file that ipopd spreads (docs/architecture.md, publish-notice).</summary>
public static class NoticeIssuer
{
    private const int KindAt = 4;
    private const int SignatureLengthAt = 13;
    private const int HeaderSize = 14;

    /// <summary>
    /// Signs a notice: <c>"WOWN" kind(1) number(8) signature-length(1) signature body</c>. The signature is over <c>"wow-notice-1" kind(1) number(8)
    /// size(4) SHA-256(32)</c>.
    /// </summary>
    /// <param name="key">The CA's private key.</param>
    /// <param name="kind">What it is about (docs/protocol.md, Notices).</param>
    /// <param name="number">Higher than that of every notice of this kind before.</param>
    /// <param name="body">What it says.</param>
    public static byte[] Sign(ECDsa key, byte kind, ulong number, ReadOnlySpan<byte> body)
    {
        ArgumentNullException.ThrowIfNull(key);
        using var content = new MemoryStream();
        content.Write("wow-notice-1"u8);
        WriteHead(content, kind, number);
        WriteNumber(content, (ulong)body.Length, 4);
        content.Write(SHA256.HashData(body));
        byte[] signature = key.SignData(content.ToArray(), HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);

        using var file = new MemoryStream();
        file.Write("WOWN"u8);
        WriteHead(file, kind, number);
        file.WriteByte((byte)signature.Length);
        file.Write(signature);
        file.Write(body);
        return file.ToArray();
    }

    /// <summary>The number of a notice that <see cref="Sign"/> made; null if the bytes are none of this kind.</summary>
    public static ulong? NumberOf(byte kind, ReadOnlySpan<byte> file) =>
        file.Length > HeaderSize && file.StartsWith("WOWN"u8) && file[KindAt] == kind && file.Length > HeaderSize + file[SignatureLengthAt]
            ? BinaryPrimitives.ReadUInt64BigEndian(file[(KindAt + 1)..])
            : null;

    private static void WriteHead(MemoryStream stream, byte kind, ulong number)
    {
        stream.WriteByte(kind);
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
