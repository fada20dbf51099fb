using System.Net;
using System.Net.NetworkInformation;
using Brunet.Addressing;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Gateways;
using Ipop.Linux.Interfaces;

namespace Ipop.Linux.Tests.Interfaces;

/// <summary>That a change of addresses is heard is seen between namespaces (test/netns/ports.py).</summary>
public sealed class InterfaceTableTests
{
    private static readonly TransportAddress Lan = Of("192.168.5.7"), Gateway = Of("192.168.5.1");

    [Fact]
    public void The_framework_sees_the_same_addresses_with_the_same_prefixes()
    {
        var expected = new HashSet<string>();
        foreach (NetworkInterface nic in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (nic.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown)
            {
                foreach (UnicastIPAddressInformation own in nic.GetIPProperties().UnicastAddresses)
                {
                    var bare = new IPAddress(own.Address.GetAddressBytes());
                    expected.Add($"{nic.Name} {bare}/{own.PrefixLength} {nic.NetworkInterfaceType == NetworkInterfaceType.Loopback}");
                }
            }
        }

        IReadOnlyList<InterfaceAddress> found = InterfaceTable.Read();

        Assert.Contains(found, own => own.IsLoopback && own.Address == Of("127.0.0.1") && own.PrefixLength == 8 && own.Index > 0);
        Assert.Equal(expected, found.Select(own => $"{own.Name} {own.Address.ToIPEndPoint().Address}/{own.PrefixLength} {own.IsLoopback}").ToHashSet());
    }

    [Theory]
    [InlineData("fe80::1", true, false)]
    [InlineData("febf::1", true, false)]
    [InlineData("fec0::1", false, false)]
    [InlineData("2001:db8::1", false, true)]
    [InlineData("fd00::1", false, false)]
    [InlineData("192.168.1.1", false, false)]
    public void Scopes_are_told_apart(string address, bool isLinkLocal, bool isGlobal)
    {
        InterfaceAddress own = On("eth0", 2, Of(address), 64);
        Assert.Equal((isLinkLocal, isGlobal), (own.Address.IsLinkLocal, own.IsGlobalIPv6));
    }

    [Theory]
    [InlineData("192.168.5.1", 24, true)]
    [InlineData("192.168.6.1", 24, false)]
    [InlineData("192.168.6.1", 16, true)]
    [InlineData("192.168.5.7", 32, true)]
    [InlineData("192.168.5.6", 32, false)]
    [InlineData("8.8.8.8", 0, false)]
    [InlineData("2001:db8::1", 24, false)]
    public void A_network_is_its_prefix(string other, int prefix, bool isOn) => Assert.Equal(isOn, On("eth0", 2, Lan, prefix).IsOnNetwork(Of(other)));

    [Fact]
    public void Endpoints_are_neither_loopback_nor_link_local_nor_the_overlays()
    {
        InterfaceAddress[] addresses =
        [
            On("lo", 1, Of("127.0.0.1"), 8) with { IsLoopback = true }, On("eth0", 2, Lan, 24), On("eth0", 2, Of("fe80::7"), 64),
            On("eth0", 2, Of("2001:db8::7"), 64), On("wow0", 3, Of("10.128.0.7"), 16), On("eth1", 4, Of("10.128.0.9"), 16), On("docker0", 5, Of("172.17.0.1"), 16),
        ];

        IReadOnlyList<TransportAddress> endpoints = LocalInterfaces.Endpoints(addresses, 4433, "wow0", address => address.IPv4 >> 16 == 0x0a80);

        Assert.Equal([Lan with { Port = 4433 }, Of("2001:db8::7") with { Port = 4433 }], endpoints);
    }

    [Fact]
    public void Multicast_goes_once_to_each_interface_that_has_the_version_of_IP_and_leads_outside_but_not_into_the_overlay()
    {
        InterfaceAddress[] addresses =
        [
            On("lo", 1, Of("127.0.0.1"), 8) with { IsLoopback = true }, On("eth0", 2, Lan, 24), On("eth0", 2, Of("192.168.9.7"), 24),
            On("ppp0", 3, Of("192.0.2.1"), 32) with { HasMulticast = false }, On("wow0", 4, Of("10.9.9.9"), 16), On("eth1", 5, Of("10.128.0.9"), 16),
            On("eth1", 5, Of("192.0.2.9"), 24), On("eth1", 5, Of("fe80::9"), 64), On("eth2", 6, Of("2001:db8::7"), 64), On("eth2", 6, Of("fe80::7"), 64),
            On("wow0", 4, Of("fe80::5"), 64), On("docker0", 7, Of("172.17.0.1"), 16), On("docker0", 7, Of("fe80::6"), 64), On("eth3", 8, Of("fe80::8"), 64),
        ];

        Assert.Equal([2], LocalInterfaces.MulticastIndices(addresses, true, "wow0", address => address.IPv4 >> 16 == 0x0a80));
        Assert.Equal([6, 8], LocalInterfaces.MulticastIndices(addresses, false, "wow0", address => address.IPv4 >> 16 == 0x0a80));
    }

    [Fact]
    public void A_gateway_is_asked_from_the_address_on_its_network()
    {
        InterfaceAddress[] addresses = [On("eth0", 2, Of("10.7.0.1"), 24), On("eth0", 2, Lan, 24), On("eth1", 3, Of("192.168.5.9"), 24)];

        MappingGateway gateway = Assert.Single(GatewayFinder.Find([new DefaultRoute("eth0", Gateway), new DefaultRoute("wow0", Gateway)], addresses, "wow0"));

        Assert.Equal((Gateway, Lan, 2), (gateway.Address, gateway.Local, gateway.Link));
    }

    [Fact]
    public void A_gateway_off_the_network_is_asked_from_the_interfaces_first_address_and_one_of_IPv6_from_two()
    {
        TransportAddress router = Of("fe80::1");
        InterfaceAddress[] addresses =
        [
            On("eth0", 2, Of("10.7.0.1"), 24), On("eth0", 2, Of("10.8.0.1"), 24), On("eth0", 2, Of("fe80::7"), 64), On("eth0", 2, Of("2001:db8::1"), 64),
            On("eth0", 2, Of("2001:db8::2"), 64), On("eth0", 2, Of("2001:db8::3"), 64),
        ];

        IReadOnlyList<MappingGateway> gateways = GatewayFinder.Find([new DefaultRoute("eth0", Gateway), new DefaultRoute("eth0", router)], addresses, "wow0");

        Assert.Equal([Of("10.7.0.1"), Of("2001:db8::1"), Of("2001:db8::2")], gateways.Select(gateway => gateway.Local));
    }

    private static InterfaceAddress On(string name, int index, TransportAddress address, int prefix) => new(name, index, address, prefix, false, true);

    private static TransportAddress Of(string address) => TransportAddress.From(new IPEndPoint(IPAddress.Parse(address), 0));
}
