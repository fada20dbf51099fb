using Ipop.Linux.Udp;

namespace Ipop.Linux.Tests.Udp;

public sealed class KernelCounterTests
{
    [Fact]
    public void A_counter_of_the_kernel_that_passes_2_to_the_32_goes_on()
    {
        var counter = default(KernelCounter);
        counter.See(uint.MaxValue - 1);
        Assert.Equal(uint.MaxValue - 1, counter.Total);
        counter.See(3);
        Assert.Equal((1L << 32) + 3, counter.Total);
        counter.See(3);
        Assert.Equal((1L << 32) + 3, counter.Total);
        counter.See(2);
        Assert.Equal((2L << 32) + 2, counter.Total);
    }
}
