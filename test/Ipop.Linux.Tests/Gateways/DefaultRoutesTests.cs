using Brunet.Addressing;
using Ipop.Linux.Gateways;

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

    [Theory]
    [InlineData("")]
    [InlineData("eth0")]
    [InlineData("eth0\t00000000\tzz00A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0")]
    [InlineData("eth0\t00000000\t0100A8C0\t0001\t0\t0\t100\t00000000\t0\t0\t0")]
    [InlineData("eth0\t00000000\t0100A8C0\tx\t0\t0\t100\t00000000\t0\t0\t0")]
    [InlineData("eth0\t00000000\t0100A8C0\t0003\t0\t0\t100\t00000080\t0\t0\t0")]
    public void Other_lines_are_no_default_route(string line) => Assert.Empty(DefaultRoutes.Parse([line], [line]));

    // RTF_UP and RTF_GATEWAY in the fourth field; the awk of the test.
    [Fact]
    public void The_running_machine_has_as_many_of_IPv4_as_its_kernel_lists() => Assert.Equal(
        File.ReadLines("/proc/net/route").Select(line => line.Split('\t')).Where(field => field[1] == "00000000" && field[3] == "0003")
            .Select(field => (field[0], field[2])).Distinct().Count(),
        DefaultRoutes.Read().Count(route => route.Gateway.IsIPv4));
}
