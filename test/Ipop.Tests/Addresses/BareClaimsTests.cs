using Brunet.Sessions;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class BareClaimsTests
{
    private readonly BareClaims _claims = new(Machine.Open());

    [Fact]
    public void However_many_keys_ask_for_what_is_not_theirs_each_costs_its_hashes_once()
    {
        PeerIdentity[] keys = [.. Enumerable.Range(0, 200).Select(number => Peers.Bare($"thief{number}"))];
        for (uint round = 0; round < 3; round++)
        {
            Assert.DoesNotContain(keys, key => _claims.MayOwn(key, Foreign(key, round)));
            Assert.Equal(keys.Length * (int)ClaimableAddresses.Count, _claims.Hashes);
        }
    }

    [Fact]
    public void An_honest_key_costs_the_hashes_up_to_its_own_address_once()
    {
        PeerIdentity key = Peers.Bare("honest");
        Assert.True(_claims.MayOwn(key, ClaimableAddresses.Address(Machine.Subnet, key.Address, 2)));
        Assert.True(_claims.MayOwn(key, ClaimableAddresses.Address(Machine.Subnet, key.Address, 0)));
        Assert.True(_claims.MayOwn(key, ClaimableAddresses.Address(Machine.Subnet, key.Address, 2)));
        Assert.Equal(3, _claims.Hashes);
    }

    /// <summary>An address that the key could not claim.</summary>
    private static IPv4Address Foreign(PeerIdentity key, uint round)
    {
        uint host = round * 1000;
        while (ClaimableAddresses.TryFind(Machine.Subnet, key.Address, Machine.Subnet.Host(host), out _))
        {
            host++;
        }

        return Machine.Subnet.Host(host);
    }
}
