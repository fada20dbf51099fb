using System.Buffers.Binary;
using Brunet.Sessions;
using Ipop.Arp;
using Ipop.Dhcp;
using Ipop.Ethernet;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>
/// The ways to cheat that live in headers, each against a guest (what it sends leaves the machine or not) and against a peer
/// (what it sends reaches the guest or not). Those that live in addresses alone are in <see cref="PacketPathTests"/>.
/// </summary>
public sealed class CheatingTests
{
    private static readonly IPv4Address Local = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Remote = Machine.Ip("10.128.2.2");
    private static readonly IPv4Address Third = Machine.Ip("10.128.3.3");
    private static readonly PeerIdentity Peer = Peers.Certified("peer", Remote.ToString());

    private readonly Machine _machine = new("member", certificate: Peers.Certificate("member", Local.ToString()));

    public CheatingTests()
    {
        _machine.Dhcp.Bind();
        _machine.PutAddress(Peer, Remote);
        _machine.PutAddress(Peers.Certified("third", Third.ToString()), Third);
    }

    [Theory]
    [InlineData(0x2000)]
    [InlineData(0x2001)]
    [InlineData(0x0001)]
    [InlineData(0x1fff)]
    public void Fragments_are_judged_each_by_its_own_addresses(int fragment)
    {
        byte[] honest = Fragment(Machine.Packet(Local, Remote), fragment);
        _machine.SendFromGuest(honest);
        Assert.Equal(honest, Assert.Single(_machine.Overlay.Sent).Packet);
        _machine.SendFromGuest(Fragment(Machine.Packet(Third, Remote), fragment));
        Assert.Single(_machine.Overlay.Sent);
        Assert.Equal(1, Dropped(DropReason.NotOurSource));

        _machine.Receive(Peer, Fragment(Machine.Packet(Remote, Local), fragment));
        Assert.Single(_machine.TakePackets());
        _machine.Receive(Peer, Fragment(Machine.Packet(Third, Local), fragment));
        _machine.Receive(Peer, Fragment(Machine.Packet(Remote, Third), fragment));
        Assert.Empty(_machine.TakePackets());
        Assert.Equal((1, 1), (Dropped(DropReason.NotOwner), Dropped(DropReason.NotOurDestination)));
    }

    [Theory]
    [InlineData(0x83)]
    [InlineData(0x89)]
    public void A_source_route_passes_in_neither_direction(byte type)
    {
        byte[] route = [1, type, 7, 4, 10, 128, 3, 3];
        _machine.SendFromGuest(WithOptions(Machine.Packet(Local, Remote), route));
        _machine.Receive(Peer, WithOptions(Machine.Packet(Remote, Local), route));
        NothingPassed();
        Assert.Equal(2, Dropped(DropReason.SourceRoute));
    }

    [Theory]
    [InlineData(new byte[] { 7, 40, 4, 0 })]
    [InlineData(new byte[] { 7, 1, 0, 0 })]
    [InlineData(new byte[] { 7, 0, 0, 0 })]
    [InlineData(new byte[] { 1, 1, 1, 0x83 })]
    public void Options_that_reach_beyond_the_header_pass_in_neither_direction(byte[] options)
    {
        _machine.SendFromGuest(WithOptions(Machine.Packet(Local, Remote), options));
        _machine.Receive(Peer, WithOptions(Machine.Packet(Remote, Local), options));
        NothingPassed();
        Assert.Equal(2, Dropped(DropReason.Malformed));
    }

    [Theory]
    [InlineData(new byte[] { 0x94, 4, 0, 0 })]
    [InlineData(new byte[] { 7, 7, 4, 0, 0, 0, 0, 0 })]
    [InlineData(new byte[] { 1, 1, 0, 0x83 })]
    public void Other_options_pass_and_do_not_hide_the_addresses(byte[] options)
    {
        _machine.SendFromGuest(WithOptions(Machine.Packet(Local, Remote), options));
        Assert.Single(_machine.Overlay.Sent);
        _machine.Receive(Peer, WithOptions(Machine.Packet(Remote, Local), options));
        Assert.Single(_machine.TakePackets());
        _machine.SendFromGuest(WithOptions(Machine.Packet(Third, Remote), options));
        _machine.Receive(Peer, WithOptions(Machine.Packet(Third, Local), options));
        Assert.Single(_machine.Overlay.Sent);
        Assert.Empty(_machine.TakePackets());
    }

    [Theory]
    [InlineData(0x8100)]
    [InlineData(0x88a8)]
    [InlineData(0x86dd)]
    [InlineData(0x8864)]
    [InlineData(0x0064)]
    public void Vlan_tags_ipv6_pppoe_and_802_3_do_not_leave(ushort etherType)
    {
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(etherType, [0, 5, 8, 0, .. Machine.Packet(Local, Remote)]));
        NothingPassed();
        Assert.Equal(1, Dropped(DropReason.EtherType));
    }

    [Fact]
    public void Ipv6_arp_and_tagged_packets_from_a_peer_do_not_reach_the_guest()
    {
        byte[] ipv6 = new byte[60];
        ipv6[0] = 0x60;
        _machine.Receive(Peer, ipv6);
        byte[] arp = new byte[ArpPacket.Size];
        new ArpPacket(ArpPacket.Request, Machine.TapMac, Local, Third).WriteReply(arp, MacAddress.Gateway);
        _machine.Receive(Peer, arp);
        _machine.Receive(Peer, [0, 5, 8, 0, .. Machine.Packet(Remote, Local)]);
        _machine.Receive(Peer, Machine.Frame(EthernetFrame.IPv4, Machine.Packet(Remote, Local)));
        NothingPassed();
        Assert.Equal(4, Dropped(DropReason.Malformed));
    }

    [Theory]
    [InlineData(0, 0x45)]
    [InlineData(19, 0x45)]
    [InlineData(29, 0x45)]
    [InlineData(65535, 0x45)]
    [InlineData(28, 0x44)]
    [InlineData(28, 0x40)]
    [InlineData(28, 0x48)]
    [InlineData(28, 0x4f)]
    [InlineData(28, 0x35)]
    public void Lengths_and_versions_that_contradict_themselves_pass_in_neither_direction(int totalLength, byte first)
    {
        foreach ((IPv4Address from, IPv4Address to) in new[] { (Local, Remote), (Remote, Local) })
        {
            byte[] packet = Machine.Packet(from, to);
            packet[0] = first;
            BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(2), (ushort)totalLength);
            if (from == Local)
            {
                _machine.SendFromGuest(packet);
            }
            else
            {
                _machine.Receive(Peer, packet);
            }
        }

        NothingPassed();
        Assert.Equal(2, Dropped(DropReason.Malformed));
    }

    [Fact]
    public void Nothing_at_all_and_a_head_without_a_body_pass_in_neither_direction()
    {
        _machine.Network.FrameFromTap(_machine.Now, []);
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(EthernetFrame.IPv4, []));
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(EthernetFrame.Arp, []));
        _machine.Receive(Peer, []);
        _machine.Receive(Peer, Machine.Packet(Remote, Local)[..19]);
        NothingPassed();
        Assert.Equal(5, Dropped(DropReason.Malformed));
    }

    [Fact]
    public void What_trails_behind_the_total_length_is_cut_off_in_both_directions()
    {
        byte[] outgoing = Machine.Packet(Local, Remote);
        _machine.SendFromGuest([.. outgoing, .. Machine.Packet(Third, Remote)]);
        Assert.Equal(outgoing, Assert.Single(_machine.Overlay.Sent).Packet);
        byte[] incoming = Machine.Packet(Remote, Local);
        _machine.Receive(Peer, [.. incoming, .. Machine.Packet(Third, Local)]);
        Assert.Equal(incoming, Assert.Single(_machine.TakePackets()));
    }

    [Fact]
    public void A_guest_s_false_arp_changes_neither_its_own_ways_nor_anybody_else_s()
    {
        int lookups = _machine.Dht.Lookups;
        _machine.Arp(Third, Local, ArpPacket.Reply);
        _machine.Arp(Remote, Local, ArpPacket.Reply);
        _machine.Arp(Third, Remote);
        Assert.Equal(lookups, _machine.Dht.Lookups);
        NothingPassed();
        Assert.Equal(3, Dropped(DropReason.Arp));
        _machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Equal(Peer.Address, Assert.Single(_machine.Overlay.Sent).Destination);
        _machine.Receive(Peer, Machine.Packet(Remote, Local));
        Assert.Single(_machine.TakePackets());
    }

    [Fact]
    public void Frames_of_others_on_a_bridge_do_not_draw_the_guest_s_packets_to_them()
    {
        foreach (byte[] frame in new[]
        {
            Machine.Frame(EthernetFrame.IPv4, Machine.Packet(Third, Remote)), Machine.Frame(0x86dd, new byte[40]),
            Machine.Frame(EthernetFrame.Arp, [0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 0x99, 10, 128, 3, 3, 0, 0, 0, 0, 0, 0, 10, 128, 2, 2]),
        })
        {
            frame[11] = 0x99;
            _machine.Network.FrameFromTap(_machine.Now, frame);
        }

        _machine.Receive(Peer, Machine.Packet(Remote, Local));
        Assert.Single(_machine.TakePackets());
    }

    [Fact]
    public void Frames_for_another_station_do_not_leave()
    {
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(EthernetFrame.IPv4, Machine.Packet(Local, Remote), 0x02_00_00_00_00_55));
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(EthernetFrame.Arp, new byte[28], 0x02_00_00_00_00_55));
        NothingPassed();
        Assert.Equal(2, Dropped(DropReason.OtherStation));
    }

    [Theory]
    [InlineData(0xffff_ffff_ffff)]
    [InlineData(0x0100_5e00_0001)]
    public void A_frame_for_many_does_not_leave_whatever_stands_in_it(ulong station)
    {
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(EthernetFrame.IPv4, Machine.Packet(Local, Remote), station));
        NothingPassed();
        Assert.Equal(1, Dropped(DropReason.Broadcast));
    }

    [Theory]
    [InlineData(67, 68, 0)]
    [InlineData(67, 67, 0)]
    [InlineData(67, 68, 0x2000)]
    [InlineData(1, 68, 0)]
    public void Nobody_is_another_machine_s_dhcp_server_or_client(ushort from, ushort to, int fragment)
    {
        byte[] message = DhcpGuest.Message(DhcpMessageType.Nak, 7, false, default, []);
        _machine.Receive(Peer, Fragment(TestPackets.Udp(Remote, from, Local, to, message), fragment));
        _machine.SendFromGuest(Fragment(TestPackets.Udp(Local, from, Remote, to, message), fragment));
        NothingPassed();
        Assert.Equal(2, Dropped(DropReason.Dhcp));
        _machine.Receive(Peer, TestPackets.Udp(Remote, from, Machine.Subnet.Gateway, to, message));
        _machine.Receive(Peer, TestPackets.Udp(Machine.Subnet.Gateway, from, Local, to, message));
        _machine.Receive(Peer, TestPackets.Udp(default, from, IPv4Address.Broadcast, to, message));
        NothingPassed();
        Assert.Equal((2, 1), (Dropped(DropReason.NotOurDestination), Dropped(DropReason.NotOwner)));
    }

    [Fact]
    public void Ports_can_t_be_hidden_in_a_second_fragment()
    {
        byte[] outgoing = TestPackets.Raw(Local, Remote, IPv4Packet.Udp, [0, 67]);
        byte[] incoming = TestPackets.Raw(Remote, Local, IPv4Packet.Udp, [0, 67]);
        _machine.SendFromGuest(Fragment(outgoing, 0x2000));
        _machine.Receive(Peer, Fragment(incoming, 0x2000));
        NothingPassed();
        Assert.Equal(2, Dropped(DropReason.Malformed));
    }

    private static byte[] Fragment(byte[] packet, int flagsAndOffset)
    {
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), (ushort)flagsAndOffset);
        return packet;
    }

    private static byte[] WithOptions(byte[] packet, byte[] options)
    {
        byte[] longer = [.. packet[..20], .. options, .. packet[20..]];
        longer[0] = (byte)(0x45 + (options.Length / 4));
        BinaryPrimitives.WriteUInt16BigEndian(longer.AsSpan(2), (ushort)longer.Length);
        return longer;
    }

    private long Dropped(DropReason reason) => _machine.Network.Drops[reason];

    private void NothingPassed()
    {
        Assert.Empty(_machine.Overlay.Sent);
        Assert.Empty(_machine.Tap.Frames);
    }
}
