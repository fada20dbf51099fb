using System.Numerics;
using Brunet.Sessions;
using Ipop.Linux.Randomness;

namespace Ipop.Linux.Tests.Randomness;

public sealed class HardwareRandomTests
{
    [Fact]
    public void The_processors_generator_is_used_exactly_where_the_kernel_sees_one()
    {
        bool has = File.ReadLines("/proc/cpuinfo").Any(line => line.StartsWith("flags", StringComparison.Ordinal) && line.Split(' ').Contains("rdrand"));
        HardwareRandom.Open(out HardwareRandomSource source);
        Assert.Equal(has ? HardwareRandomSource.Processor : HardwareRandomSource.Kernel, source);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Numbers_do_not_repeat_and_each_bit_is_set_half_of_the_time(bool kernel)
    {
        const int Count = 20_000;
        IHardwareRandom random = kernel ? new KernelRandom() : HardwareRandom.Open(out _);
        var seen = new HashSet<ulong>();
        int[] ones = new int[64];
        for (int i = 0; i < Count; i++)
        {
            ulong bits = random.Draw();
            Assert.True(seen.Add(bits));
            for (ulong left = bits; left != 0; left &= left - 1)
            {
                ones[BitOperations.TrailingZeroCount(left)]++;
            }
        }

        // Half of the draws with a standard deviation of 71: eight of them.
        Assert.All(ones, count => Assert.InRange(count, (Count / 2) - 566, (Count / 2) + 566));
    }
}
