using Ipop.Linux.Tap;

namespace Ipop.Linux.Tests.Tap;

public sealed class TapSettingsTests
{
    [Fact]
    public void The_kernel_says_of_an_interface_whether_it_has_carrier()
    {
        Assert.True(TapSettings.HasCarrier("lo"));
        Assert.False(TapSettings.HasCarrier("wow-test-none"));
    }
}
