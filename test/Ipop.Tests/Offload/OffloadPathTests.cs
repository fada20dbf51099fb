using Brunet.Sessions;
using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;

namespace Ipop.Tests.Offload;

public sealed class OffloadPathTests
{
    private static readonly PeerIdentity Peer = Peers.Certified("peer", TcpPackets.Right.ToString());
    private static readonly FrameOffload Datagrams = new(true, EthernetFrame.HeaderSize + 20, FrameOffload.UdpChecksum, 1000);
    private static readonly FrameOffload Cut = new(true, EthernetFrame.HeaderSize + 20, FrameOffload.TcpChecksum, 1228);

    [Fact]
    public void A_packet_that_the_kernel_left_whole_goes_out_in_segments_whose_checksum_the_receiver_makes()
    {
        Machine machine = Member(TcpPackets.Left);
        machine.PutAddress(Peer, TcpPackets.Right);
        byte[] packet = TcpPackets.Make(1, 10_000);
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(EthernetFrame.IPv4, packet), Cut);
        Assert.Equal(TcpPackets.Cut(packet, 1228), machine.Overlay.Sent.Select(sent => sent.Packet));
        Assert.Equal(1, machine.Overlay.Runs);
        Assert.All(machine.Overlay.SentForms, Assert.True);
        Assert.All(machine.Overlay.Sent, sent => Assert.Equal(Peer.Address, sent.Destination));
    }

    [Fact]
    public void Segments_of_the_owner_reach_the_tap_joined_at_the_end_of_the_round()
    {
        Machine machine = Member(TcpPackets.Right);
        PeerIdentity owner = Peers.Certified("owner", TcpPackets.Left.ToString());
        byte[] packet = TcpPackets.Make(1, 10_000);
        TcpPackets.Cut(packet, 1228).ForEach(segment => machine.Network.PacketFromOverlay(machine.Now, owner, segment, lacksChecksum: true));
        Assert.Empty(machine.Tap.Frames);
        machine.Network.EndRound();
        Assert.Equal(EthernetFrame.HeaderSize + packet.Length, Assert.Single(machine.Tap.Frames).Length);
        machine.Network.EndRound();
        Assert.Single(machine.Tap.Frames);
    }

    [Fact]
    public void What_let_the_first_segment_in_lets_in_no_other_peer_s_nor_another_address()
    {
        Machine machine = Member(TcpPackets.Right);
        PeerIdentity owner = Peers.Certified("owner", TcpPackets.Left.ToString()), thief = Peers.Certified("thief", "10.128.9.9");
        machine.Network.PacketFromOverlay(machine.Now, owner, TcpPackets.Make(1, 1000), lacksChecksum: true);
        machine.Network.PacketFromOverlay(machine.Now, thief, TcpPackets.Make(1001, 1000), lacksChecksum: true);
        byte[] forged = TestPackets.Tcp(Machine.Ip("10.128.9.8"), 1, TcpPackets.Right, 2, TestPackets.Ack);
        machine.Network.PacketFromOverlay(machine.Now, owner, forged, lacksChecksum: true);
        Assert.Equal(2, machine.Network.Drops[DropReason.NotOwner]);
        machine.Network.EndRound();
        Assert.Single(machine.Tap.Frames);
    }

    [Fact]
    public void What_let_a_segment_in_ends_with_its_round()
    {
        Machine machine = Member(TcpPackets.Right);
        PeerIdentity owner = Peers.Certified("owner", TcpPackets.Left.ToString());
        machine.Network.PacketFromOverlay(machine.Now, owner, TcpPackets.Make(1, 1000), lacksChecksum: true);
        machine.Network.EndRound();
        machine.Network.CertificateChanged(machine.Now, null);
        machine.Network.PacketFromOverlay(machine.Now, owner, TcpPackets.Make(1001, 1000), lacksChecksum: true);
        Assert.Equal(1, machine.Network.Drops[DropReason.NotOurDestination]);
    }

    [Fact]
    public void Datagrams_that_a_program_sent_at_once_go_out_one_by_one_with_their_checksums()
    {
        Machine machine = Member(TcpPackets.Left);
        machine.PutAddress(Peer, TcpPackets.Right);
        byte[] packet = UdpPackets.Make(1, 2500);
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(EthernetFrame.IPv4, packet), Datagrams);
        Assert.Equal([1028, 1028, 528], machine.Overlay.Sent.Select(sent => sent.Packet.Length));
        Assert.Equal(packet[28..], machine.Overlay.Sent.SelectMany(sent => sent.Packet[28..]));
        Assert.All(machine.Overlay.Sent, sent => Assert.True(UdpHeader.HasRightChecksum(sent.Packet)));
        Assert.All(machine.Overlay.SentForms, Assert.False);
    }

    [Fact]
    public void Datagrams_of_the_owner_reach_the_tap_joined_at_the_end_of_the_round()
    {
        Machine machine = Member(TcpPackets.Right);
        PeerIdentity owner = Peers.Certified("owner", TcpPackets.Left.ToString());
        for (int number = 0; number < 3; number++)
        {
            machine.Network.PacketFromOverlay(machine.Now, owner, UdpPackets.Make(number), lacksChecksum: false);
        }

        Assert.Empty(machine.Tap.Frames);
        machine.Network.EndRound();
        Assert.Equal(EthernetFrame.HeaderSize + UdpHeader.Size + 300, Assert.Single(machine.Tap.Frames).Length);
    }

    [Fact]
    public void Segments_of_somebody_else_and_what_is_no_segment_are_dropped()
    {
        Machine machine = Member(TcpPackets.Right);
        machine.Network.PacketFromOverlay(machine.Now, Peers.Certified("thief", "10.128.9.9"), TcpPackets.Make(1, 1000), lacksChecksum: true);
        Assert.Equal(1, machine.Network.Drops[DropReason.NotOwner]);
        byte[] datagram = TestPackets.Udp(TcpPackets.Left, 1, TcpPackets.Right, 2, new byte[10]);
        machine.Network.PacketFromOverlay(machine.Now, Peers.Certified("owner", TcpPackets.Left.ToString()), datagram, lacksChecksum: true);
        Assert.Equal(1, machine.Network.Drops[DropReason.Malformed]);
        machine.Network.EndRound();
        Assert.Empty(machine.Tap.Frames);
    }

    [Fact]
    public void What_the_kernel_asks_for_in_vain_is_counted_as_malformed()
    {
        Machine machine = Member(TcpPackets.Left);
        machine.PutAddress(Peer, TcpPackets.Right);
        byte[] datagram = TestPackets.Udp(TcpPackets.Left, 1, TcpPackets.Right, 2, new byte[3000]);
        datagram[25]++;
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(EthernetFrame.IPv4, datagram), Cut);
        machine.Network.FrameFromTap(machine.Now, Machine.Frame(EthernetFrame.IPv4, datagram), Cut with { SegmentSize = 0, ChecksumOffset = 5000 });
        Assert.Equal(2, machine.Network.Drops[DropReason.Malformed]);
        Assert.Empty(machine.Overlay.Sent);
    }

    private static Machine Member(IPv4Address address)
    {
        MemberCertificate certificate = Peers.Certified("local", address.ToString()).Certificate!;
        var machine = new Machine("local", certificate: certificate);
        machine.Pass(1);
        Assert.Equal(address, machine.Dhcp.Bind());
        machine.TakePackets();
        machine.Tap.Frames.Clear();
        return machine;
    }
}
