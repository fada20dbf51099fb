using System.Buffers;
using System.Buffers.Binary;

namespace Brunet.Wire;

/// <summary>
/// Frames on a byte stream, each behind its length in two bytes (RFC 4571). Takes the stream in any pieces. Holds at most one frame.
/// </summary>
public sealed class StreamFraming
{
    /// <summary>Bytes in front of a frame.</summary>
    public const int HeaderSize = 2;

    /// <summary>Longest frame in bytes; a stream that announces a longer one, or an empty one, is not ours.</summary>
    public const int MaxFrameSize = ProtocolConstants.MaxFrameSize;

    private readonly byte[] _held = new byte[HeaderSize + MaxFrameSize];
    private int _length;

    /// <summary>Takes a frame; the span is lent until the call returns.</summary>
    public delegate void Receiver(ReadOnlySpan<byte> frame);

    /// <summary>Writes a frame with its length.</summary>
    /// <exception cref="ArgumentException">The frame is empty or too long.</exception>
    public static void Write(ReadOnlySpan<byte> frame, IBufferWriter<byte> stream)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (frame.Length is 0 or > MaxFrameSize)
        {
            throw new ArgumentException($"a frame has 1 to {MaxFrameSize} bytes, not {frame.Length}", nameof(frame));
        }

        Span<byte> whole = stream.GetSpan(HeaderSize + frame.Length);
        BinaryPrimitives.WriteUInt16BigEndian(whole, (ushort)frame.Length);
        frame.CopyTo(whole[HeaderSize..]);
        stream.Advance(HeaderSize + frame.Length);
    }

    /// <summary>Takes the stream's next bytes and hands out what became whole; false if this is no stream of frames, which nothing can mend.</summary>
    public bool TryRead(ReadOnlySpan<byte> bytes, Receiver receiver)
    {
        ArgumentNullException.ThrowIfNull(receiver);
        while (!bytes.IsEmpty)
        {
            int wanted = _length < HeaderSize ? HeaderSize : HeaderSize + Announced();
            int taken = Math.Min(wanted - _length, bytes.Length);
            bytes[..taken].CopyTo(_held.AsSpan(_length));
            _length += taken;
            bytes = bytes[taken..];
            if (_length == HeaderSize && Announced() is 0 or > MaxFrameSize)
            {
                return false;
            }

            if (_length > HeaderSize && _length == HeaderSize + Announced())
            {
                _length = 0;
                receiver(_held.AsSpan(HeaderSize, Announced()));
            }
        }

        return true;
    }

    private int Announced() => BinaryPrimitives.ReadUInt16BigEndian(_held);
}
