using Brunet.Dht;
using Brunet.Sessions;
using FsCheck;
using FsCheck.Fluent;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class RecordPolicyTests
{
    private const string Name = "10.128.3.4";

    private static readonly RecordPolicy Closed = new(Machine.Subnet, isOpen: false);
    private static readonly RecordPolicy Open = new(Machine.Subnet, isOpen: true);

    [Fact]
    public void A_bare_key_may_have_its_claimable_addresses_and_nothing_else()
    {
        PeerIdentity peer = Peers.Bare("a");
        for (uint i = 0; i < 3; i++)
        {
            IPv4Address claimable = ClaimableAddresses.Address(Machine.Subnet, peer.Address, i);
            Assert.True(Closed.IsAllowed(Address(peer, claimable.ToString(), i)));
            Assert.False(Closed.IsAllowed(Address(peer, claimable.ToString(), i + 1)));
            Assert.False(Closed.IsAllowed(Address(Peers.Bare("b"), claimable.ToString(), i)));
        }

        IPv4Address late = ClaimableAddresses.Address(Machine.Subnet, peer.Address, ClaimableAddresses.Count);
        Assert.False(Closed.IsAllowed(Address(peer, late.ToString(), ClaimableAddresses.Count)));
    }

    [Fact]
    public void A_certificate_may_have_its_address_and_nothing_else()
    {
        PeerIdentity peer = Peers.Certified("a", Name);
        Assert.True(Closed.IsAllowed(Address(peer, Name, AddressValue.NoIndex)));
        Assert.False(Closed.IsAllowed(Address(peer, "10.128.3.5", AddressValue.NoIndex)));
        IPv4Address claimable = ClaimableAddresses.Address(Machine.Subnet, peer.Address, 0);
        Assert.False(Closed.IsAllowed(Address(peer, claimable.ToString(), 0)));
    }

    [Theory]
    [InlineData("10.128.0.0")]
    [InlineData("10.128.255.255")]
    [InlineData("10.128.255.254")]
    [InlineData("192.168.1.1")]
    public void No_certificate_can_give_an_address_that_is_no_host_s(string name) =>
        Assert.False(Closed.IsAllowed(Address(Peers.Certified("a", name), name, AddressValue.NoIndex)));

    [Theory]
    [InlineData("010.128.3.4")]
    [InlineData("10.128.3.4 ")]
    [InlineData("10.128.3")]
    [InlineData("")]
    [InlineData("host")]
    public void An_address_has_one_spelling(string name) =>
        Assert.False(Closed.IsAllowed(Address(Peers.Certified("a", Name), name, AddressValue.NoIndex)));

    [Fact]
    public void A_value_of_the_wrong_length_may_not_stand()
    {
        PeerIdentity peer = Peers.Certified("a", Name, isManager: true);
        foreach (RecordKind kind in new[] { RecordKind.Address, RecordKind.HostName, RecordKind.Service, (RecordKind)77 })
        {
            foreach (int length in new[] { 1, 3, 6, 256 })
            {
                Assert.False(Closed.IsAllowed(new DhtRecord(new RecordKey(kind, kind == RecordKind.Address ? Name : "a"), new byte[length], peer, 1)));
            }
        }
    }

    [Fact]
    public void A_withdrawn_record_may_stand_and_owns_nothing()
    {
        RecordKey key = AddressValue.Key(Machine.Ip(Name));
        var withdrawn = new DhtRecord(key, ReadOnlyMemory<byte>.Empty, Peers.Bare("thief"), 1);
        Assert.True(Closed.IsAllowed(withdrawn));
        Assert.Null(AddressValue.Owner(new Brunet.DhtAnswer(Brunet.DhtStatus.Done, withdrawn)));
        Assert.False(AddressValue.TryReadName(withdrawn, out _));
        Assert.False(Closed.IsAllowed(withdrawn with { Key = new RecordKey((RecordKind)77, Name) }));

        // A replica that lies and shows it as standing gets nothing for its owner.
        var machine = new Machine("a", certificate: Peers.Certificate("a", "10.128.1.1"));
        machine.Dhcp.Bind();
        machine.Dht.Records[key] = withdrawn;
        machine.SendFromGuest(Machine.Packet(Machine.Ip("10.128.1.1"), Machine.Ip(Name)));
        Assert.Empty(machine.Overlay.Sent);
        Assert.Equal(1, machine.Network.Drops[DropReason.NoOwner]);
    }

    [Fact]
    public void A_host_name_is_its_certificate_s_and_names_its_address()
    {
        PeerIdentity peer = Peers.Certified("alpha", Name);
        Assert.True(Closed.IsAllowed(Named(RecordKind.HostName, "alpha", peer, Name)));
        Assert.False(Closed.IsAllowed(Named(RecordKind.HostName, "beta", peer, Name)));
        Assert.False(Closed.IsAllowed(Named(RecordKind.HostName, "alpha", peer, "10.128.3.5")));
        Assert.False(Closed.IsAllowed(Named(RecordKind.HostName, "alpha", Peers.Bare("alpha"), Name)));
    }

    [Fact]
    public void A_service_is_a_manager_s()
    {
        Assert.True(Closed.IsAllowed(Named(RecordKind.Service, "manager", Peers.Certified("m", Name, isManager: true), Name)));
        Assert.False(Closed.IsAllowed(Named(RecordKind.Service, "manager", Peers.Certified("m", Name), Name)));
        Assert.False(Closed.IsAllowed(Named(RecordKind.Service, "manager", Peers.Bare("m"), Name)));
        Assert.False(Closed.IsAllowed(Named(RecordKind.Service, "manager", Peers.Certified("m", Name, isManager: true), "10.128.3.5")));
    }

    [Fact]
    public void In_an_open_pool_bare_keys_own_names_and_services_of_hosts()
    {
        Assert.True(Open.IsAllowed(Named(RecordKind.HostName, "alpha", Peers.Bare("x"), Name)));
        Assert.True(Open.IsAllowed(Named(RecordKind.Service, "manager", Peers.Bare("x"), Name)));
        Assert.False(Open.IsAllowed(Named(RecordKind.HostName, "alpha", Peers.Bare("x"), "192.168.1.1")));
    }

    [Fact]
    public void A_certificate_beats_a_bare_key_however_early_its_candidate()
    {
        DhtRecord bare = Address(Peers.Bare("a"), Name, 0);
        DhtRecord certified = Address(Peers.Certified("b", Name), Name, AddressValue.NoIndex);
        Assert.True(Closed.Compare(certified, bare) < 0);
    }

    [Fact]
    public void The_later_certificate_wins_then_the_smaller_serial()
    {
        DhtRecord old = Address(Peers.Certified("a", Name, serial: "01"), Name, 0);
        DhtRecord young = Address(Peers.Certified("b", Name, issuedAfterDays: 1, serial: "02"), Name, 0);
        Assert.True(Closed.Compare(young, old) < 0);
        DhtRecord small = Address(Peers.Certified("c", Name, serial: "00FF"), Name, 0);
        DhtRecord large = Address(Peers.Certified("d", Name, serial: "100"), Name, 0);
        Assert.True(Closed.Compare(small, large) < 0);
    }

    [Fact]
    public void Between_bare_keys_the_smaller_index_wins()
    {
        for (int i = 0; i < 20; i++)
        {
            Assert.True(Closed.Compare(Address(Peers.Bare($"a{i}"), Name, 3), Address(Peers.Bare($"b{i}"), Name, 4)) < 0);
        }
    }

    [Fact]
    public void Compare_is_antisymmetric_and_only_equal_for_one_owner() =>
        Prop.ForAll(Records(2), pair =>
        {
            int forth = Math.Sign(Closed.Compare(pair[0], pair[1]));
            int back = Math.Sign(Closed.Compare(pair[1], pair[0]));
            return forth == -back && (forth != 0 || pair[0].Owner.Address == pair[1].Owner.Address);
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void Compare_is_transitive() =>
        Prop.ForAll(Records(3), three =>
            Closed.Compare(three[0], three[1]) > 0 || Closed.Compare(three[1], three[2]) > 0 || Closed.Compare(three[0], three[2]) <= 0)
            .QuickCheckThrowOnFailure();

    [Fact]
    public void Replicas_agree_whatever_the_order_of_arrival() =>
        Prop.ForAll(Records(6), Gen.Choose(0, int.MaxValue).ToArbitrary(), (records, seed) =>
        {
            DhtRecord[] shuffled = [.. records];
            new Random(seed).Shuffle(shuffled);
            return Winner(records).Owner.Address == Winner(shuffled).Owner.Address;
        }).QuickCheckThrowOnFailure();

    private static DhtRecord Winner(DhtRecord[] records)
    {
        DhtRecord winner = records[0];
        foreach (DhtRecord record in records)
        {
            winner = Closed.Compare(record, winner) < 0 ? record : winner;
        }

        return winner;
    }

    /// <summary>Records of different owners for one address; few different values, so that ties are common.</summary>
    private static Arbitrary<DhtRecord[]> Records(int count)
    {
        Gen<DhtRecord> one =
            from owner in Gen.Choose(0, 1_000_000)
            from kind in Gen.Choose(0, 2)
            from days in Gen.Choose(0, 1)
            from serial in Gen.Elements("1", "01", "0A", "a", "F0")
            from index in Gen.Choose(0, 2)
            let name = $"node{owner}"
            let peer = kind == 0 ? Peers.Bare(name) : Peers.Certified(name, Name, false, days, serial)
            select Address(peer, Name, (uint)index);
        return one.ArrayOf(count).Where(records => records.DistinctBy(record => record.Owner.Address).Count() == count).ToArbitrary();
    }

    private static DhtRecord Address(PeerIdentity owner, string name, uint index) =>
        new(new RecordKey(RecordKind.Address, name), AddressValue.ForAddress(index), owner, 1);

    private static DhtRecord Named(RecordKind kind, string name, PeerIdentity owner, string address) =>
        new(new RecordKey(kind, name), AddressValue.ForName(Machine.Ip(address)), owner, 1);
}
