using Brunet.Sessions;
using Ipop.Arp;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class ArpResponderTests
{
    private static readonly IPv4Address Other = Machine.Ip("10.128.9.9");

    [Fact]
    public void An_owner_that_is_unreachable_is_not_answered_for_until_it_is_back()
    {
        Machine machine = Bound(out IPv4Address local);
        PeerIdentity owner = Peers.Certified("b", Other.ToString());
        machine.PutAddress(owner, Other);
        machine.Overlay.Unreachable.Add(owner.Address);
        machine.Arp(local, Other);
        Assert.Null(machine.TakeArp());
        Assert.Equal(1, machine.Network.Drops[DropReason.Arp]);

        // The address is no less its own for that.
        machine.Arp(IPv4Address.Any, Other);
        Assert.NotNull(machine.TakeArp());
        machine.Overlay.Unreachable.Clear();
        machine.Arp(local, Other);
        Assert.NotNull(machine.TakeArp());
    }

    [Fact]
    public void An_address_with_an_owner_is_answered_with_the_gateway_s_mac()
    {
        Machine machine = Bound(out IPv4Address local);
        machine.PutAddress(Peers.Certified("b", Other.ToString()), Other);
        machine.Arp(local, Other);
        Assert.Equal(new ArpPacket(ArpPacket.Reply, MacAddress.Gateway, Other, local), machine.TakeArp());
    }

    [Fact]
    public void The_answer_comes_when_the_dht_s_does()
    {
        Machine machine = Bound(out IPv4Address local);
        machine.PutAddress(Peers.Certified("b", Other.ToString()), Other);
        machine.Dht.IsSlow = true;
        machine.Arp(local, Other);
        Assert.Null(machine.TakeArp());
        machine.Dht.Run(machine.Now);
        Assert.NotNull(machine.TakeArp());
    }

    [Fact]
    public void An_address_without_owner_looks_like_a_host_that_is_down()
    {
        Machine machine = Bound(out IPv4Address local);
        machine.Arp(local, Other);
        Assert.Null(machine.TakeArp());

        // It comes up: the guest's next attempt after the short negative answer succeeds.
        machine.PutAddress(Peers.Certified("b", Other.ToString()), Other);
        machine.Pass(2.1);
        machine.Arp(local, Other);
        Assert.NotNull(machine.TakeArp());
    }

    [Fact]
    public void The_dhcp_server_s_address_is_always_answered()
    {
        Machine machine = Bound(out IPv4Address local);
        machine.Arp(local, Machine.Subnet.Gateway);
        Assert.NotNull(machine.TakeArp());
        machine.Network.RefuseAddress(machine.Now, local);
        machine.Arp(local, Machine.Subnet.Gateway);
        Assert.NotNull(machine.TakeArp());
    }

    [Fact]
    public void Probes_and_announcements_of_the_own_address_replies_and_strangers_are_not_answered()
    {
        Machine machine = Bound(out IPv4Address local);
        machine.PutAddress(Peers.Certified("b", Other.ToString()), Other);
        machine.Arp(IPv4Address.Any, local);
        machine.Arp(IPv4Address.Any, Machine.Ip("10.128.9.10"));
        machine.Arp(local, local);
        machine.Arp(local, Other, ArpPacket.Reply);
        machine.Arp(Machine.Ip("10.128.1.1"), Other);
        machine.Arp(local, Machine.Ip("192.168.1.1"));
        machine.Arp(local, Machine.Subnet.Broadcast);
        Assert.Null(machine.TakeArp());
        Assert.Equal(7, machine.Network.Drops[DropReason.Arp]);
    }

    [Fact]
    public void Who_probes_for_or_announces_another_s_address_is_told_of_the_conflict()
    {
        var machine = new Machine("a");
        machine.PutAddress(Peers.Certified("b", Other.ToString()), Other);
        machine.Arp(IPv4Address.Any, Other);
        Assert.Equal(new ArpPacket(ArpPacket.Reply, MacAddress.Gateway, Other, IPv4Address.Any), machine.TakeArp());
        machine.Arp(Other, Other);
        Assert.Equal(new ArpPacket(ArpPacket.Reply, MacAddress.Gateway, Other, Other), machine.TakeArp());
        machine.Arp(IPv4Address.Any, Machine.Subnet.Gateway);
        Assert.NotNull(machine.TakeArp());
    }

    [Fact]
    public void A_probe_that_waited_is_not_answered_when_the_guest_got_the_address_meanwhile()
    {
        var machine = new Machine("a");
        machine.PutAddress(machine.Identity, machine.Claimable(0));
        machine.Dht.IsSlow = true;
        machine.Arp(IPv4Address.Any, machine.Claimable(0));
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        machine.Dht.Run(machine.Now);
        Assert.Equal(Dhcp.DhcpMessageType.Ack, machine.Dhcp.Take().Type);
        machine.Dhcp.ExpectSilence();
    }

    private static Machine Bound(out IPv4Address local)
    {
        var machine = new Machine("a");
        local = machine.Dhcp.Bind();
        return machine;
    }
}
