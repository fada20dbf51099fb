using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Brunet.Notices;

/// <summary>Something that the pool's CA tells all nodes, such as a CRL. Of each kind the one with the highest number counts.</summary>
/// <param name="Kind">What it is about, 1 to <see cref="MaxKind"/>.</param>
/// <param name="Number">Grows with each notice of a kind.</param>
/// <param name="Body">1 to <see cref="MaxSize"/> bytes.</param>
/// <param name="Signature">1 to <see cref="MaxSignatureSize"/> bytes, as the pool's <see cref="INoticePolicy"/> wants them.</param>
public sealed record Notice(byte Kind, ulong Number, ReadOnlyMemory<byte> Body, ReadOnlyMemory<byte> Signature)
{
    /// <summary>Kinds are numbered from 1 to this.</summary>
    public const byte MaxKind = 8;

    /// <summary>Largest body, in bytes.</summary>
    public const int MaxSize = 65536;

    /// <summary>Where the kind stands in what is signed.</summary>
    public const int KindAt = 12;

    /// <summary>Longest signature, in bytes: ECDSA P-521 in DER has 139 at most, P-384 104.</summary>
    public const int MaxSignatureSize = 128;

    /// <summary>What is signed: <code>"wow-notice-1" kind(1) number(8) size(4) SHA-256 of the body(32)</code> So a head is judged without its body.</summary>
    public static byte[] Content(byte kind, ulong number, ReadOnlySpan<byte> body) => Content(kind, number, (uint)body.Length, SHA256.HashData(body));

    internal static byte[] Content(byte kind, ulong number, uint size, ReadOnlySpan<byte> hash)
    {
        byte[] content = new byte[12 + 1 + 8 + 4 + SHA256.HashSizeInBytes];
        "wow-notice-1"u8.CopyTo(content);
        content[KindAt] = kind;
        BinaryPrimitives.WriteUInt64BigEndian(content.AsSpan(13), number);
        BinaryPrimitives.WriteUInt32BigEndian(content.AsSpan(21), size);
        hash.CopyTo(content.AsSpan(25));
        return content;
    }
}
