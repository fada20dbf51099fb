using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Notices;

/// <summary>
/// There is a notice: <code>type(1) limit(20) head</code> The receiver tells the members from itself clockwise to the limit; if it is the
/// receiver itself, nobody.
/// </summary>
internal sealed record AnnounceMessage(NodeAddress Limit, NoticeHead Head)
{
    public const int MaxSize = 1 + NodeAddress.Size + NoticeHead.MaxSize;

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.Announce);
        writer.Address(Limit);
        Head.Write(ref writer);
        return writer.Position;
    }

    public static AnnounceMessage? Read(ReadOnlySpan<byte> message)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        NodeAddress limit = reader.Address();
        return NoticeHead.Read(ref reader) is { } head ? new AnnounceMessage(limit, head) : null;
    }
}

/// <summary>
/// The sender has a notice, or asks for a piece of one: <code>type(1) kind(1) number(8) piece(2)</code> The piece is that of a fetch, and
/// <see cref="Whole"/> in an acknowledgement.
/// </summary>
internal readonly record struct NoticeAskMessage(byte Kind, ulong Number, ushort Piece)
{
    public const int Size = 12;

    /// <summary>Says that nothing is missing.</summary>
    public const ushort Whole = ushort.MaxValue;

    public void Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.NoticeAsk);
        writer.Byte(Kind);
        writer.UInt64(Number);
        writer.UInt16(Piece);
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out NoticeAskMessage ask)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        ask = new NoticeAskMessage(reader.Byte(), reader.UInt64(), reader.UInt16());
        return reader.IsComplete;
    }
}

/// <summary>A piece of a notice's body: <code>type(1) kind(1) number(8) piece(2) bytes</code></summary>
internal readonly ref struct NoticePieceMessage(byte kind, ulong number, ushort piece, ReadOnlySpan<byte> bytes)
{
    public const int HeaderSize = 12;

    /// <summary>Bytes of every piece but the last.</summary>
    public const int PieceSize = 1024;

    public byte Kind { get; } = kind;

    public ulong Number { get; } = number;

    public ushort Piece { get; } = piece;

    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.Byte((byte)MessageType.NoticePiece);
        writer.Byte(Kind);
        writer.UInt64(Number);
        writer.UInt16(Piece);
        writer.Bytes(Bytes);
        return writer.Position;
    }

    public static bool TryRead(ReadOnlySpan<byte> message, out NoticePieceMessage piece)
    {
        var reader = new ByteReader(message);
        reader.Byte();
        piece = new NoticePieceMessage(reader.Byte(), reader.UInt64(), reader.UInt16(), reader.Rest());
        return reader.IsComplete && piece.Bytes.Length is >= 1 and <= PieceSize;
    }
}
