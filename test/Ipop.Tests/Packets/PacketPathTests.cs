using System.Buffers.Binary;
using Brunet.Sessions;
using Ipop.Addresses;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>What passes, and one test for each way to cheat, in both directions.</summary>
public sealed class PacketPathTests
{
    private static readonly IPv4Address Local = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Remote = Machine.Ip("10.128.2.2");
    private static readonly PeerIdentity Peer = Peers.Certified("peer", "10.128.2.2");

    [Fact]
    public void A_packet_goes_to_the_owner_of_its_destination()
    {
        Machine machine = Member();
        machine.PutAddress(Peer, Remote);
        byte[] packet = Machine.Packet(Local, Remote);
        machine.SendFromGuest([.. packet, .. new byte[18]]);
        (Brunet.Addressing.NodeAddress destination, byte[] sent) = Assert.Single(machine.Overlay.Sent);
        Assert.Equal(Peer.Address, destination);
        Assert.Equal(packet, sent);
    }

    [Fact]
    public void First_packets_wait_for_the_lookup_and_keep_their_order()
    {
        Machine machine = Member();
        machine.PutAddress(Peer, Remote);
        machine.Dht.IsSlow = true;
        int lookups = machine.Dht.Lookups;
        for (byte i = 0; i < 10; i++)
        {
            machine.SendFromGuest(Machine.Packet(Local, Remote, i));
        }

        Assert.Empty(machine.Overlay.Sent);
        machine.Dht.Run(machine.Now);
        Assert.Equal(1, machine.Dht.Lookups - lookups);
        Assert.Equal(Enumerable.Range(0, 10), machine.Overlay.Sent.Select(sent => (int)sent.Packet[9]));
    }

    [Fact]
    public void What_waits_is_bounded()
    {
        Machine machine = Member();
        machine.Dht.IsSlow = true;
        for (int i = 0; i < 100; i++)
        {
            machine.SendFromGuest(Machine.Packet(Local, Remote));
        }

        Assert.Equal(36, machine.Network.Drops[DropReason.QueueFull]);
        machine.Dht.Run(machine.Now);
        Assert.Equal(64, machine.Network.Drops[DropReason.NoOwner]);
        machine.Dht.IsSlow = false;
        machine.PutAddress(Peer, Remote);
        machine.Pass(3);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Single(machine.Overlay.Sent);
    }

    [Fact]
    public void A_known_owner_is_asked_for_again_in_the_background_and_followed_when_it_moves()
    {
        Machine machine = Member();
        machine.PutAddress(Peer, Remote);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        PeerIdentity heir = Peers.Certified("heir", Remote.ToString(), issuedAfterDays: 1);
        machine.PutAddress(heir, Remote);
        machine.Pass(31);
        machine.Dht.IsSlow = true;
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        machine.Dht.Run(machine.Now);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Equal([Peer.Address, Peer.Address, heir.Address], machine.Overlay.Sent.Select(sent => sent.Destination));
    }

    [Fact]
    public void A_silent_dht_does_not_stop_known_traffic_at_once()
    {
        Machine machine = Member();
        machine.PutAddress(Peer, Remote);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        machine.Dht.IsSilent = true;
        machine.Pass(60);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Equal(2, machine.Overlay.Sent.Count);
        machine.Pass(120);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Equal(2, machine.Overlay.Sent.Count);
    }

    [Fact]
    public void The_guest_can_t_send_with_a_source_that_is_not_its_own()
    {
        Machine machine = Member();
        machine.PutAddress(Peer, Remote);
        machine.SendFromGuest(Machine.Packet(Machine.Ip("10.128.1.2"), Remote));
        machine.SendFromGuest(Machine.Packet(Machine.Ip("192.168.1.2"), Remote));
        machine.SendFromGuest(Machine.Packet(IPv4Address.Any, Remote));
        Assert.Empty(machine.Overlay.Sent);
        Assert.Equal(3, machine.Network.Drops[DropReason.NotOurSource]);
    }

    [Fact]
    public void The_guest_can_t_send_before_it_has_an_address()
    {
        var machine = new Machine("a");
        machine.PutAddress(Peer, Remote);
        machine.SendFromGuest(Machine.Packet(machine.Claimable(0), Remote));
        Assert.Empty(machine.Overlay.Sent);
    }

    [Theory]
    [InlineData("10.129.0.1", DropReason.NotInSubnet)]
    [InlineData("10.128.0.0", DropReason.NotInSubnet)]
    [InlineData("10.128.255.254", DropReason.NotInSubnet)]
    [InlineData("10.128.1.1", DropReason.NotInSubnet)]
    [InlineData("10.128.255.255", DropReason.Broadcast)]
    [InlineData("255.255.255.255", DropReason.Broadcast)]
    [InlineData("224.0.0.251", DropReason.Broadcast)]
    public void Nothing_leaves_for_what_is_no_host_of_the_subnet(string destination, DropReason reason)
    {
        Machine machine = Member();
        machine.SendFromGuest(Machine.Packet(Local, Machine.Ip(destination)));
        Assert.Empty(machine.Overlay.Sent);
        Assert.Equal(1, machine.Network.Drops[reason]);
    }

    [Fact]
    public void Only_arp_and_ipv4_pass_the_tap()
    {
        Machine machine = Member();
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(0x86dd, new byte[40]));
        machine.Network.FrameFromTap(machine.Now, new byte[13]);
        Assert.Equal(1, machine.Network.Drops[DropReason.EtherType]);
        Assert.Equal(1, machine.Network.Drops[DropReason.Malformed]);
    }

    [Fact]
    public void A_certified_peer_delivers_from_its_certificate_s_address_without_a_lookup()
    {
        Machine machine = Member();
        int lookups = machine.Dht.Lookups;
        byte[] packet = Machine.Packet(Remote, Local);
        machine.Receive(Peer, packet);
        Assert.Equal(packet, Assert.Single(machine.TakePackets()));
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Equal(Peer.Address, Assert.Single(machine.Overlay.Sent).Destination);
        Assert.Equal(lookups, machine.Dht.Lookups);
    }

    [Fact]
    public void A_certified_peer_can_t_take_another_s_address_nor_one_whose_record_it_signed_bare()
    {
        Machine machine = Member();
        machine.Receive(Peer, Machine.Packet(Machine.Ip("10.128.2.3"), Local));
        IPv4Address claimable = Claimable("peer", 0);
        machine.PutAddress(Peers.Bare("peer"), claimable);
        machine.Receive(Peer, Machine.Packet(claimable, Local));
        Assert.Empty(machine.TakePackets());
        Assert.Equal(2, machine.Network.Drops[DropReason.NotOwner]);
    }

    [Fact]
    public void Nobody_can_send_as_ourselves_from_outside_the_subnet_or_to_another_destination()
    {
        Machine machine = Member();
        machine.Receive(Peers.Certified("thief", Local.ToString()), Machine.Packet(Local, Local));
        machine.Receive(Peers.Certified("thief", "192.168.1.1"), Machine.Packet(Machine.Ip("192.168.1.1"), Local));
        machine.Receive(Peers.Certified("thief", "10.128.255.254"), Machine.Packet(Machine.Subnet.Gateway, Local));
        machine.Receive(Peer, Machine.Packet(Remote, Machine.Ip("10.128.1.2")));
        machine.Receive(Peer, Machine.Packet(Remote, IPv4Address.Broadcast));
        machine.Receive(Peer, Machine.Packet(Remote, Machine.Subnet.Broadcast));
        Assert.Empty(machine.TakePackets());
        Assert.Equal(3, machine.Network.Drops[DropReason.NotOwner]);
        Assert.Equal(3, machine.Network.Drops[DropReason.NotOurDestination]);
    }

    [Fact]
    public void A_bare_key_delivers_from_the_address_whose_record_it_signed_once_the_dht_says_so()
    {
        Machine machine = OpenMember(out IPv4Address local);
        IPv4Address source = Claimable("bare", 0);
        machine.PutAddress(Peers.Bare("bare"), source);
        machine.Dht.IsSlow = true;
        machine.Receive(Peers.Bare("bare"), Machine.Packet(source, local));
        Assert.Empty(machine.TakePackets());
        machine.Dht.Run(machine.Now);
        Assert.Single(machine.TakePackets());
    }

    [Fact]
    public void A_bare_key_can_t_take_an_address_without_record_or_with_another_s()
    {
        Machine machine = OpenMember(out IPv4Address local);
        machine.Receive(Peers.Bare("thief"), Machine.Packet(Claimable("thief", 0), local));
        machine.PutAddress(Peers.Bare("owner"), Claimable("owner", 0));
        machine.Receive(Peers.Bare("thief"), Machine.Packet(Claimable("owner", 0), local));
        Assert.Empty(machine.TakePackets());
        Assert.Equal(2, machine.Network.Drops[DropReason.NotOwner]);
    }

    [Fact]
    public void A_bare_key_makes_nobody_ask_the_dht_for_an_address_that_it_could_not_claim()
    {
        Machine machine = Member();
        machine.Dht.IsSlow = true;
        var claimable = Enumerable.Range(0, (int)ClaimableAddresses.Count).Select(index => Claimable("thief", (uint)index)).ToHashSet();
        int sent = 0;
        for (uint index = 0; sent < 300; index++)
        {
            IPv4Address source = Machine.Subnet.Host(index);
            if (source != Local && !claimable.Contains(source))
            {
                machine.Receive(Peers.Bare("thief"), TestPackets.Tcp(source, 40000, Local, 8443, TestPackets.Syn));
                sent++;
            }
        }

        Assert.Equal(0, machine.Dht.Lookups);
        Assert.Equal(300, machine.Network.Drops[DropReason.NotOwner]);

        // So there is room for who may own his address, the last of those that he could claim.
        IPv4Address last = Claimable("bare", ClaimableAddresses.Count - 1);
        machine.PutAddress(Peers.Bare("bare"), last);
        machine.Receive(Peers.Bare("bare"), TestPackets.Tcp(last, 40000, Local, 8443, TestPackets.Syn));
        machine.Dht.Run(machine.Now);
        Assert.Single(machine.TakePackets());
    }

    [Fact]
    public void A_bare_key_loses_its_address_to_a_certificate()
    {
        Machine machine = Member();
        IPv4Address source = Claimable("bare", 0);
        byte[] enrol = TestPackets.Tcp(source, 40000, Local, 8443, TestPackets.Syn);
        machine.PutAddress(Peers.Bare("bare"), source);
        machine.Receive(Peers.Bare("bare"), enrol);
        Assert.Single(machine.TakePackets());
        PeerIdentity owner = Peers.Certified("owner", source.ToString());
        machine.Receive(owner, Machine.Packet(source, Local));
        Assert.Single(machine.TakePackets());
        machine.PutAddress(owner, source);
        machine.Receive(Peers.Bare("bare"), enrol);
        Assert.Empty(machine.TakePackets());
    }

    [Fact]
    public void An_owner_that_changed_is_believed_after_a_look_at_the_dht()
    {
        Machine machine = OpenMember(out IPv4Address local);
        IPv4Address address = Claimable("new", 0);
        machine.Dht.Put(new Brunet.Dht.DhtRecord(
            Addresses.AddressValue.Key(address), Addresses.AddressValue.ForAddress(9), Peers.Certified("old", address.ToString()), 1));
        machine.SendFromGuest(Machine.Packet(local, address));
        machine.Dht.Records.Clear();
        machine.PutAddress(Peers.Bare("new"), address);
        machine.Receive(Peers.Bare("new"), Machine.Packet(address, local));
        Assert.Empty(machine.TakePackets());
        machine.Pass(3);
        machine.Receive(Peers.Bare("new"), Machine.Packet(address, local));
        Assert.Single(machine.TakePackets());
    }

    [Fact]
    public void In_a_closed_pool_a_bare_key_reaches_the_ca_and_nothing_else()
    {
        Machine machine = Member();
        IPv4Address source = Claimable("bare", 0);
        machine.PutAddress(Peers.Bare("bare"), source);
        machine.Receive(Peers.Bare("bare"), TestPackets.Tcp(source, 40000, Local, 8443, TestPackets.Syn));
        Assert.Single(machine.TakePackets());
        machine.Receive(Peers.Bare("bare"), TestPackets.Tcp(source, 40000, Local, 22, TestPackets.Syn));
        machine.Receive(Peers.Bare("bare"), Machine.Packet(source, Local, 1));
        Assert.Empty(machine.TakePackets());
        machine.SendFromGuest(TestPackets.Tcp(Local, 40001, source, 8444, TestPackets.Syn));
        Assert.Single(machine.Overlay.Sent);
        machine.SendFromGuest(TestPackets.Tcp(Local, 40001, source, 22, TestPackets.Syn));
        machine.SendFromGuest(Machine.Packet(Local, source, 50));
        Assert.Single(machine.Overlay.Sent);
        Assert.Equal(4, machine.Network.Drops[DropReason.Uncertified]);
    }

    [Fact]
    public void A_node_without_certificate_reaches_the_ca_and_is_free_once_it_has_one()
    {
        var machine = new Machine("a");
        IPv4Address local = machine.Dhcp.Bind();
        machine.PutAddress(Peer, Remote);
        machine.SendFromGuest(TestPackets.Tcp(local, 40000, Remote, 8443, TestPackets.Syn));
        Assert.Single(machine.Overlay.Sent);
        machine.SendFromGuest(Machine.Packet(local, Remote));
        Assert.Single(machine.Overlay.Sent);
        machine.Certify(Peers.Certificate("a", local.ToString()));
        machine.SendFromGuest(Machine.Packet(local, Remote));
        Assert.Equal(2, machine.Overlay.Sent.Count);
    }

    [Fact]
    public void A_peer_that_just_got_its_certificate_is_answered_at_once()
    {
        Machine machine = Member();
        IPv4Address address = Claimable("bare", 0);
        machine.PutAddress(Peers.Bare("bare"), address);
        machine.SendFromGuest(Machine.Packet(Local, address));
        Assert.Empty(machine.Overlay.Sent);
        machine.Receive(Peers.Certified("bare", address.ToString()), Machine.Packet(address, Local));
        machine.SendFromGuest(Machine.Packet(Local, address));
        Assert.Single(machine.Overlay.Sent);
    }

    [Fact]
    public void The_tap_s_new_mac_is_learned()
    {
        Machine machine = Member();
        byte[] frame = Machine.Frame(0x0800, Machine.Packet(Local, Remote));
        frame[11] = 0x99;
        machine.Network.FrameFromTap(machine.Now, frame);
        machine.Receive(Peer, Machine.Packet(Remote, Local));
        Assert.Equal(0x99, machine.Tap.Frames.Dequeue()[5]);
    }

    [Fact]
    public void A_known_path_allocates_nothing_in_either_direction()
    {
        Machine machine = Member();
        machine.PutAddress(Peer, Remote);
        machine.Overlay.KeepsPackets = machine.Tap.KeepsFrames = false;
        byte[] outgoing = Machine.Frame(0x0800, Machine.Packet(Local, Remote));
        byte[] incoming = Machine.Packet(Remote, Local);
        BinaryPrimitives.WriteUInt16BigEndian(incoming.AsSpan(10), 0);
        void Move(int count)
        {
            for (int i = 0; i < count; i++)
            {
                machine.Network.FrameFromTap(machine.Now, outgoing);
                machine.Network.PacketFromOverlay(machine.Now, Peer, incoming);
            }
        }

        Move(1000);
        long sent = machine.Overlay.SentCount;
        long before = GC.GetAllocatedBytesForCurrentThread();
        Move(1000);
        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(1000, machine.Overlay.SentCount - sent);
    }

    private static IPv4Address Claimable(string peer, uint index) => Addresses.ClaimableAddresses.Address(Machine.Subnet, Peers.Bare(peer).Address, index);

    private static Machine Member()
    {
        var machine = new Machine("member", certificate: Peers.Certificate("member", Local.ToString()));
        Assert.Equal(Local, machine.Dhcp.Bind());
        return machine;
    }

    private static Machine OpenMember(out IPv4Address local)
    {
        var machine = new Machine("member", options: Machine.Open());
        local = machine.Dhcp.Bind();
        return machine;
    }
}
