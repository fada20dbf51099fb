using FsCheck;
using FsCheck.Fluent;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class ClaimableAddressesTests
{
    [Fact]
    public void Claimable_addresses_are_host_addresses_and_found_again() =>
        Prop.ForAll(Gen.Choose(8, 28).ToArbitrary(), Gen.Choose(0, 1_000_000).ToArbitrary(), (prefix, node) =>
        {
            Subnet subnet = Subnet.Parse($"10.0.0.0/{prefix}");
            Brunet.Addressing.NodeAddress address = Peers.Bare($"n{node}").Address;
            uint index = (uint)node % ClaimableAddresses.Count;
            IPv4Address claimable = ClaimableAddresses.Address(subnet, address, index);
            return subnet.IsHost(claimable) && ClaimableAddresses.TryFind(subnet, address, claimable, out uint found) && found <= index
                && ClaimableAddresses.Address(subnet, address, found) == claimable;
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Claimable_addresses_spread_over_the_subnet()
    {
        // 2000 first addresses in 65533 addresses: the birthday paradox lets about 30 meet.
        var first = new HashSet<IPv4Address>();
        for (int i = 0; i < 2000; i++)
        {
            first.Add(ClaimableAddresses.Address(Machine.Subnet, Peers.Bare($"n{i}").Address, 0));
        }

        Assert.InRange(first.Count, 1930, 2000);
    }

    [Fact]
    public void Every_host_of_the_smallest_subnet_is_somebody_s_candidate()
    {
        Subnet subnet = Subnet.Parse("10.0.0.16/28");
        var seen = new HashSet<IPv4Address>();
        for (uint i = 0; i < ClaimableAddresses.Count; i++)
        {
            seen.Add(ClaimableAddresses.Address(subnet, Peers.Bare("n").Address, i));
        }

        Assert.Equal(subnet.HostCount, (uint)seen.Count);
    }
}
