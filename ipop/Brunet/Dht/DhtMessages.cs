using System.Text;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>What a replica says.</summary>
internal enum ReplyStatus : byte
{
    /// <summary>The record that was sent stands.</summary>
    Stored = 0,

    /// <summary>Nothing stands there. If the record was withdrawn, what withdrew it is enclosed.</summary>
    Missing = 1,

    /// <summary>The enclosed record stands.</summary>
    Stands = 2,

    /// <summary>The record was refused: malformed, not its owner's to make, or too many of one owner.</summary>
    Refused = 3,

    /// <summary>The replica took its place a moment ago and has not yet what belongs there. Ask again.</summary>
    NotYet = 4,
}

/// <summary>
/// Body of a store: <code>request(4) replica(1) life(2) record</code> Life is the number of seconds that the record may stay: a replica
/// that hands it on gives it no more than is left, so a record that nobody renews goes away however often it changes hands.
/// </summary>
internal readonly ref struct StoreMessage(uint request, byte replica, ushort life, ReadOnlySpan<byte> record)
{
    public const int HeaderSize = 7;

    public uint Request { get; } = request;

    public byte Replica { get; } = replica;

    public ushort Life { get; } = life;

    public ReadOnlySpan<byte> Record { get; } = record;

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.UInt32(Request);
        writer.Byte(Replica);
        writer.UInt16(Life);
        writer.Bytes(Record);
        return writer.Position;
    }

    public static bool TryRead(ReadOnlySpan<byte> body, out StoreMessage message)
    {
        var reader = new ByteReader(body);
        message = new StoreMessage(reader.UInt32(), reader.Byte(), reader.UInt16(), reader.Rest());
        return reader.IsComplete && message.Replica < ProtocolConstants.Replicas;
    }
}

/// <summary>Body of a fetch: <code>request(4) replica(1) kind(1) name</code></summary>
internal readonly record struct FetchMessage(uint Request, byte Replica, RecordKey Key)
{
    public const int MaxSize = 6 + ProtocolConstants.MaxRecordNameSize;

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.UInt32(Request);
        writer.Byte(Replica);
        writer.Byte((byte)Key.Kind);
        writer.Bytes(Encoding.ASCII.GetBytes(Key.Name));
        return writer.Position;
    }

    public static bool TryRead(ReadOnlySpan<byte> body, out FetchMessage message)
    {
        var reader = new ByteReader(body);
        uint request = reader.UInt32();
        byte replica = reader.Byte();
        var kind = (RecordKind)reader.Byte();
        ReadOnlySpan<byte> name = reader.Rest();
        bool valid = reader.IsComplete && name.Length is > 0 and <= ProtocolConstants.MaxRecordNameSize && replica < ProtocolConstants.Replicas;
        message = new FetchMessage(request, replica, new RecordKey(kind, valid ? Encoding.ASCII.GetString(name) : string.Empty));
        return valid;
    }
}

/// <summary>
/// Body of a reply: <code>request(4) replica(1) status(1) life(2) record?</code> Life is what is left to the record, in seconds. Request 0
/// answers nothing: it tells an owner that another's record has taken the place of its own.
/// </summary>
internal readonly ref struct ReplyMessage(uint request, byte replica, ReplyStatus status, ushort life, ReadOnlySpan<byte> record)
{
    public const int HeaderSize = 8;

    public uint Request { get; } = request;

    public byte Replica { get; } = replica;

    public ReplyStatus Status { get; } = status;

    public ushort Life { get; } = life;

    public ReadOnlySpan<byte> Record { get; } = record;

    public int Write(Span<byte> destination)
    {
        var writer = new ByteWriter(destination);
        writer.UInt32(Request);
        writer.Byte(Replica);
        writer.Byte((byte)Status);
        writer.UInt16(Life);
        writer.Bytes(Record);
        return writer.Position;
    }

    public static bool TryRead(ReadOnlySpan<byte> body, out ReplyMessage message)
    {
        var reader = new ByteReader(body);
        message = new ReplyMessage(reader.UInt32(), reader.Byte(), (ReplyStatus)reader.Byte(), reader.UInt16(), reader.Rest());
        return reader.IsComplete && message.Replica < ProtocolConstants.Replicas && message.Status <= ReplyStatus.NotYet;
    }
}
