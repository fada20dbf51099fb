using Ipop.Ethernet;

namespace Ipop.Tests;

public sealed class InternetChecksumTests
{
    /// <summary>The example of RFC 1071 section 3.</summary>
    [Fact]
    public void The_sum_of_the_RFC_s_example_is_right() =>
        Assert.Equal(unchecked((ushort)~0xddf2), InternetChecksum.Finish(InternetChecksum.Sum([0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7])));

    [Fact]
    public void Every_length_has_the_sum_of_its_words()
    {
        var random = new Random(1);
        for (int length = 0; length < 100; length++)
        {
            byte[] data = new byte[length];
            random.NextBytes(data);
            data.AsSpan(0, length / 3).Fill(0xff);
            uint start = (uint)random.NextInt64(1L << 32);
            Assert.Equal(InternetChecksum.Finish(Fold(WordByWord(data) + start)), InternetChecksum.Finish(InternetChecksum.Sum(data, start)));
        }
    }

    private static ulong WordByWord(byte[] data)
    {
        ulong sum = 0;
        for (int index = 0; index < data.Length; index++)
        {
            sum += index % 2 == 0 ? (ulong)data[index] << 8 : data[index];
        }

        return sum;
    }

    private static uint Fold(ulong sum)
    {
        while (sum >> 16 != 0)
        {
            sum = (sum & ushort.MaxValue) + (sum >> 16);
        }

        return (uint)sum;
    }
}
