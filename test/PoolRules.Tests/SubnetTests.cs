namespace PoolRules.Tests;

public sealed class SubnetTests
{
    [Theory]
    [InlineData("10.128.0.0/16", "255.255.0.0", "10.128.255.255", "10.128.255.254", 65533u)]
    [InlineData("10.0.0.0/8", "255.0.0.0", "10.255.255.255", "10.255.255.254", 16777213u)]
    [InlineData("192.168.7.16/28", "255.255.255.240", "192.168.7.31", "192.168.7.30", 13u)]
    public void A_prefix_gives_mask_broadcast_gateway_and_hosts(string text, string mask, string broadcast, string gateway, uint hosts)
    {
        Subnet subnet = Subnet.Parse(text);
        Assert.Equal(text, subnet.ToString());
        Assert.Equal((mask, broadcast, gateway, hosts), (subnet.Mask.ToString(), subnet.Broadcast.ToString(), subnet.Gateway.ToString(), subnet.HostCount));
        Assert.False(subnet.IsHost(subnet.Network));
        Assert.True(subnet.IsHost(subnet.Host(0)));
        Assert.True(subnet.IsHost(subnet.Host(hosts - 1)));
        Assert.Equal(subnet.Gateway.Value - 1, subnet.Host(hosts - 1).Value);
        Assert.False(subnet.IsHost(subnet.Gateway));
        Assert.False(subnet.IsHost(subnet.Broadcast));
        Assert.False(subnet.Contains(new IPv4Address(subnet.Broadcast.Value + 1)));
    }

    [Fact]
    public void What_is_none_is_refused_by_name() =>
        Assert.Contains("10.128.0.1/16", Assert.Throws<FormatException>(() => Subnet.Parse("10.128.0.1/16")).Message, StringComparison.Ordinal);
}
