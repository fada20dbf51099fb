using System.Buffers;
using Brunet.Wire;

namespace Brunet.Sessions;

/// <summary>
/// The handshake's two byte streams over frames that get lost, doubled and reordered: what is sent is repeated until it is
/// acknowledged, what arrives is taken in order only.
/// </summary>
internal sealed class HandshakeStream
{
    /// <summary>Most unacknowledged bytes; a flight with certificates and ML-KEM is below 8 KiB.</summary>
    private const int MaxOutstanding = 16384;

    [Bounded(nameof(MaxOutstanding))]
    private readonly ArrayBufferWriter<byte> _sent = new();

    private uint _acknowledged;

    /// <summary>Offset of the next byte that is expected from the peer.</summary>
    public uint Expected { get; private set; }

    /// <summary>Whether the peer has everything.</summary>
    public bool IsAcknowledged => _acknowledged == _sent.WrittenCount;

    /// <summary>Where the handshake writes what must go to the peer.</summary>
    public IBufferWriter<byte> Output => _sent;

    /// <summary>Whether more is outstanding than an honest handshake can have.</summary>
    public bool IsOverfull => _sent.WrittenCount - _acknowledged > MaxOutstanding;

    /// <summary>Takes the peer's acknowledgement; older or impossible ones are ignored.</summary>
    public void Acknowledge(uint offset)
    {
        if (offset > _acknowledged && offset <= _sent.WrittenCount)
        {
            _acknowledged = offset;
        }
    }

    /// <summary>The new bytes of a frame; empty if it is a repetition or comes too early.</summary>
    public ReadOnlySpan<byte> Receive(uint offset, ReadOnlySpan<byte> data)
    {
        if (offset > Expected || offset + (ulong)data.Length <= Expected)
        {
            return [];
        }

        ReadOnlySpan<byte> fresh = data[(int)(Expected - offset)..];
        Expected += (uint)fresh.Length;
        return fresh;
    }

    /// <summary>The next chunk at or after <paramref name="offset"/> that the peer may lack; moves the offset behind it.</summary>
    public ReadOnlySpan<byte> NextChunk(ref uint offset)
    {
        offset = Math.Max(offset, _acknowledged);
        int length = Math.Min(_sent.WrittenCount - (int)offset, ProtocolConstants.MaxHandshakeChunk);
        return length <= 0 ? [] : _sent.WrittenSpan.Slice((int)offset, length);
    }

    /// <summary>Bytes written so far.</summary>
    public uint Length => (uint)_sent.WrittenCount;
}
