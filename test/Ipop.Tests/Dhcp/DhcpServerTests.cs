using Ipop.Dhcp;
using Testing.Overlay;

namespace Ipop.Tests;

public sealed class DhcpServerTests
{
    private static readonly IPv4Address Gateway = Machine.Ip("10.128.255.254");

    [Fact]
    public void A_first_boot_gets_the_first_claimable_address_and_every_option()
    {
        var machine = new Machine("a");
        machine.Dhcp.Discover();
        DhcpReply offer = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Offer, machine.Claimable(0)), (offer.Type, offer.Assigned));
        machine.Dhcp.RequestSelecting(offer.Assigned);
        DhcpReply ack = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Ack, machine.Claimable(0)), (ack.Type, ack.Assigned));
        Assert.Equal(Machine.Ip("255.255.0.0"), ack.Address(DhcpOption.SubnetMask));
        Assert.Equal(Machine.Ip("10.128.255.255"), ack.Address(DhcpOption.BroadcastAddress));
        Assert.Equal(Gateway, ack.Address(DhcpOption.ServerIdentifier));
        Assert.Equal((600u, 300u, 525u), (ack.Number(DhcpOption.LeaseTime), ack.Number(DhcpOption.RenewalTime), ack.Number(DhcpOption.RebindingTime)));
        Assert.Equal(1280u, ack.Number(DhcpOption.InterfaceMtu));
        Assert.Equal("demo.internal", ack.Text(DhcpOption.DomainName));
        Assert.Equal([1, 2, 3], ack.Options[DhcpOption.ClientIdentifier]);
        Assert.False(ack.Options.ContainsKey(3), "A router option would take the guest's default route.");
        Assert.False(ack.Options.ContainsKey(DhcpOption.DnsServer));
        Assert.False(ack.Options.ContainsKey(DhcpOption.HostName));
        Assert.Equal(AddressState.Bound, machine.Network.State);
        Assert.Equal([machine.Claimable(0)], machine.Tap.Addresses);
    }

    [Fact]
    public void Discover_claims_nothing()
    {
        var machine = new Machine("a");
        machine.Dhcp.Discover();
        Assert.Equal(DhcpMessageType.Offer, machine.Dhcp.Take().Type);
        Assert.Equal(0, machine.Dht.Creates);
        Assert.Empty(machine.Dht.Records);
    }

    [Fact]
    public void A_request_is_one_create()
    {
        var machine = new Machine("a");
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        Assert.Equal(DhcpMessageType.Ack, machine.Dhcp.Take().Type);
        Assert.Equal(1, machine.Dht.Creates);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Replies_go_where_the_broadcast_flag_says(bool wantsBroadcast)
    {
        var machine = new Machine("a");
        machine.Dhcp.WantsBroadcast = wantsBroadcast;
        machine.Dhcp.Discover();
        DhcpReply offer = machine.Dhcp.Take();
        Assert.Equal(wantsBroadcast ? IPv4Address.Broadcast : offer.Assigned, offer.Destination);
        Assert.Equal(wantsBroadcast ? MacAddress.Broadcast : Machine.TapMac, offer.Mac);
        Assert.Equal(Gateway, offer.Source);
    }

    [Fact]
    public void Renewing_rebinding_and_init_reboot_keep_the_address()
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();
        foreach (Action<IPv4Address> request in new Action<IPv4Address>[]
            { machine.Dhcp.RequestRenewing, machine.Dhcp.RequestRebinding, machine.Dhcp.RequestInitReboot })
        {
            request(address);
            DhcpReply reply = machine.Dhcp.Take();
            Assert.Equal((DhcpMessageType.Ack, address), (reply.Type, reply.Assigned));
        }

        machine.Dhcp.RequestRenewing(address);
        Assert.Equal(address, machine.Dhcp.Take().Destination);
        Assert.Single(machine.Tap.Addresses);
    }

    [Fact]
    public void A_lost_race_is_a_nak_by_broadcast_and_the_next_offer_is_the_next_claimable_address()
    {
        var machine = new Machine("a");
        machine.Dhcp.Discover();
        IPv4Address offered = machine.Dhcp.Take().Assigned;
        machine.PutAddress(Peers.Certified("b", offered.ToString()), offered);
        machine.Dhcp.RequestSelecting(offered);
        DhcpReply nak = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Nak, IPv4Address.Any, IPv4Address.Broadcast), (nak.Type, nak.Assigned, nak.Destination));
        Assert.Equal(MacAddress.Broadcast, nak.Mac);
        Assert.Equal(machine.Claimable(1), machine.Dhcp.Bind());
    }

    [Fact]
    public void An_offer_passes_over_addresses_that_others_hold()
    {
        var machine = new Machine("a");
        for (uint i = 0; i < 5; i++)
        {
            machine.PutAddress(Peers.Certified($"other{i}", machine.Claimable(i).ToString()), machine.Claimable(i));
        }

        Assert.Equal(machine.Claimable(5), machine.Dhcp.Bind());
    }

    [Fact]
    public void A_certificate_s_address_comes_before_every_other()
    {
        var options = Machine.Closed() with { LastAddress = new Machine("a").Claimable(0) };
        var machine = new Machine("a", options: options, certificate: Peers.Certificate("a", "10.128.3.4"));
        Assert.Equal(Machine.Ip("10.128.3.4"), machine.Dhcp.Bind());
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
    }

    [Fact]
    public void The_host_name_of_the_certificate_is_handed_out()
    {
        var machine = new Machine("alpha", certificate: Peers.Certificate("alpha", "10.128.3.4"));
        machine.Dhcp.Discover();
        Assert.Equal("alpha", machine.Dhcp.Take().Text(DhcpOption.HostName));
    }

    [Fact]
    public void A_dns_server_is_handed_out_if_the_options_name_one()
    {
        var machine = new Machine("a", options: Machine.Closed() with { DnsServer = Machine.Ip("127.0.0.1") });
        machine.Dhcp.Discover();
        Assert.Equal(Machine.Ip("127.0.0.1"), machine.Dhcp.Take().Address(DhcpOption.DnsServer));
    }

    [Fact]
    public void The_last_run_s_address_is_offered_while_nobody_else_holds_it()
    {
        IPv4Address last = new Machine("a").Claimable(7);
        var options = Machine.Closed() with { LastAddress = last };
        Assert.Equal(last, new Machine("a", options: options).Dhcp.Bind());

        var late = new Machine("a", options: options);
        late.PutAddress(Peers.Certified("b", last.ToString()), last);
        Assert.Equal(late.Claimable(0), late.Dhcp.Bind());
    }

    [Fact]
    public void An_address_that_this_key_can_t_have_is_a_nak()
    {
        var machine = new Machine("a");
        foreach (string address in new[] { "10.128.0.0", "10.128.255.255", "10.128.255.254", "192.168.1.1", "0.0.0.0" })
        {
            machine.Dhcp.RequestInitReboot(Machine.Ip(address));
            Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        }

        machine.Dhcp.RequestInitReboot(new Machine("b").Claimable(0));
        Assert.Equal(DhcpMessageType.Nak, machine.Dhcp.Take().Type);
        Assert.Equal(0, machine.Dht.Creates);
    }

    [Fact]
    public void A_silent_dht_makes_a_silent_server()
    {
        var machine = new Machine("a");
        machine.Dht.IsSilent = true;
        machine.Dhcp.Discover();
        machine.Dhcp.RequestInitReboot(machine.Claimable(0));
        machine.Dhcp.ExpectSilence();
        machine.Dht.IsSilent = false;
        machine.Dhcp.Bind();
    }

    [Fact]
    public void What_came_before_the_ring_stood_is_answered_as_soon_as_it_stands()
    {
        var machine = new Machine("a", isJoined: false);
        machine.Dhcp.Discover();
        machine.Pass(2);
        machine.Dhcp.ExpectSilence();
        Assert.Equal(AddressState.WaitingForRing, machine.Network.State);
        machine.Overlay.IsJoined = true;
        machine.Pass(0.5);
        Assert.Equal(DhcpMessageType.Offer, machine.Dhcp.Take().Type);
    }

    [Fact]
    public void Who_is_cut_off_for_an_hour_keeps_the_address()
    {
        var machine = new Machine("a");
        IPv4Address mine = machine.Dhcp.Bind();
        machine.Overlay.IsJoined = false;
        for (int minutes = 0; minutes < 60; minutes += 5)
        {
            machine.Pass(5 * 60);
            machine.Dhcp.RequestRenewing(mine);
            DhcpReply ack = machine.Dhcp.Take();
            Assert.Equal((DhcpMessageType.Ack, mine, 600u), (ack.Type, ack.Assigned, ack.Number(DhcpOption.LeaseTime)));
        }

        machine.Dhcp.Discover();
        DhcpReply offer = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Offer, mine), (offer.Type, offer.Assigned));
        machine.Dhcp.RequestSelecting(mine);
        Assert.Equal(DhcpMessageType.Ack, machine.Dhcp.Take().Type);
        machine.Overlay.IsJoined = true;
        machine.Pass(1);
        Assert.Equal([mine], machine.Tap.Addresses);
    }

    [Fact]
    public void Who_is_cut_off_and_asks_with_rapid_commit_keeps_the_address_too()
    {
        var machine = new Machine("a");
        IPv4Address mine = machine.Dhcp.Bind();
        (machine.Overlay.IsJoined, machine.Dht.IsSilent) = (false, true);
        machine.Dhcp.Send(DhcpMessageType.Discover, options: [(DhcpOption.RapidCommit, [])]);
        DhcpReply offer = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Offer, mine), (offer.Type, offer.Assigned));
        machine.Dhcp.RequestSelecting(mine);
        DhcpReply ack = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Ack, mine), (ack.Type, ack.Assigned));
    }

    [Fact]
    public void A_repetition_while_the_dht_works_is_answered_once()
    {
        var machine = new Machine("a");
        machine.Dht.IsSlow = true;
        byte[] discover = DhcpGuest.Message(DhcpMessageType.Discover, 7, false, default, []);
        byte[] frame = Machine.Frame(0x0800, TestPackets.Udp(default, 68, IPv4Address.Broadcast, 67, discover));
        machine.Network.FrameFromTap(machine.Now, frame);
        machine.Network.FrameFromTap(machine.Now, frame);
        machine.Dht.Run(machine.Now);
        Assert.Single(machine.Tap.Frames);
    }

    [Fact]
    public void Release_gives_the_record_back_and_the_address_is_the_first_to_be_offered_again()
    {
        var machine = new Machine("a", options: Machine.Closed() with { LastAddress = new Machine("a").Claimable(3) });
        IPv4Address address = machine.Dhcp.Bind();
        machine.Dhcp.Release(address);
        machine.Dhcp.ExpectSilence();
        Assert.Empty(machine.Dht.Records);
        Assert.Null(machine.Network.Address);
        Assert.Equal([address, null], machine.Tap.Addresses);
        Assert.Equal(0, machine.Tap.Bounces);
        machine.Pass(300);
        Assert.Null(machine.Network.Address);
        Assert.Equal(address, machine.Dhcp.Bind());
    }

    [Fact]
    public void Decline_moves_to_the_next_claimable_address()
    {
        var machine = new Machine("a");
        IPv4Address address = machine.Dhcp.Bind();
        machine.Dhcp.Decline(address);
        Assert.Empty(machine.Dht.Records);
        Assert.Equal(machine.Claimable(1), machine.Dhcp.Bind());
    }

    [Fact]
    public void Inform_gets_options_without_a_lease()
    {
        var machine = new Machine("a");
        machine.Dhcp.Inform(machine.Claimable(0));
        DhcpReply ack = machine.Dhcp.Take();
        Assert.Equal((DhcpMessageType.Ack, IPv4Address.Any, machine.Claimable(0)), (ack.Type, ack.Assigned, ack.Destination));
        Assert.False(ack.Options.ContainsKey(DhcpOption.LeaseTime));
        Assert.Equal(1280u, ack.Number(DhcpOption.InterfaceMtu));
    }

    [Fact]
    public void A_request_to_another_server_is_none_of_ours()
    {
        var machine = new Machine("a");
        machine.Dhcp.Send(DhcpMessageType.Request, options: [(DhcpOption.RequestedAddress, [10, 128, 0, 9]), (DhcpOption.ServerIdentifier, [10, 0, 2, 2])]);
        machine.Dhcp.ExpectSilence();
        Assert.Equal(0, machine.Dht.Creates);
    }

    [Fact]
    public void Options_in_the_file_and_server_name_fields_are_read()
    {
        byte[] message = DhcpGuest.Message(DhcpMessageType.Request, 9, false, default, [(DhcpOption.Overload, [3])]);
        new byte[] { DhcpOption.RequestedAddress, 4, 10, 1, 2, 3, DhcpOption.End }.CopyTo(message, 108);
        new byte[] { DhcpOption.Pad, DhcpOption.ServerIdentifier, 4, 10, 9, 9, 9, DhcpOption.End }.CopyTo(message, 44);
        Assert.True(DhcpRequest.TryRead(message, out DhcpRequest? request));
        Assert.Equal((Machine.Ip("10.1.2.3"), Machine.Ip("10.9.9.9")), (request!.Requested, request.Server));
    }
}
