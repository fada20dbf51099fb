using System.Buffers.Binary;

namespace Brunet.Wire;

/// <summary>
/// Head of a data frame, and of one of ESP: <code>type(1) salt(3) receiver-index(4) salt(3) counter(5)</code> What is sealed and its tag follow.
/// </summary>
/// <param name="ReceiverIndex">What the receiver calls the session.</param>
/// <param name="Counter">Frames that were sealed with the same key before; below 2^40.</param>
/// <param name="Salt">48 random bits, drawn for this frame alone.</param>
internal readonly record struct DataHeader(uint ReceiverIndex, ulong Counter, ulong Salt)
{
    /// <summary>Bits of the counter.</summary>
    public const int CounterBits = 40;

    /// <summary>Bits of the salt.</summary>
    public const int SaltBits = 48;

    private const int HalfSaltBits = SaltBits / 2;
    private const uint HalfSalt = (1u << HalfSaltBits) - 1;
    private const ulong CounterMask = (1UL << CounterBits) - 1;

    public void Write(Span<byte> frame, FrameType type = FrameType.Data)
    {
        BinaryPrimitives.WriteUInt32BigEndian(frame, ((uint)type << HalfSaltBits) | ((uint)(Salt >> HalfSaltBits) & HalfSalt));
        BinaryPrimitives.WriteUInt32BigEndian(frame[4..], ReceiverIndex);
        BinaryPrimitives.WriteUInt64BigEndian(frame[8..], ((Salt & HalfSalt) << CounterBits) | (Counter & CounterMask));
    }

    /// <summary>
    /// The nonce of a frame: the key's IV, XORed with all of the header that may differ from frame to frame (bytes 1 to 3 and 8 to 15).
    /// </summary>
    /// <param name="header">The head of the frame.</param>
    /// <param name="iv">12 bytes, exported with the key.</param>
    /// <param name="nonce">12 bytes.</param>
    public static void MakeNonce(ReadOnlySpan<byte> header, ReadOnlySpan<byte> iv, Span<byte> nonce)
    {
        BinaryPrimitives.WriteUInt32BigEndian(
            nonce, BinaryPrimitives.ReadUInt32BigEndian(iv) ^ (BinaryPrimitives.ReadUInt32BigEndian(header) & HalfSalt));
        BinaryPrimitives.WriteUInt64BigEndian(
            nonce[4..], BinaryPrimitives.ReadUInt64BigEndian(iv[4..]) ^ BinaryPrimitives.ReadUInt64BigEndian(header[8..]));
    }

    /// <summary>Reads the head of a frame of either kind; false if the frame is too short or too long to be one.</summary>
    public static bool TryRead(ReadOnlySpan<byte> frame, out DataHeader header)
    {
        header = default;
        if (frame.Length is <= ProtocolConstants.FrameOverhead or > ProtocolConstants.MaxFrameSize
            || (FrameType)frame[0] is not (FrameType.Data or FrameType.Esp))
        {
            return false;
        }

        ulong tail = BinaryPrimitives.ReadUInt64BigEndian(frame[8..]);
        ulong salt = ((ulong)(BinaryPrimitives.ReadUInt32BigEndian(frame) & HalfSalt) << HalfSaltBits) | (tail >> CounterBits);
        header = new DataHeader(BinaryPrimitives.ReadUInt32BigEndian(frame[4..]), tail & CounterMask, salt);
        return true;
    }
}
