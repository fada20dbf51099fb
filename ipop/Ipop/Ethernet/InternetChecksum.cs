using System.Buffers.Binary;

namespace Ipop.Ethernet;

/// <summary>The ones' complement sum of RFC 1071.</summary>
internal static class InternetChecksum
{
    /// <summary>Adds 16-bit words to an unfolded sum; an odd last byte is padded with zero.</summary>
    public static uint Sum(ReadOnlySpan<byte> data, uint start = 0)
    {
        ulong sum = start;
        while (data.Length >= 2)
        {
            sum += BinaryPrimitives.ReadUInt16BigEndian(data);
            data = data[2..];
        }

        if (data.Length == 1)
        {
            sum += (uint)data[0] << 8;
        }

        while (sum >> 32 != 0)
        {
            sum = (sum & uint.MaxValue) + (sum >> 32);
        }

        return (uint)sum;
    }

    /// <summary>Folds a sum to 16 bits and complements it.</summary>
    public static ushort Finish(uint sum)
    {
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        return (ushort)~sum;
    }
}
