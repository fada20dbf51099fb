using Brunet.Dht;
using Brunet.Sessions;
using Ipop.Addresses;
using Ipop.Dhcp;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class ReservedRangesTests
{
    /// <summary>The first address that machine "a" would take, and its neighbours.</summary>
    private static readonly IPv4Address First = new Machine("a").Claimable(0);

    private static readonly IPv4Address Second = new Machine("a").Claimable(1);

    private static readonly ReservedRanges AroundFirst = new([new AddressRange(new(First.Value - 1), new(First.Value + 1))]);

    [Fact]
    public void Replicas_refuse_a_bare_key_s_record_and_take_a_certificate_s()
    {
        PeerIdentity bare = Peers.Bare("a"), certified = Peers.Certified("b", First.ToString());
        var policy = new RecordPolicy(Machine.Subnet, isOpen: false, AroundFirst);
        Assert.True(new RecordPolicy(Machine.Subnet, isOpen: false).IsAllowed(Record(bare, First, 0)));
        Assert.False(policy.IsAllowed(Record(bare, First, 0)));
        Assert.True(policy.IsAllowed(Record(certified, First, AddressValue.NoIndex)));

        // What lies outside has the index that it would have without.
        Assert.True(policy.IsAllowed(Record(bare, Second, 1)));
        Assert.False(policy.IsAllowed(Record(bare, Second, 0)));
    }

    [Fact]
    public void A_guest_is_offered_and_may_have_only_what_is_not_reserved()
    {
        var machine = new Machine("a", options: Machine.Open() with { Reserved = AroundFirst });
        machine.Dhcp.Discover();
        Assert.Equal(Second, machine.Dhcp.Take().Assigned);
        machine.Dhcp.RequestInitReboot(First);
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        Assert.Equal(0, machine.Dht.Creates);
        Assert.Equal(Second, machine.Dhcp.Bind());
    }

    [Fact]
    public void A_certificate_gives_a_reserved_address()
    {
        MemberCertificate certificate = Peers.Certificate("a", First.ToString());
        var machine = new Machine("a", options: Machine.Closed() with { Reserved = AroundFirst }, certificate: certificate);
        Assert.Equal(First, machine.Dhcp.Bind());
        Assert.Equal(First, machine.Network.Address);
    }

    [Fact]
    public void Who_had_an_address_that_is_reserved_since_takes_another_at_his_restart()
    {
        var machine = new Machine("a", options: Machine.Open() with { Reserved = AroundFirst, LastAddress = First });
        machine.Pass(5);
        Assert.Null(machine.Network.Address);
        Assert.Equal(Second, machine.Dhcp.Bind());
    }

    [Fact]
    public void Who_does_not_know_of_a_range_loses_there_as_soon_as_the_replicas_do()
    {
        var machine = new Machine("a", Machine.NewDht(Machine.Open() with { Reserved = AroundFirst }), Machine.Open());
        machine.Dhcp.Discover();
        Assert.Equal(First, machine.Dhcp.Take().Assigned);
        machine.Dhcp.RequestSelecting(First);
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        Assert.Equal(Second, machine.Dhcp.Bind());
    }

    private static DhtRecord Record(PeerIdentity owner, IPv4Address address, uint index) =>
        new(AddressValue.Key(address), AddressValue.ForAddress(index), owner, 1);
}
