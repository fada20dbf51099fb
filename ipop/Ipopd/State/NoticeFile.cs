using System.Buffers.Binary;
using Brunet.Notices;

namespace Ipopd.State;

/// <summary>
/// A signed notice in a file: <code>"WOWN" kind(1) number(8, big-endian) signature-length(1) signature body</code> What is signed stands in docs/protocol.md, "Notices". Whether the signature is
/// good, the node decides.
/// </summary>
internal static class NoticeFile
{
    private const int HeaderSize = 14;

    /// <summary>The newest notice of a kind in the state folder.</summary>
    internal static string Path(string folder, byte kind) => System.IO.Path.Combine(folder, $"notice-{kind}");

    /// <summary>The bytes of a file.</summary>
    internal static byte[] Write(Notice notice)
    {
        byte[] bytes = new byte[HeaderSize + notice.Signature.Length + notice.Body.Length];
        "WOWN"u8.CopyTo(bytes);
        bytes[4] = notice.Kind;
        BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(5), notice.Number);
        bytes[13] = (byte)notice.Signature.Length;
        notice.Signature.CopyTo(bytes.AsMemory(HeaderSize));
        notice.Body.CopyTo(bytes.AsMemory(HeaderSize + notice.Signature.Length));
        return bytes;
    }

    /// <summary>Reads a file's bytes; null if they are no notice of allowed sizes.</summary>
    internal static Notice? Read(ReadOnlyMemory<byte> bytes)
    {
        ReadOnlySpan<byte> span = bytes.Span;
        if (span.Length <= HeaderSize || !span.StartsWith("WOWN"u8) || span.Length <= HeaderSize + span[13]
            || span.Length - HeaderSize - span[13] > Notice.MaxSize)
        {
            return null;
        }

        return new Notice(
            span[4], BinaryPrimitives.ReadUInt64BigEndian(span[5..]), bytes[(HeaderSize + span[13])..], bytes.Slice(HeaderSize, span[13]));
    }

    /// <summary>Reads a file; null if it is no notice.</summary>
    /// <exception cref="IOException">It can't be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    internal static Notice? Load(string path)
    {
        using FileStream file = File.OpenRead(path);
        const int MaxSize = HeaderSize + Notice.MaxSignatureSize + Notice.MaxSize;
        byte[] bytes = new byte[MaxSize + 1];
        int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
        return length > MaxSize ? null : Read(bytes.AsMemory(0, length));
    }
}
