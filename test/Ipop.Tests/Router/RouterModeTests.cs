using System.Buffers.Binary;
using Brunet.Sessions;
using Ipop.Addresses;
using Ipop.Arp;
using Ipop.Dhcp;
using Ipop.Ethernet;
using Ipop.Router;
using Testing.Overlay;

namespace Ipop.Tests.Router;

/// <summary>What honest hosts behind one node have of router mode.</summary>
public sealed class RouterModeTests
{
    [Fact]
    public void Hosts_are_told_the_lans_routes_as_rfc_3442_writes_them()
    {
        LanRoute[] routes = [Route("192.168.50.0/24 via 10.128.3.4"), Route("172.16.0.0/12 via 10.128.3.5"), Route("203.0.113.7/32 via 10.128.3.6")];
        var lan = new Lan(new RouterOptions { Routes = routes });
        lan.Discover(Lan.A);
        Assert.Equal(
            [24, 192, 168, 50, 10, 128, 3, 4, 12, 172, 16, 10, 128, 3, 5, 32, 203, 0, 113, 7, 10, 128, 3, 6], lan.Take(Lan.A).Options[DhcpOption.ClasslessRoutes]);
    }

    [Fact]
    public void As_many_routes_as_there_may_be_fit_what_every_client_takes()
    {
        var lan = new Lan(new RouterOptions { Routes = [.. Enumerable.Repeat(Route("203.0.113.7/32 via 10.128.3.6"), LanRoute.Most)] });
        lan.Discover(Lan.A);
        Assert.Equal(LanRoute.Most * 9, lan.Take(Lan.A).Options[DhcpOption.ClasslessRoutes].Length);
    }

    private readonly Lan _lan = new();

    [Fact]
    public void Every_host_gets_an_address_of_its_own_by_a_claim_of_the_same_node()
    {
        IPv4Address[] addresses = [_lan.Bind(Lan.A), _lan.Bind(Lan.B), _lan.Bind(Lan.C)];
        Assert.Equal(3, addresses.Distinct().Count());
        Assert.All(addresses, address => Assert.True(_lan.Owns(address)));
        Assert.Equal(3, _lan.Machine.Network.HostCount);
        Assert.Null(_lan.Machine.Network.Address);
    }

    [Fact]
    public void The_machine_itself_is_who_has_the_tap_s_address()
    {
        IPv4Address host = _lan.Bind(Lan.A);
        IPv4Address own = _lan.Machine.Dhcp.Bind();
        Assert.Equal(_lan.Machine.Claimable(0), own);
        Assert.Equal(own, _lan.Machine.Network.Address);
        Assert.NotEqual(own, host);
        Assert.Equal(1, _lan.Machine.Network.HostCount);
    }

    [Fact]
    public void A_host_keeps_its_address_although_nothing_is_remembered_of_it()
    {
        IPv4Address first = _lan.Bind(Lan.A);
        Assert.Equal(first, new Lan().Bind(Lan.A));
        Assert.NotEqual(first, new Lan(name: "another").Bind(Lan.A));
    }

    [Fact]
    public void Two_hosts_whose_first_candidate_is_the_same_get_different_ones()
    {
        var claimable = new ClaimableCache(_lan.Machine.Options.Subnet, ReservedRanges.None, _lan.Machine.Overlay.Address);
        uint start = claimable.StartOf(Lan.A);
        ulong twin = Lan.A.Value + 1;
        while (claimable.StartOf(new MacAddress(twin)) != start)
        {
            twin++;
        }

        _lan.Discover(Lan.A);
        IPv4Address offered = _lan.Take(Lan.A).Assigned;
        IPv4Address taken = _lan.Bind(new MacAddress(twin));
        Assert.Equal(offered, taken);
        _lan.Select(Lan.A, offered);
        Assert.Equal(DhcpMessageType.Nak, _lan.Take(Lan.A).Type);
        Assert.NotEqual(taken, _lan.Bind(Lan.A));
    }

    [Fact]
    public void Leases_are_short_and_name_the_server_that_knows_the_pool_s_names()
    {
        _lan.Discover(Lan.A);
        DhcpReply offer = _lan.Take(Lan.A);
        Assert.Equal(600u, offer.Number(DhcpOption.LeaseTime));
        Assert.Equal(_lan.Machine.Options.Subnet.Gateway, offer.Address(DhcpOption.DnsServer));
        Assert.Equal("demo.internal", offer.Text(DhcpOption.DomainName));
        Assert.False(offer.Options.ContainsKey(DhcpOption.HostName));
    }

    [Fact]
    public void A_renewal_is_granted_without_asking_the_dht_again()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        int creates = _lan.Machine.Dht.Creates;
        _lan.Renew(Lan.A, address);
        Assert.Equal(DhcpMessageType.Ack, _lan.Take(Lan.A).Type);
        Assert.Equal(creates, _lan.Machine.Dht.Creates);
    }

    [Fact]
    public void Packets_go_from_each_host_to_the_overlay_and_from_there_to_the_right_one()
    {
        (PeerIdentity peer, IPv4Address remote) = _lan.Remote();
        foreach (MacAddress host in new[] { Lan.A, Lan.B, Lan.C })
        {
            IPv4Address address = _lan.Bind(host);
            _lan.Packet(host, address, remote);
            Assert.Equal(peer.Address, _lan.Machine.Overlay.Sent[^1].Destination);
            Assert.Equal(Machine.Packet(address, remote), _lan.Machine.Overlay.Sent[^1].Packet);
            _lan.Machine.Receive(peer, Machine.Packet(remote, address));
            (MacAddress to, ushort type, byte[] payload) = _lan.TakeFrame();
            Assert.Equal((host, EthernetFrame.IPv4), (to, type));
            Assert.Equal(Machine.Packet(remote, address), payload);
        }

        Assert.Equal(3, _lan.Machine.Overlay.Sent.Count);
    }

    [Fact]
    public void Segments_without_checksum_are_joined_for_each_host_apart()
    {
        (PeerIdentity peer, IPv4Address remote) = _lan.Remote();
        IPv4Address a = _lan.Bind(Lan.A), b = _lan.Bind(Lan.B);
        foreach (IPv4Address address in new[] { a, b })
        {
            _lan.Machine.Network.PacketFromOverlay(_lan.Machine.Now, peer, TestPackets.Tcp(remote, 1, address, 2, TestPackets.Ack), lacksChecksum: true);
        }

        _lan.Machine.Network.EndRound();
        Assert.Equal([Lan.A, Lan.B], new[] { _lan.TakeFrame().To, _lan.TakeFrame().To });
    }

    [Fact]
    public void What_can_t_be_delivered_is_told_to_the_host_that_sent_it()
    {
        IPv4Address address = _lan.Bind(Lan.B);
        _lan.Packet(Lan.B, address, Machine.Ip("10.128.77.77"));
        (MacAddress to, _, byte[] payload) = _lan.TakeFrame();
        Assert.Equal((Lan.B, IPv4Packet.Icmp), (to, payload[9]));
    }

    [Fact]
    public void Arp_is_answered_for_the_rest_of_the_subnet_and_not_for_the_own_lan()
    {
        (_, IPv4Address remote) = _lan.Remote();
        IPv4Address a = _lan.Bind(Lan.A), b = _lan.Bind(Lan.B);
        _lan.Arp(Lan.A, a, remote);
        Assert.Equal((Lan.A, new ArpPacket(ArpPacket.Reply, MacAddress.Gateway, remote, a)), _lan.TakeArp());
        _lan.Arp(Lan.B, b, _lan.Machine.Options.Subnet.Gateway);
        Assert.Equal(Lan.B, _lan.TakeArp().To);
        _lan.Arp(Lan.A, a, b);
        _lan.Arp(Lan.A, a, a);
        _lan.Arp(Lan.B, IPv4Address.Any, a);
        _lan.Arp(Lan.A, a, Machine.Ip("10.128.77.77"));
        _lan.ExpectSilence();
    }

    [Fact]
    public void A_packet_for_a_neighbour_that_came_here_is_not_carried_but_its_sender_is_told_where_to_send_it()
    {
        IPv4Address a = _lan.Bind(Lan.A), b = _lan.Bind(Lan.B);
        _lan.Packet(Lan.A, a, b);
        Assert.Equal((Lan.A, new ArpPacket(ArpPacket.Reply, Lan.B, b, a)), _lan.TakeArp());
        _lan.ExpectSilence();
        Assert.Empty(_lan.Machine.Overlay.Sent);
        Assert.Equal(1, _lan.Dropped(DropReason.SameLan));
    }

    [Fact]
    public void Who_announces_a_remote_address_is_contradicted_before_the_whole_lan()
    {
        (_, IPv4Address remote) = _lan.Remote();
        _lan.Bind(Lan.A);
        _lan.Arp(Lan.A, remote, remote);
        Assert.Equal(Lan.A, _lan.TakeArp().To);
        Assert.Equal((MacAddress.Broadcast, new ArpPacket(ArpPacket.Request, MacAddress.Gateway, remote, remote)), _lan.TakeArp());
    }

    [Fact]
    public void A_released_address_is_nobody_s_at_once_and_the_host_s_again_when_it_comes_back()
    {
        (PeerIdentity peer, IPv4Address remote) = _lan.Remote();
        IPv4Address address = _lan.Bind(Lan.A);
        _lan.Release(Lan.A, address);
        Assert.False(_lan.Owns(address));
        Assert.Equal(0, _lan.Machine.Network.HostCount);
        _lan.Packet(Lan.A, address, remote);
        _lan.Machine.Receive(peer, Machine.Packet(remote, address));
        Assert.Empty(_lan.Machine.Overlay.Sent);
        _lan.ExpectSilence();
        Assert.Equal(address, _lan.Bind(Lan.A));
    }

    [Fact]
    public void A_declined_address_is_given_up_for_another()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        _lan.Decline(Lan.A, address);
        Assert.False(_lan.Owns(address));
        Assert.NotEqual(address, _lan.Bind(Lan.A));
    }

    [Fact]
    public void A_host_that_is_silent_to_the_end_of_its_lease_is_asked_and_then_loses_its_address()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        _lan.Machine.Pass(599);
        Assert.True(_lan.Owns(address));
        _lan.ExpectSilence();
        _lan.Machine.Pass(5);
        for (int ask = 0; ask < 3; ask++)
        {
            Assert.Equal((Lan.A, new ArpPacket(ArpPacket.Request, MacAddress.Gateway, _lan.Machine.Options.Subnet.Gateway, address)), _lan.TakeArp());
        }

        _lan.ExpectSilence();
        Assert.False(_lan.Owns(address));
        Assert.Empty(_lan.Machine.Network.KnownHosts());
        _lan.Machine.Pass(61);
        Assert.Empty(_lan.Machine.Network.Hosts(_lan.Machine.Now));
    }

    [Fact]
    public void A_host_that_renews_keeps_its_address()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        for (int renewals = 0; renewals < 5; renewals++)
        {
            _lan.Machine.Pass(300);
            _lan.Renew(Lan.A, address);
            Assert.Equal((DhcpMessageType.Ack, address), (_lan.Take(Lan.A).Type, address));
        }

        Assert.True(_lan.Owns(address));
        _lan.ExpectSilence();
    }

    [Fact]
    public void A_host_that_answers_at_the_end_of_its_lease_keeps_the_address_that_it_uses()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        _lan.Machine.Pass(600.5);
        _lan.TakeArp();
        _lan.Arp(Lan.A, address, _lan.Machine.Options.Subnet.Gateway, ArpPacket.Reply);
        _lan.Machine.Pass(30);
        Assert.True(_lan.Owns(address));
        _lan.ExpectSilence();
        _lan.Machine.Pass(60);
        Assert.False(_lan.Owns(address));
    }

    [Fact]
    public void A_restarted_router_claims_its_hosts_addresses_without_waiting_for_them()
    {
        IPv4Address a = _lan.Bind(Lan.A), b = _lan.Bind(Lan.B);
        var again = new Lan(new RouterOptions { Known = _lan.Machine.Network.KnownHosts() }, _lan.Machine.Dht, isJoined: false);
        again.Machine.Pass(1);
        Assert.Equal(0, again.Machine.Network.HostCount);
        again.Machine.Overlay.IsJoined = true;
        again.Machine.Pass(3);
        Assert.Equal(2, again.Machine.Network.HostCount);
        (PeerIdentity peer, IPv4Address remote) = again.Remote();
        again.Packet(Lan.A, a, remote);
        Assert.Single(again.Machine.Overlay.Sent);
        again.Machine.Receive(peer, Machine.Packet(remote, b));
        Assert.Equal(Lan.B, again.TakeFrame().To);
        again.Renew(Lan.A, a);
        Assert.Equal(DhcpMessageType.Ack, again.Take(Lan.A).Type);
    }

    [Fact]
    public void A_restarted_router_that_remembers_nothing_finds_a_host_s_address_again_by_its_init_reboot()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        var again = new Lan(dht: _lan.Machine.Dht);
        again.Reboot(Lan.A, address);
        Assert.Equal((DhcpMessageType.Ack, address), Answer(again.Take(Lan.A)));
        again.Reboot(Lan.B, address);
        Assert.Equal(DhcpMessageType.Nak, again.Take(Lan.B).Type);
    }

    [Fact]
    public void An_address_that_is_lost_is_announced_as_another_s_and_refused_at_the_next_renewal()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        Assert.True(_lan.Machine.Dht.Put(new Brunet.Dht.DhtRecord(
            AddressValue.Key(address), AddressValue.ForAddress(AddressValue.NoIndex), Peers.Certified("b", address.ToString()), 1)));
        _lan.Machine.Pass(61);
        Assert.Equal((MacAddress.Broadcast, new ArpPacket(ArpPacket.Request, MacAddress.Gateway, address, address)), _lan.TakeArp());
        Assert.Equal(0, _lan.Machine.Tap.Bounces);
        _lan.Renew(Lan.A, address);
        Assert.Equal(DhcpMessageType.Nak, _lan.Take(Lan.A).Type);
        Assert.NotEqual(address, _lan.Bind(Lan.A));
    }

    [Fact]
    public void An_address_that_was_lost_while_ipopd_was_away_is_announced_as_another_s()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        Assert.True(_lan.Machine.Dht.Put(new Brunet.Dht.DhtRecord(
            AddressValue.Key(address), AddressValue.ForAddress(AddressValue.NoIndex), Peers.Certified("b", address.ToString()), 1)));
        var again = new Lan(new RouterOptions { Known = _lan.Machine.Network.KnownHosts() }, _lan.Machine.Dht);
        again.Machine.Pass(1);
        Assert.Equal((MacAddress.Broadcast, address), (again.TakeArp().To, address));
        Assert.Equal(0, again.Machine.Network.HostCount);
    }

    [Fact]
    public void A_silent_dht_keeps_nobody_from_the_address_that_stands_and_costs_no_ticks_without_end()
    {
        IPv4Address address = _lan.Bind(Lan.A);
        _lan.Machine.Dht.IsSilent = true;
        _lan.Reboot(Lan.A, _lan.Machine.Claimable(3));
        _lan.ExpectSilence();
        _lan.Machine.Pass(10);
        _lan.Renew(Lan.A, address);
        Assert.Equal((DhcpMessageType.Ack, address), Answer(_lan.Take(Lan.A)));
    }

    [Fact]
    public void Hosts_ask_the_dhcp_server_for_the_pool_s_names()
    {
        (_, IPv4Address remote) = _lan.Remote();
        IPv4Address host = _lan.Bind(Lan.A);
        byte[] label = System.Text.Encoding.ASCII.GetBytes(remote.ToString('-'));
        byte[] query = [0, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, (byte)label.Length, .. label, 4, .. "demo"u8, 8, .. "internal"u8, 0, 0, 1, 0, 1];
        IPv4Address server = _lan.Machine.Options.Subnet.Gateway;
        _lan.Frame(Lan.A, MacAddress.Gateway, EthernetFrame.IPv4, TestPackets.Udp(host, 5000, server, 53, query));
        (MacAddress to, _, byte[] payload) = _lan.TakeFrame();
        Assert.Equal(Lan.A, to);
        Assert.True(IPv4Packet.TryRead(payload, out IPv4Packet packet));
        Assert.True(UdpDatagram.TryRead(packet, out UdpDatagram reply));
        Assert.Equal((server, host, (ushort)53, (ushort)5000), (packet.Source, packet.Destination, reply.SourcePort, reply.DestinationPort));
        Assert.Equal(1, BinaryPrimitives.ReadUInt16BigEndian(reply.Payload[6..]));
        Assert.Equal(remote, IPv4Address.Read(reply.Payload[^4..]));

        _lan.Frame(Lan.B, MacAddress.Gateway, EthernetFrame.IPv4, TestPackets.Udp(host, 5000, server, 53, query));
        _lan.ExpectSilence();
        Assert.Equal(1, _lan.Dropped(DropReason.NotOurSource));
    }

    [Fact]
    public void A_request_before_the_ring_stands_is_answered_when_it_does()
    {
        var lan = new Lan(isJoined: false);
        lan.Discover(Lan.A);
        lan.ExpectSilence();
        lan.Machine.Overlay.IsJoined = true;
        lan.Machine.Pass(1);
        Assert.Equal(DhcpMessageType.Offer, lan.Take(Lan.A).Type);
    }

    [Fact]
    public void A_relay_agent_that_is_a_host_itself_carries_requests_of_others_where_that_is_allowed()
    {
        var lan = new Lan(new RouterOptions { HasRelays = true });
        IPv4Address relay = lan.Bind(Lan.A);
        lan.Dhcp(Lan.B, DhcpMessageType.Discover, station: Lan.A, relay: relay);
        (MacAddress to, _, byte[] payload) = lan.TakeFrame();
        Assert.True(IPv4Packet.TryRead(payload, out IPv4Packet packet));
        Assert.True(UdpDatagram.TryRead(packet, out UdpDatagram reply));
        Assert.Equal((Lan.A, relay, (ushort)67), (to, packet.Destination, reply.DestinationPort));
        Assert.Equal((relay, Lan.B), (IPv4Address.Read(reply.Payload[24..]), MacAddress.Read(reply.Payload[28..])));
    }

    [Fact]
    public void A_router_that_is_idle_wants_no_ticks()
    {
        _lan.Bind(Lan.A);
        _lan.Machine.Pass(1);
        Assert.True(_lan.Machine.Network.NextTick - _lan.Machine.Now > TimeSpan.FromSeconds(1));
    }

    private static (DhcpMessageType Type, IPv4Address Address) Answer(DhcpReply reply) => (reply.Type, reply.Assigned);

    private static LanRoute Route(string text) => LanRoute.TryParse(text, out LanRoute route) ? route : throw new FormatException(text);
}
