using Ipopd.Configuration;

namespace Ipopd.Tests.Configuration;

/// <summary>The commented ipopd.conf, which is made of the contract as the options are.</summary>
public sealed class ExampleFileTests
{
    private static readonly string Example = Path.Combine(AppContext.BaseDirectory, "ipopd.conf");

    [Fact]
    public void The_example_can_be_used_as_it_is()
    {
        DaemonOptions options = DaemonOptionsReader.Load(Example);
        Assert.Equal("demo", options.PoolName);
    }
}
