using Ipop.Dhcp;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>What clients ask for, and how they may garble it.</summary>
public sealed class DhcpOptionsTests
{
    [Fact]
    public void The_search_list_is_the_zone_as_dns_writes_it()
    {
        var machine = new Machine("a");
        machine.Dhcp.Discover();
        Assert.Equal([4, .. "demo"u8, 8, .. "internal"u8, 0], machine.Dhcp.Take().Options[DhcpOption.DomainSearch]);
    }

    [Fact]
    public void What_is_asked_for_comes_in_that_order_and_nothing_else()
    {
        var machine = new Machine("alpha", certificate: Peers.Certificate("alpha", "10.128.3.4"));
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [(DhcpOption.ParameterList, [12, 3, 119, 121, 33, 26, 12, 0, 255])]);
        Assert.Equal(
            [DhcpOption.MessageType, DhcpOption.ServerIdentifier, DhcpOption.ClientIdentifier, DhcpOption.LeaseTime, DhcpOption.RenewalTime,
             DhcpOption.RebindingTime, DhcpOption.SubnetMask, DhcpOption.HostName, DhcpOption.DomainSearch, DhcpOption.InterfaceMtu],
            machine.Dhcp.Take().Options.Keys);
    }

    [Fact]
    public void A_client_that_names_nothing_gets_no_route()
    {
        var machine = new Machine("a");
        machine.Dhcp.Discover();
        DhcpReply offer = machine.Dhcp.Take();
        Assert.DoesNotContain(offer.Options.Keys, code => code is 3 or 33 or 121);
    }

    [Fact]
    public void A_reply_is_no_larger_than_every_client_takes_unless_this_one_takes_more()
    {
        var options = Machine.Closed() with { Pool = new string('p', 63) };
        var machine = new Machine("a", options: options, certificate: Peers.Certificate(new string('h', 63), "10.128.3.4"));
        (byte, byte[]) identifier = (DhcpOption.ClientIdentifier, new byte[255]);
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [identifier, (DhcpOption.LargestMessage, [0, 1])]);
        Assert.InRange(machine.Tap.Frames.Peek().Length, 300, 14 + 576);
        DhcpReply small = machine.Dhcp.Take();
        Assert.Equal(Machine.Ip("255.255.0.0"), small.Address(DhcpOption.SubnetMask));
        Assert.False(small.Options.ContainsKey(DhcpOption.HostName));
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [identifier, (DhcpOption.LargestMessage, [5, 0xdc])]);
        Assert.InRange(machine.Tap.Frames.Peek().Length, 14 + 577, 14 + 1500);
        Assert.Contains(new string('h', 63), System.Text.Encoding.ASCII.GetString(machine.Tap.Frames.Dequeue()), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(new byte[] { 50, 3, 10, 128, 1 })]
    [InlineData(new byte[] { 54, 0 })]
    [InlineData(new byte[] { 52, 2, 1, 1 })]
    [InlineData(new byte[] { 55, 0 })]
    [InlineData(new byte[] { 57, 1, 9 })]
    [InlineData(new byte[] { 80, 1, 1 })]
    [InlineData(new byte[] { 43, 200, 1 })]
    [InlineData(new byte[] { 61 })]
    public void A_garbled_option_is_as_good_as_absent(byte[] garbled)
    {
        var machine = new Machine("a");
        byte[] message = [.. DhcpGuest.Message(DhcpMessageType.Discover, 7, false, default, [])[..^1], .. garbled];
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(0x0800, TestPackets.Udp(default, 68, IPv4Address.Broadcast, 67, message)));
        DhcpReply offer = DhcpReply.Read(Assert.Single(machine.Tap.Frames));
        Assert.Equal((DhcpMessageType.Offer, machine.Claimable(0)), (offer.Type, offer.Assigned));
    }

    [Fact]
    public void Without_a_type_it_is_no_dhcp()
    {
        var machine = new Machine("a");
        byte[] message = DhcpGuest.Message(DhcpMessageType.Discover, 7, false, default, []);
        message[241] = 2;
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(0x0800, TestPackets.Udp(default, 68, IPv4Address.Broadcast, 67, message)));
        machine.Dhcp.ExpectSilence();
        Assert.Equal(1, machine.Network.Drops[DropReason.Dhcp]);
    }

    [Theory]
    [InlineData(new byte[] { 0, 0, 0, 60 }, 60u)]
    [InlineData(new byte[] { 0, 0, 0, 1 }, 10u)]
    [InlineData(new byte[] { 0, 1, 0, 0 }, 600u)]
    [InlineData(new byte[] { 255, 255, 255, 255 }, 600u)]
    [InlineData(new byte[] { 0, 0, 0, 0 }, 600u)]
    [InlineData(new byte[] { 0, 60 }, 600u)]
    public void A_client_may_wish_for_a_shorter_lease(byte[] wish, uint lease)
    {
        var machine = new Machine("a");
        machine.Dhcp.Send(DhcpMessageType.Request, machine.Claimable(0), options: [(DhcpOption.LeaseTime, wish)]);
        DhcpReply ack = machine.Dhcp.Take();
        Assert.Equal((lease, lease / 2, lease * 7 / 8), (ack.Number(DhcpOption.LeaseTime), ack.Number(DhcpOption.RenewalTime), ack.Number(DhcpOption.RebindingTime)));
    }

    [Fact]
    public void Rapid_commit_gives_the_lease_at_once()
    {
        var machine = new Machine("a");
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [(DhcpOption.RapidCommit, [])]);
        DhcpReply ack = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Ack, machine.Claimable(0)), (ack.Type, ack.Assigned));
        Assert.Empty(ack.Options[DhcpOption.RapidCommit]);
        Assert.Equal(machine.Claimable(0), machine.Network.Address);
        Assert.Equal(1, machine.Dht.Creates);

        // The answer to a REQUEST has none.
        machine.Dhcp.RequestRenewing(machine.Claimable(0));
        Assert.False(machine.Dhcp.Take().Options.ContainsKey(DhcpOption.RapidCommit));
    }

    [Fact]
    public void Rapid_commit_that_lost_the_race_is_an_offer_of_the_next_claimable_address()
    {
        var machine = new Machine("a");
        machine.Dht.IsSlow = true;
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [(DhcpOption.RapidCommit, [])]);
        machine.Dht.Run(machine.Now, most: 1);
        machine.PutAddress(Peers.Certified("b", machine.Claimable(0).ToString()), machine.Claimable(0));
        machine.Dht.Run(machine.Now);
        DhcpReply offer = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Offer, machine.Claimable(1)), (offer.Type, offer.Assigned));
        Assert.False(offer.Options.ContainsKey(DhcpOption.RapidCommit));
        Assert.Null(machine.Network.Address);
    }

    [Fact]
    public void A_rapid_commit_that_the_dht_does_not_answer_is_silence_and_claims_nothing()
    {
        var machine = new Machine("a");
        machine.Dht.IsSilent = true;
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [(DhcpOption.RapidCommit, [])]);
        machine.Dhcp.ExpectSilence();
        Assert.Equal(0, machine.Dht.Creates);
    }

    [Fact]
    public void A_declined_address_is_remembered_and_comes_back_after_ten_minutes()
    {
        var machine = new Machine("a");
        machine.Dhcp.Decline(machine.Dhcp.Bind());
        machine.Dhcp.Decline(machine.Dhcp.Bind());
        Assert.Equal(machine.Claimable(2), machine.Dhcp.Bind());
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        machine.Dhcp.Release(machine.Claimable(2));
        machine.Pass(601);
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        Assert.Equal(DhcpMessageType.Ack, machine.Dhcp.Take().Type);
    }

    [Fact]
    public void A_decline_that_names_no_address_means_the_one_in_use()
    {
        var machine = new Machine("a");
        machine.Dhcp.Bind();
        machine.Dhcp.Send(DhcpMessageType.Decline);
        Assert.Null(machine.Network.Address);
        Assert.Equal(machine.Claimable(1), machine.Dhcp.Bind());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Renewing_or_rebinding_an_address_that_was_lost_is_a_nak(bool isRebinding)
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();
        machine.PutAddress(Peers.Certified("b", address.ToString()), address);
        (isRebinding ? (Action<IPv4Address>)machine.Dhcp.RequestRebinding : machine.Dhcp.RequestRenewing)(address);
        DhcpReply nak = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Nak, IPv4Address.Broadcast, MacAddress.Broadcast), (nak.Type, nak.Destination, nak.Mac));
        Assert.Equal(machine.Claimable(1), machine.Dhcp.Bind());
    }

    [Fact]
    public void What_servers_say_and_what_another_server_is_told_is_counted()
    {
        var machine = new Machine("a");
        machine.Dhcp.Send(DhcpMessageType.Offer);
        machine.Dhcp.Send(DhcpMessageType.Ack);
        machine.Dhcp.Send(DhcpMessageType.Nak);
        machine.Dhcp.Inform(IPv4Address.Any);
        machine.Dhcp.Send(DhcpMessageType.Request, options: [(DhcpOption.ServerIdentifier, [10, 0, 2, 2])]);
        machine.Dhcp.ExpectSilence();
        Assert.Equal(5, machine.Network.Drops[DropReason.Dhcp]);
    }
}
