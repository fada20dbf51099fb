using System.Buffers.Binary;

namespace Brunet.Wire;

/// <summary>Head of a data frame: <code>type(1) zero(3) receiver-index(4) counter(8)</code> The sealed message and its tag follow.</summary>
/// <param name="ReceiverIndex">What the receiver calls the session.</param>
/// <param name="Counter">Frames that were sealed with the same key before; never the same twice.</param>
internal readonly record struct DataHeader(uint ReceiverIndex, ulong Counter)
{
    public void Write(Span<byte> frame)
    {
        BinaryPrimitives.WriteUInt32BigEndian(frame, (uint)FrameType.Data << 24);
        BinaryPrimitives.WriteUInt32BigEndian(frame[4..], ReceiverIndex);
        BinaryPrimitives.WriteUInt64BigEndian(frame[8..], Counter);
    }

    /// <summary>Reads the head of a data frame; false if the frame is too short or too long to be one.</summary>
    public static bool TryRead(ReadOnlySpan<byte> frame, out DataHeader header)
    {
        header = default;
        if (frame.Length is <= ProtocolConstants.DataHeaderSize + ProtocolConstants.TagSize or > ProtocolConstants.MaxFrameSize
            || frame[0] != (byte)FrameType.Data)
        {
            return false;
        }

        header = new DataHeader(BinaryPrimitives.ReadUInt32BigEndian(frame[4..]), BinaryPrimitives.ReadUInt64BigEndian(frame[8..]));
        return true;
    }
}
