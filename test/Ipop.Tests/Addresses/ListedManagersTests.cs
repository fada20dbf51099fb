using System.Text;
using Brunet.Dht;
using Brunet.Sessions;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>What the CA's list says is a manager's, no other certificate owns: its address, its host name, the names of its services.</summary>
public sealed class ListedManagersTests
{
    private const string First = "10.128.0.1";
    private const string Second = "10.128.0.2";

    private readonly RecordPolicy _policy = new(Machine.Subnet, isOpen: false) { Managers = List("boss 10.128.0.1\nsecond 10.128.0.2 ca\n") };

    [Fact]
    public void A_listed_address_and_name_are_the_manager_s_of_that_name_and_no_other_certificate_s()
    {
        foreach (PeerIdentity other in new[] { Peers.Certified("second", Second), Peers.Certified("third", Second, isManager: true), Peers.Certified("thief", Second) })
        {
            Assert.False(_policy.IsAllowed(Address(other, Second)));
            Assert.False(_policy.IsAllowed(Named(RecordKind.HostName, other.Certificate!.HostName, other, Second)));
            Assert.False(_policy.IsAllowed(Named(RecordKind.Service, "ca", other, Second)));
        }

        PeerIdentity second = Peers.Certified("second", Second, isManager: true);
        Assert.True(_policy.IsAllowed(Address(second, Second)));
        Assert.True(_policy.IsAllowed(Named(RecordKind.HostName, "second", second, Second)));
        Assert.True(_policy.IsAllowed(Named(RecordKind.Service, "ca", second, Second)));

        // The name alone, from an address of its own.
        PeerIdentity namesake = Peers.Certified("second", "10.128.0.9", isManager: true);
        Assert.True(_policy.IsAllowed(Address(namesake, "10.128.0.9")));
        Assert.False(_policy.IsAllowed(Named(RecordKind.HostName, "second", namesake, "10.128.0.9")));
        Assert.False(_policy.IsAllowed(Named(RecordKind.HostName, "SECOND", namesake, "10.128.0.9")));
        Assert.True(_policy.IsAllowed(Named(RecordKind.HostName, "w", Peers.Certified("w", "10.128.0.8"), "10.128.0.8")));
    }

    [Fact]
    public void A_service_is_the_manager_s_that_the_list_means()
    {
        PeerIdentity boss = Peers.Certified("boss", First, isManager: true);
        PeerIdentity second = Peers.Certified("second", Second, isManager: true);
        Assert.True(_policy.IsAllowed(Named(RecordKind.Service, "manager", boss, First)));
        Assert.False(_policy.IsAllowed(Named(RecordKind.Service, "manager", second, Second)));
        Assert.True(_policy.IsAllowed(Named(RecordKind.Service, "ca", second, Second)));
        Assert.False(_policy.IsAllowed(Named(RecordKind.Service, "ca", boss, First)));
        Assert.False(_policy.IsAllowed(Named(RecordKind.Service, "manager", Peers.Certified("former", "10.128.0.7", isManager: true), "10.128.0.7")));
    }

    [Fact]
    public void A_bare_key_whose_own_address_a_manager_s_is_may_not_have_it()
    {
        PeerIdentity bare = Peers.Bare("a");
        IPv4Address claimable = ClaimableAddresses.Address(Machine.Subnet, bare.Address, 3);
        var record = new DhtRecord(AddressValue.Key(claimable), AddressValue.ForAddress(3), bare, 1);
        Assert.True(_policy.IsAllowed(record));
        _policy.Managers = List($"boss {claimable} ca\n");
        Assert.False(_policy.IsAllowed(record));
    }

    [Fact]
    public void A_manager_gets_its_address_and_its_names_from_a_later_certificate_that_had_them_before_the_list()
    {
        var policy = new RecordPolicy(Machine.Subnet, isOpen: false);
        var dht = new FakeDht(policy);
        var thief = new Machine("second", dht, certificate: Peers.Certificate("second", Second, issuedAfterDays: 3));
        thief.Dhcp.Bind();
        thief.Pass(4);
        Assert.Equal(Second, thief.Network.Address?.ToString());

        ManagerList list = List("boss 10.128.0.1\nsecond 10.128.0.2 ca\n");
        policy.Managers = list;
        var second = new Machine("the manager", dht, certificate: Peers.Certificate("second", Second, isManager: true));
        second.Network.ManagersChanged(second.Now, list);
        second.Dhcp.Bind();
        second.Pass(4);
        Assert.Equal(Second, second.Network.Address?.ToString());
        foreach (RecordKey key in new[] { AddressValue.Key(Machine.Ip(Second)), new RecordKey(RecordKind.HostName, "second"), new RecordKey(RecordKind.Service, "ca") })
        {
            Assert.Equal(second.Identity.Address, dht.Records[key].Owner.Address);
        }

        thief.Pass(61);
        Assert.Null(thief.Network.Address);
        Assert.Contains(thief.Network.Warnings, warning => warning.Text.Contains("or a manager's", StringComparison.Ordinal));
        Assert.Empty(second.Network.Warnings);
    }

    [Fact]
    public void Packets_from_a_listed_address_are_believed_from_the_manager_alone()
    {
        var machine = new Machine("a", certificate: Peers.Certificate("a", "10.128.1.1"));
        machine.Dhcp.Bind();
        machine.TakePackets();
        PeerIdentity thief = Peers.Certified("second", Second);
        PeerIdentity second = Peers.Certified("second", Second, isManager: true);
        byte[] packet = Machine.Packet(Machine.Ip(Second), Machine.Ip("10.128.1.1"));
        machine.Receive(thief, packet);
        Assert.Single(machine.TakePackets());

        machine.Network.ManagersChanged(machine.Now, List("boss 10.128.0.1\nsecond 10.128.0.2 ca\n"));
        machine.Receive(thief, packet);
        Assert.Empty(machine.TakePackets());
        Assert.Equal(1, machine.Network.Drops[DropReason.NotOwner]);
        machine.Receive(second, packet);
        Assert.Single(machine.TakePackets());
    }

    private static ManagerList List(string lines)
    {
        Assert.True(ManagerList.TryRead(Machine.Subnet, Encoding.ASCII.GetBytes("wow-managers 1\n" + lines), out ManagerList? list, out string reason), reason);
        return list;
    }

    private static DhtRecord Address(PeerIdentity owner, string name) => new(AddressValue.Key(Machine.Ip(name)), AddressValue.ForAddress(AddressValue.NoIndex), owner, 1);

    private static DhtRecord Named(RecordKind kind, string name, PeerIdentity owner, string address) =>
        new(new RecordKey(kind, name), AddressValue.ForName(Machine.Ip(address)), owner, 1);
}
