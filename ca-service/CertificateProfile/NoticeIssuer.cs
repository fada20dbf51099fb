using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CertificateProfile;

/// <summary>Makes what the CA tells all nodes: a notice, in the file that ipopd spreads (docs/protocol.md, Notices).</summary>
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
        byte[] signature = key.SignData(Content(kind, number, body), HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence);

        using var file = new MemoryStream();
        file.Write("WOWN"u8);
        WriteHead(file, kind, number);
        file.WriteByte((byte)signature.Length);
        file.Write(signature);
        file.Write(body);
        return file.ToArray();
    }

    /// <summary>The number of a notice that <see cref="Sign"/> made with this key; null if the bytes are none of this kind, or another key signed them.</summary>
    /// <param name="key">The CA's key.</param>
    /// <param name="kind">What it is to be about.</param>
    /// <param name="file">Any bytes.</param>
    public static ulong? NumberOf(ECDsa key, byte kind, ReadOnlySpan<byte> file) => TryRead(key, kind, file, out ulong number, out _) ? number : null;

    /// <summary>Reads a notice that <see cref="Sign"/> made with this key. Never throws on hostile bytes.</summary>
    /// <param name="key">The CA's key.</param>
    /// <param name="kind">What it has to be about.</param>
    /// <param name="file">Any bytes.</param>
    /// <param name="number">Its number.</param>
    /// <param name="body">What it says.</param>
    /// <returns>Whether it is one of this kind, and signed by this key.</returns>
    public static bool TryRead(ECDsa key, byte kind, ReadOnlySpan<byte> file, out ulong number, out ReadOnlySpan<byte> body)
    {
        ArgumentNullException.ThrowIfNull(key);
        number = 0;
        body = default;
        if (file.Length <= HeaderSize || !file.StartsWith("WOWN"u8) || file[KindAt] != kind || file.Length <= HeaderSize + file[SignatureLengthAt])
        {
            return false;
        }

        number = BinaryPrimitives.ReadUInt64BigEndian(file[(KindAt + 1)..]);
        int start = HeaderSize + file[SignatureLengthAt];
        try
        {
            if (!key.VerifyData(Content(kind, number, file[start..]), file[HeaderSize..start], HashAlgorithmName.SHA384, DSASignatureFormat.Rfc3279DerSequence))
            {
                return false;
            }
        }
        catch (CryptographicException)
        {
            return false;
        }

        body = file[start..];
        return true;
    }

    private static byte[] Content(byte kind, ulong number, ReadOnlySpan<byte> body)
    {
        using var content = new MemoryStream();
        content.Write("wow-notice-1"u8);
        WriteHead(content, kind, number);
        WriteNumber(content, (ulong)body.Length, 4);
        content.Write(SHA256.HashData(body));
        return content.ToArray();
    }

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
