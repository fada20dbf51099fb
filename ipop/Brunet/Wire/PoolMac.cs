using System.Security.Cryptography;

namespace Brunet.Wire;

/// <summary>
/// The MAC on frames that need no session: the first 16 bytes of HMAC-SHA256 over the frame with the MAC itself zero, keyed with the pool's secret.
/// </summary>
internal static class PoolMac
{
    /// <summary>Where it stands in a frame.</summary>
    public const int Start = 4;

    /// <summary>Where it ends.</summary>
    public const int End = Start + ProtocolConstants.MacSize;

    /// <summary>Writes it into a frame that is complete else.</summary>
    public static void Write(Span<byte> frame, ReadOnlySpan<byte> poolSecret)
    {
        frame[Start..End].Clear();
        Span<byte> mac = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(poolSecret, frame, mac);
        mac[..ProtocolConstants.MacSize].CopyTo(frame[Start..]);
    }

    /// <summary>Whether a frame has the right one. It is at most as long as a handshake's.</summary>
    public static bool IsRight(ReadOnlySpan<byte> frame, ReadOnlySpan<byte> poolSecret)
    {
        Span<byte> copy = stackalloc byte[HandshakeFrame.MaxSize];
        copy = copy[..frame.Length];
        frame.CopyTo(copy);
        Write(copy, poolSecret);
        return CryptographicOperations.FixedTimeEquals(copy[Start..End], frame[Start..End]);
    }
}
