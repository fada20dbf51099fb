using System.Security.Cryptography;
using Brunet.Wire;

namespace Brunet.Notices;

/// <summary>What is said of a notice before anybody has its body: <code>kind(1) number(8) size(4) SHA-256(32) signature-length(1) signature</code></summary>
internal sealed record NoticeHead(byte Kind, ulong Number, int Size, ReadOnlyMemory<byte> Hash, ReadOnlyMemory<byte> Signature)
{
    public const int MaxSize = 46 + Notice.MaxSignatureSize;

    public static NoticeHead Of(Notice notice) =>
        new(notice.Kind, notice.Number, notice.Body.Length, SHA256.HashData(notice.Body.Span), notice.Signature);

    /// <summary>What the signature is over.</summary>
    public byte[] Content() => Notice.Content(Kind, Number, (uint)Size, Hash.Span);

    public void Write(ref ByteWriter writer)
    {
        writer.Byte(Kind);
        writer.UInt64(Number);
        writer.UInt32((uint)Size);
        writer.Bytes(Hash.Span);
        writer.Byte((byte)Signature.Length);
        writer.Bytes(Signature.Span);
    }

    /// <summary>Reads a head; null if its kind, its size or its form is not allowed.</summary>
    public static NoticeHead? Read(ref ByteReader reader)
    {
        byte kind = reader.Byte();
        ulong number = reader.UInt64();
        uint size = reader.UInt32();
        byte[] hash = reader.Bytes(SHA256.HashSizeInBytes).ToArray();
        byte[] signature = reader.Bytes(reader.Byte()).ToArray();
        return reader.IsComplete && kind is >= 1 and <= Notice.MaxKind && size is >= 1 and <= Notice.MaxSize
            && signature.Length is >= 1 and <= Notice.MaxSignatureSize
            ? new NoticeHead(kind, number, (int)size, hash, signature)
            : null;
    }
}
