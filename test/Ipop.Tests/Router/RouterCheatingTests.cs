using Brunet.Sessions;
using Ipop.Arp;
using Ipop.Dhcp;
using Ipop.Dns;
using Ipop.Ethernet;
using Ipop.Router;
using Testing.Overlay;

namespace Ipop.Tests.Router;

/// <summary>The ways to cheat that router mode opens: for a host against its neighbours and the pool, for a router, and against one.</summary>
public sealed class RouterCheatingTests
{
    private readonly Lan _lan = new(new RouterOptions { Hosts = 3 });
    private readonly PeerIdentity _peer;
    private readonly IPv4Address _remote;
    private readonly IPv4Address _a;
    private readonly IPv4Address _b;

    public RouterCheatingTests()
    {
        (_peer, _remote) = _lan.Remote();
        (_a, _b) = (_lan.Bind(Lan.A), _lan.Bind(Lan.B));
    }

    [Fact]
    public void A_host_can_t_use_a_neighbour_s_address_nor_the_machine_s_nor_one_that_it_gave_itself()
    {
        IPv4Address machine = _lan.Machine.Dhcp.Bind();
        foreach (IPv4Address source in new[] { _b, machine, Machine.Ip("10.128.7.7"), _remote, IPv4Address.Any, _lan.Machine.Options.Subnet.Gateway })
        {
            _lan.Packet(Lan.A, source, _remote);
        }

        Assert.Empty(_lan.Machine.Overlay.Sent);
        _lan.ExpectSilence();
        Assert.Equal(6, _lan.Dropped(DropReason.NotOurSource));
        _lan.Packet(Lan.A, _a, _remote);
        Assert.Single(_lan.Machine.Overlay.Sent);
    }

    [Fact]
    public void A_host_without_lease_can_t_send_at_all()
    {
        _lan.Packet(Lan.C, _a, _remote);
        _lan.Packet(Lan.C, Machine.Ip("10.128.7.7"), _remote);
        Assert.Empty(_lan.Machine.Overlay.Sent);
        Assert.Equal(2, _lan.Dropped(DropReason.NotOurSource));
    }

    [Fact]
    public void The_machine_can_t_use_its_hosts_addresses_either()
    {
        _lan.Machine.SendFromGuest(Machine.Packet(_a, _remote));
        Assert.Empty(_lan.Machine.Overlay.Sent);
        Assert.Equal(1, _lan.Dropped(DropReason.NotOurSource));
    }

    [Fact]
    public void Another_s_ethernet_address_in_a_dhcp_message_does_nothing()
    {
        _lan.Release(Lan.B, _b, station: Lan.A);
        _lan.Dhcp(Lan.B, DhcpMessageType.Request, client: _b, station: Lan.A);
        _lan.Dhcp(Lan.B, DhcpMessageType.Decline, options: [(DhcpOption.RequestedAddress, Bytes(_b))], station: Lan.A);
        _lan.Dhcp(Lan.C, DhcpMessageType.Discover, station: Lan.A);
        _lan.ExpectSilence();
        Assert.True(_lan.Owns(_b));
        Assert.Equal(4, _lan.Dropped(DropReason.Dhcp));
        Assert.Equal(2, _lan.Machine.Network.Hosts(_lan.Machine.Now).Count);
    }

    [Fact]
    public void Nobody_relays_where_relays_are_not_allowed_and_what_gives_an_address_back_is_never_relayed()
    {
        _lan.Dhcp(Lan.C, DhcpMessageType.Discover, station: Lan.A, relay: _a);
        _lan.ExpectSilence();
        var relayed = new Lan(new RouterOptions { HasRelays = true });
        IPv4Address a = relayed.Bind(Lan.A), b = relayed.Bind(Lan.B);
        relayed.Dhcp(Lan.B, DhcpMessageType.Release, client: b, station: Lan.A, relay: a);
        relayed.Dhcp(Lan.B, DhcpMessageType.Decline, options: [(DhcpOption.RequestedAddress, Bytes(b))], station: Lan.A, relay: a);
        relayed.Dhcp(Lan.C, DhcpMessageType.Discover, station: Lan.A, relay: b);
        relayed.Dhcp(Lan.C, DhcpMessageType.Discover, station: Lan.A, relay: Machine.Ip("10.128.7.7"));
        relayed.ExpectSilence();
        Assert.True(relayed.Owns(b));
        Assert.Equal(4, relayed.Dropped(DropReason.Dhcp));
    }

    [Fact]
    public void A_host_can_t_give_back_or_take_what_its_neighbour_has()
    {
        _lan.Release(Lan.A, _b);
        Assert.True(_lan.Owns(_b));
        _lan.Reboot(Lan.A, _b);
        Assert.Equal(DhcpMessageType.Nak, _lan.Take(Lan.A).Type);
        _lan.Decline(Lan.A, _b);
        Assert.True(_lan.Owns(_b));
        _lan.Packet(Lan.B, _b, _remote);
        Assert.Single(_lan.Machine.Overlay.Sent);
    }

    [Fact]
    public void Starving_the_server_with_many_ethernet_addresses_takes_nothing_from_those_who_are_there()
    {
        int creates = _lan.Machine.Dht.Creates;
        for (ulong i = 0; i < 1000; i++)
        {
            var mac = new MacAddress(0x02_bb_00_00_00_00 + i);
            _lan.Discover(mac);
            if (_lan.Machine.Tap.Frames.Count > 0)
            {
                DhcpReply offer = _lan.Take(mac);
                _lan.Select(mac, offer.Assigned);
                _lan.Machine.Tap.Frames.Clear();
            }
        }

        Assert.Equal(1, _lan.Machine.Dht.Creates - creates);
        Assert.Equal(3, _lan.Machine.Network.HostCount);
        Assert.Equal(999, _lan.Dropped(DropReason.HostLimit));
        Assert.Contains("All 3 places", Assert.Single(_lan.Machine.Network.Warnings).Text, StringComparison.Ordinal);
        _lan.Renew(Lan.A, _a);
        Assert.Equal(DhcpMessageType.Ack, _lan.Take(Lan.A).Type);
        _lan.Packet(Lan.B, _b, _remote);
        Assert.Single(_lan.Machine.Overlay.Sent);
    }

    [Fact]
    public void Questions_alone_keep_nobody_out()
    {
        for (ulong i = 0; i < 1000; i++)
        {
            _lan.Discover(new MacAddress(0x02_bb_00_00_00_00 + i));
        }

        _lan.Machine.Tap.Frames.Clear();
        Assert.Equal(3, _lan.Machine.Network.Hosts(_lan.Machine.Now).Count);
        _lan.Machine.Pass(1);
        _lan.Bind(Lan.C);
    }

    [Fact]
    public void However_many_ethernet_addresses_ask_for_an_address_the_dht_is_asked_no_more_than_a_lan_needs()
    {
        var lan = new Lan();
        IPv4Address a = lan.Bind(Lan.A);
        int lookups = lan.Machine.Dht.Lookups;
        for (ulong i = 0; i < 10_000; i++)
        {
            lan.Discover(new MacAddress(0x02_bb_00_00_00_00 + i));
        }

        Assert.InRange(lan.Machine.Dht.Lookups - lookups, 400, 500);
        lan.Machine.Tap.Frames.Clear();
        lan.Renew(Lan.A, a);
        Assert.Equal(DhcpMessageType.Ack, lan.Take(Lan.A).Type);
    }

    [Fact]
    public void A_host_that_takes_its_addresses_by_turns_is_held_up_and_its_neighbour_is_not()
    {
        int creates = _lan.Machine.Dht.Creates;
        for (uint i = 0; i < 1000; i++)
        {
            _lan.Reboot(Lan.A, _lan.Machine.Claimable(500 + (i % 2)));
        }

        _lan.Machine.Tap.Frames.Clear();
        Assert.InRange(_lan.Machine.Dht.Creates - creates, 10, 20);
        IPv4Address other = _lan.Machine.Claimable(502);
        _lan.Reboot(Lan.B, other);
        DhcpReply ack = _lan.Take(Lan.B);
        Assert.Equal((DhcpMessageType.Ack, other), (ack.Type, ack.Assigned));
    }

    [Fact]
    public void A_host_that_asks_for_names_without_end_is_held_up_and_its_neighbour_is_not()
    {
        int lookups = _lan.Machine.Dht.Lookups;
        for (int i = 0; i < 1000; i++)
        {
            _lan.Ask(Lan.A, _a, $"none-{i}.demo.internal");
        }

        Assert.Equal(100, _lan.Machine.Dht.Lookups - lookups);
        _lan.Machine.Tap.Frames.Clear();
        _lan.Ask(Lan.A, _a, "none-0.demo.internal");
        Assert.Equal(DnsResponseCode.NameError, _lan.TakeDnsCode(Lan.A));
        _lan.Ask(Lan.A, _a, "none-1000.demo.internal");
        Assert.Equal(DnsResponseCode.ServerFailure, _lan.TakeDnsCode(Lan.A));
        _lan.Ask(Lan.B, _b, "none-1000.demo.internal");
        Assert.Equal(DnsResponseCode.NameError, _lan.TakeDnsCode(Lan.B));
    }

    [Fact]
    public void Changing_the_ethernet_address_again_and_again_is_no_faster_than_a_place_a_minute()
    {
        IPv4Address c = _lan.Bind(Lan.C);
        _lan.Release(Lan.C, c);
        var next = new MacAddress(0x02_bb_00_00_00_00);
        _lan.Discover(next);
        _lan.ExpectSilence();
        _lan.Machine.Pass(61);
        _lan.Discover(next);
        Assert.Equal(DhcpMessageType.Offer, _lan.Take(next).Type);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0x02_57_4f_57_00_01)]
    [InlineData(0xffff_ffff_ffff)]
    [InlineData(0x0100_5e00_0001)]
    public void Nobody_gets_an_address_for_an_ethernet_address_that_no_host_can_have(ulong mac)
    {
        _lan.Discover(new MacAddress(mac));
        _lan.ExpectSilence();
        Assert.Equal(1, _lan.Dropped(DropReason.Dhcp));
    }

    [Fact]
    public void A_host_that_scans_the_network_is_held_up_and_its_neighbour_is_not()
    {
        int lookups = _lan.Machine.Dht.Lookups;
        for (uint i = 0; i < 1000; i++)
        {
            IPv4Address target = new(Machine.Ip("10.128.100.0").Value + i);
            if (i % 2 == 0)
            {
                _lan.Packet(Lan.A, _a, target);
            }
            else
            {
                _lan.Arp(Lan.A, _a, target);
            }
        }

        _lan.Machine.Tap.Frames.Clear();
        Assert.Equal(100, _lan.Machine.Dht.Lookups - lookups);
        Assert.Equal(900, _lan.Dropped(DropReason.HostLimit));
        _lan.Arp(Lan.B, _b, _remote);
        Assert.Equal(Lan.B, _lan.TakeArp().To);
        _lan.Machine.Pass(1);
        _lan.Arp(Lan.A, _a, _remote);
        Assert.Equal(Lan.A, _lan.TakeArp().To);
    }

    [Fact]
    public void Arp_in_another_s_name_draws_no_answer_to_anybody()
    {
        _lan.Arp(Lan.A, _b, _remote);
        _lan.Arp(Lan.A, _b, _remote, saysItIs: Lan.B);
        _lan.Arp(Lan.A, _a, _remote, saysItIs: Lan.B);
        _lan.Arp(Lan.A, _b, _a, ArpPacket.Reply);
        _lan.Arp(Lan.A, _remote, _a, ArpPacket.Reply);
        _lan.ExpectSilence();
        Assert.Equal(5, _lan.Dropped(DropReason.Arp));
        _lan.Machine.Receive(_peer, Machine.Packet(_remote, _b));
        Assert.Equal(Lan.B, _lan.TakeFrame().To);
    }

    [Fact]
    public void A_peer_can_t_speak_in_the_name_of_a_host_nor_to_an_address_that_no_host_has()
    {
        _lan.Machine.Receive(_peer, Machine.Packet(_a, _b));
        _lan.Machine.Receive(_peer, Machine.Packet(_remote, Machine.Ip("10.128.7.7")));
        _lan.ExpectSilence();
        Assert.Equal((1, 1), (_lan.Dropped(DropReason.NotOwner), _lan.Dropped(DropReason.NotOurDestination)));
    }

    [Fact]
    public void Peers_believe_a_router_s_hosts_and_nobody_else_s_word_for_them()
    {
        var member = new Machine("member", _lan.Machine.Dht, Machine.Open());
        IPv4Address local = member.Dhcp.Bind();
        member.Receive(_lan.Machine.Identity, Machine.Packet(_a, local));
        member.Receive(_lan.Machine.Identity, Machine.Packet(_b, local));
        Assert.Equal(2, member.TakePackets().Count);
        member.Receive(_peer, Machine.Packet(_a, local));
        member.Receive(_lan.Machine.Identity, Machine.Packet(_remote, local));
        Assert.Empty(member.TakePackets());
        Assert.Equal(2, member.Network.Drops[DropReason.NotOwner]);
    }

    [Fact]
    public void In_a_closed_pool_no_node_has_more_than_its_certificate_names()
    {
        IPv4Address own = Machine.Ip("10.128.2.2");
        PeerIdentity router = Peers.Certified("certified", own.ToString());
        var member = new Machine("member", certificate: Peers.Certificate("member", "10.128.1.1"));
        IPv4Address local = member.Dhcp.Bind();
        IPv4Address further = Addresses.ClaimableAddresses.Address(member.Options.Subnet, router.Address, 5);
        Assert.False(member.Dht.Put(new Brunet.Dht.DhtRecord(Addresses.AddressValue.Key(further), Addresses.AddressValue.ForAddress(5), router, 1)));
        member.Receive(router, Machine.Packet(further, local));
        Assert.Empty(member.TakePackets());
        Assert.Equal(1, member.Network.Drops[DropReason.NotOwner]);
    }

    [Theory]
    [InlineData(0x8100)]
    [InlineData(0x86dd)]
    public void Tagged_frames_and_ipv6_of_a_lan_do_not_leave_it(ushort etherType)
    {
        _lan.Frame(Lan.A, MacAddress.Gateway, etherType, [0, 5, 8, 0, .. Machine.Packet(_a, _remote)]);
        _lan.Frame(Lan.A, Lan.B, EthernetFrame.IPv4, Machine.Packet(_a, _b));
        _lan.Frame(Lan.A, MacAddress.Broadcast, EthernetFrame.IPv4, Machine.Packet(_a, _remote));
        Assert.Empty(_lan.Machine.Overlay.Sent);
        Assert.Equal((1, 1, 1), (_lan.Dropped(DropReason.EtherType), _lan.Dropped(DropReason.OtherStation), _lan.Dropped(DropReason.Broadcast)));
    }

    [Fact]
    public void Whatever_the_lan_sends_nothing_throws_and_the_hosts_keep_their_addresses()
    {
        var random = new Random(20261122);
        byte[][] good =
        [
            Frame(Lan.A, EthernetFrame.IPv4, TestPackets.Udp(_a, 68, _lan.Machine.Options.Subnet.Gateway, 67, DhcpGuest.Message(DhcpMessageType.Inform, 1, false, _a, []))),
            Frame(Lan.C, EthernetFrame.IPv4, TestPackets.Udp(default, 68, _lan.Machine.Options.Subnet.Gateway, 67, DhcpGuest.Message(DhcpMessageType.Request, 1, true, default, []))),
            Frame(Lan.A, EthernetFrame.IPv4, TestPackets.Udp(_a, 5000, _lan.Machine.Options.Subnet.Gateway, 53, new byte[40])),
            Frame(Lan.A, EthernetFrame.IPv4, Machine.Packet(_a, _b)),
            Frame(Lan.B, EthernetFrame.Arp, [0, 1, 8, 0, 6, 4, 0, 1, 2, 0xaa, 0, 0, 0, 2, .. Bytes(_b), 0, 0, 0, 0, 0, 0, .. Bytes(_remote)]),
        ];
        Lan.A.Write(good[0].AsSpan(70));
        Lan.C.Write(good[1].AsSpan(70));
        for (int round = 0; round < 20000; round++)
        {
            byte[] frame = (byte[])good[random.Next(good.Length)].Clone();
            for (int change = random.Next(4); change > 0; change--)
            {
                frame[random.Next(12, frame.Length)] = (byte)random.Next(256);
            }

            _lan.Machine.Network.FrameFromTap(_lan.Machine.Now, frame.AsSpan(0, random.Next(4) == 0 ? random.Next(frame.Length) : frame.Length));
        }

        _lan.Machine.Tap.Frames.Clear();
        _lan.Machine.Overlay.Sent.Clear();
        _lan.Packet(Lan.B, _b, _remote);
        Assert.Single(_lan.Machine.Overlay.Sent);
    }

    private static byte[] Frame(MacAddress station, ushort etherType, byte[] payload)
    {
        byte[] frame = new byte[EthernetFrame.HeaderSize + payload.Length];
        EthernetFrame.WriteHeader(frame, MacAddress.Gateway, station, etherType);
        payload.CopyTo(frame, EthernetFrame.HeaderSize);
        return frame;
    }

    private static byte[] Bytes(IPv4Address address)
    {
        byte[] bytes = new byte[IPv4Address.Size];
        address.Write(bytes);
        return bytes;
    }
}
