using System.Net;
using System.Text;
using Brunet.Addressing;
using Ipop;
using Ipopd.Composition;
using Ipopd.Configuration;

namespace Ipopd.Tests.Composition;

public sealed class LocalNetworksTests
{
    [Theory]
    [InlineData("10.128.7.1", 24, true)]
    [InlineData("10.1.2.3", 8, true)]
    [InlineData("10.129.0.1", 16, false)]
    [InlineData("192.168.1.5", 24, false)]
    [InlineData("127.0.0.1", 8, false)]
    [InlineData("192.168.1.5", 0, true)]
    public void A_network_of_this_machine_that_overlaps_the_pools_is_told(string address, int length, bool overlaps)
    {
        IReadOnlyList<string> warnings = LocalNetworks.Overlaps(Options(), [new("eth0", 2, TransportAddress.From(new IPEndPoint(IPAddress.Parse(address), 0)), length, address.StartsWith("127.", StringComparison.Ordinal), true)]);

        int expected = overlaps ? 1 : 0;
        Assert.Equal((expected, expected), (warnings.Count, warnings.Count(warning => warning.Contains("on eth0", StringComparison.Ordinal))));
    }

    [Fact]
    public void The_taps_address_is_the_nodes_own_local_and_no_group()
    {
        MacAddress mac = TapPort.MacOf(new NodeAddress(1, ulong.MaxValue));
        Assert.Equal("02:ff:ff:ff:ff:ff", mac.ToString());
        Assert.False(mac.IsGroup);
        Assert.Equal("02:00:00:00:00:07", TapPort.MacOf(new NodeAddress(1, 7)).ToString());
    }

    [Fact]
    public void Chance_stays_within_its_bounds_and_is_not_the_same_twice()
    {
        var random = new StrongRandom();
        for (int run = 0; run < 10_000; run++)
        {
            Assert.InRange(random.Next(3, 5), 3, 4);
            Assert.InRange(random.NextInt64(long.MinValue, long.MaxValue), long.MinValue, long.MaxValue - 1);
            Assert.InRange(random.NextInt64(-5, -3), -5, -4);
            Assert.InRange(random.NextDouble(), 0, 0.9999999999999999);
        }

        Assert.Equal(1000, Enumerable.Range(0, 1000).Select(_ => random.NextInt64()).Distinct().Count());
    }

    private static DaemonOptions Options() => DaemonOptionsReader.Read(IniFile.Parse("f", Encoding.UTF8.GetBytes(
        $"[node]\nstate=/x\n[pool]\nname=a\nsubnet=10.128.0.0/16\nsecret={new string('0', 64)}\n[control]\nsocket=/y\n")));
}
