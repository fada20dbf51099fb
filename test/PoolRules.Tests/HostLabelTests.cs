using System.Net;

namespace PoolRules.Tests;

public sealed class HostLabelTests
{
    private static readonly IPAddress Address = IPAddress.Parse("10.128.3.4");

    [Theory]
    [InlineData("manager", true)]
    [InlineData("localhost", true)]
    [InlineData("w-10-128-3-5", true)]
    [InlineData("10-128-3-5", true)]
    [InlineData("10-128-3-4", true)]
    [InlineData("w-10-128-3-4", false)]
    [InlineData("alpha", false)]
    [InlineData("w-10-128-3", false)]
    [InlineData("w-a-b-c-d", false)]
    public void Names_that_mean_somebody_else_are_reserved(string label, bool reserved) =>
        Assert.Equal(reserved, HostLabel.IsReserved(label, Address));
}
