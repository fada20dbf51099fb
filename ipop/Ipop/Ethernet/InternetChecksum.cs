using System.Buffers.Binary;

namespace Ipop.Ethernet;

/// <summary>The ones' complement sum of RFC 1071.</summary>
internal static class InternetChecksum
{
    /// <summary>Adds 16-bit words to an unfolded sum; an odd last byte is padded with zero.</summary>
    public static uint Sum(ReadOnlySpan<byte> data, uint start = 0)
    {
        // The sum is the same in either byte order but for the order of its own two bytes (RFC 1071 section 2), and words of any even length may be added.
        ulong swapped = 0;
        while (data.Length >= sizeof(ulong))
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(data);
            swapped += (uint)word + (word >> 32);
            data = data[sizeof(ulong)..];
        }

        while (data.Length >= sizeof(ushort))
        {
            swapped += BinaryPrimitives.ReadUInt16LittleEndian(data);
            data = data[sizeof(ushort)..];
        }

        if (data.Length == 1)
        {
            swapped += data[0];
        }

        while (swapped >> 16 != 0)
        {
            swapped = (swapped & ushort.MaxValue) + (swapped >> 16);
        }

        ulong sum = (ulong)start + BinaryPrimitives.ReverseEndianness((ushort)swapped);
        return (uint)((sum & uint.MaxValue) + (sum >> 32));
    }

    /// <summary>Folds a sum to 16 bits and complements it.</summary>
    public static ushort Finish(uint sum)
    {
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        return (ushort)~sum;
    }

    /// <summary>The same for UDP, to which zero means that there is no checksum (RFC 768); 0xffff is the same sum, to TCP too.</summary>
    public static ushort FinishNonZero(uint sum)
    {
        ushort checksum = Finish(sum);
        return checksum == 0 ? ushort.MaxValue : checksum;
    }
}
