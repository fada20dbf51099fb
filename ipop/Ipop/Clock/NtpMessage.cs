using System.Buffers.Binary;

namespace Ipop.Clock;

/// <summary>What a client that wants no more than the time says and hears (RFC 5905 section 14, SNTP): 48 bytes, version 4.</summary>
public static class NtpMessage
{
    /// <summary>Bytes of a message without extensions.</summary>
    public const int Size = 48;

    private const int ReferenceAt = 12, OriginateAt = 24, TransmitAt = 40;
    private const byte ClientMode = (4 << 3) | 3, ModeMask = 7, ServerMode = 4, LeapMask = 0xc0, MostStrata = 15;

    private static readonly DateTimeOffset Era = new(1900, 1, 1, 0, 0, 0, TimeSpan.Zero), Pivot = new(2020, 1, 1, 0, 0, 0, TimeSpan.Zero);

    /// <summary>Writes a question. Instead of the time it carries a random number, which the answer must bring back: that says nothing of this machine.</summary>
    public static void Write(Span<byte> message, ulong number)
    {
        message[..Size].Clear();
        message[0] = ClientMode;
        BinaryPrimitives.WriteUInt64BigEndian(message[TransmitAt..], number);
    }

    /// <summary>Reads an answer.</summary>
    /// <param name="message">Any bytes.</param>
    /// <param name="number">The question's.</param>
    /// <param name="time">When it was sent; of the two eras of NTP that come into question, the one after 2020.</param>
    /// <returns>False if it answers something else, or its sender does not know the time (leap indicator 3, stratum 0 or 16).</returns>
    public static bool TryRead(ReadOnlySpan<byte> message, ulong number, out DateTimeOffset time)
    {
        time = default;
        if (message.Length < Size || (message[0] & ModeMask) != ServerMode || (message[0] & LeapMask) == LeapMask || message[1] is 0 or > MostStrata
            || BinaryPrimitives.ReadUInt64BigEndian(message[OriginateAt..]) != number)
        {
            return false;
        }

        ulong sent = BinaryPrimitives.ReadUInt64BigEndian(message[TransmitAt..]);
        if (sent == 0)
        {
            return false;
        }

        time = Era + TimeSpan.FromSeconds(sent / (double)(1UL << 32));
        time += time < Pivot ? TimeSpan.FromSeconds(1UL << 32) : TimeSpan.Zero;
        return true;
    }

    /// <summary>Whether a message is the server's word that it is asked too often (RFC 5905 section 7.4: stratum 0, RATE).</summary>
    public static bool IsTooOften(ReadOnlySpan<byte> message, ulong number) =>
        message.Length >= Size && (message[0] & ModeMask) == ServerMode && message[1] == 0 && message.Slice(ReferenceAt, 4).SequenceEqual("RATE"u8)
        && BinaryPrimitives.ReadUInt64BigEndian(message[OriginateAt..]) == number;
}
