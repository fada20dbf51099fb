using Brunet.Addressing;
using Ipop.Linux.Gateways;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Tests.Gateways;

public sealed class DefaultRoutesTests
{
    private const string Head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT";

    [Fact]
    public void The_default_routes_of_both_families_are_found_once_each()
    {
        IReadOnlyList<DefaultRoute> routes = DefaultRoutes.Parse(
            [
                Head,
                "eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0",
                "eth0\t00000000\t0100A8C0\t0003\t0\t0\t200\t00000000\t0\t0\t0",
                "eth0\t0000A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0",
            ],
            [
                "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth0",
                "00000000000000000000000000000000 00 00000000000000000000000000000000 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0",
                "00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 ffffffff 00000001 00000000 00200200       lo",
            ]);

        Assert.Equal(
            [new DefaultRoute("eth0", TransportAddress.FromIPv4(0xc0a80001, 0)), new DefaultRoute("eth0", new TransportAddress(0xfe80ul << 48, 1, 0))], routes);
    }

    /// <summary>As a kernel lists `default dev ppp0 scope link`, `default via inet6 fe80::1 dev eth0`, one by a next-hop object without gateway, and `unreachable default`.</summary>
    [Fact]
    public void A_default_route_without_a_gateway_of_its_family_is_a_way_out_without_anybody_to_ask_for_ports()
    {
        IReadOnlyList<DefaultRoute> routes = DefaultRoutes.Parse(
            [
                Head,
                "ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0",
                "eth0\t00000000\t00000000\t0003\t0\t0\t7\t00000000\t0\t0\t0",
                "wwan0\t00000000\t00000000\t0001\t0\t0\t11\t00000000\t0\t0\t0",
                "*\t00000000\t00000000\t0201\t0\t0\t99\t00000000\t0\t0\t0",
            ],
            ["00000000000000000000000000000000 00 00000000000000000000000000000000 00 00000000000000000000000000000000 00000005 00000001 00000000 00000001     ppp0"]);

        TransportAddress none = TransportAddress.FromIPv4(0, 0);
        Assert.Equal([new("ppp0", none), new("eth0", none), new("wwan0", none), new("ppp0", default)], routes);
        Assert.DoesNotContain(routes, route => route.HasGateway);
        InterfaceAddress[] addresses = [.. routes.Select(route => new InterfaceAddress(route.Interface, 2, TransportAddress.FromIPv4(0xc0000201, 0), 32, false, true))];
        Assert.Empty(GatewayFinder.Find(routes, addresses, "wow0"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("eth0")]
    [InlineData("eth0\t00000000\tzz00A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0")]
    [InlineData("eth0\t00000000\t0100A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0")]
    [InlineData("eth0\t00000000\t0100A8C0\tx\t0\t0\t100\t00000000\t0\t0\t0")]
    [InlineData("eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000080\t0\t0\t0")]
    public void Other_lines_are_no_default_route(string line) => Assert.Empty(DefaultRoutes.Parse([line], [line]));

    // RTF_UP, with or without RTF_GATEWAY, in the fourth field.
    [Fact]
    public void The_running_machine_has_as_many_of_IPv4_as_its_kernel_lists() => Assert.Equal(
        File.ReadLines("/proc/net/route").Select(line => line.Split('\t')).Where(field => field[1] == "00000000" && field[3] is "0001" or "0003")
            .Select(field => (field[0], field[2])).Distinct().Count(),
        DefaultRoutes.Read().Count(route => route.Gateway.IsIPv4));
}
