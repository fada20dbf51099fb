using System.Buffers.Binary;
using Brunet.Sessions;
using Ipop.Ethernet;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>What the guest is told of packets that go no further, and what it is not told.</summary>
public sealed class IcmpErrorsTests
{
    private static readonly IPv4Address Local = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Remote = Machine.Ip("10.128.2.2");

    [Fact]
    public void A_packet_to_an_address_that_nobody_owns_is_host_unreachable()
    {
        Machine machine = Member();
        byte[] packet = TestPackets.Tcp(Local, 1, Remote, 22, TestPackets.Syn);
        machine.SendFromGuest(packet);
        byte[] error = Assert.Single(machine.TakePackets());
        Assert.True(IPv4Packet.TryRead(error, out IPv4Packet ip));
        Assert.Equal((Machine.Subnet.Gateway, Local, IPv4Packet.Icmp), (ip.Source, ip.Destination, ip.Protocol));
        Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(ip.Bytes[..20])));
        Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(ip.Payload)));
        Assert.Equal([3, 1], ip.Payload[..2].ToArray());
        Assert.Equal(packet, ip.Payload[8..].ToArray());
        Assert.Equal(1, machine.Network.Drops[DropReason.NoOwner]);
    }

    [Fact]
    public void So_is_one_whose_owner_has_gone()
    {
        Machine machine = Member();
        machine.PutAddress(Peers.Certified("peer", Remote.ToString()), Remote);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Empty(machine.TakePackets());
        machine.Dht.Records.Clear();
        machine.Pass(31);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Equal(1, Code(Assert.Single(machine.TakePackets())));
    }

    [Fact]
    public void So_is_one_whose_owner_does_not_answer_and_it_is_sent_all_the_same()
    {
        Machine machine = Member();
        PeerIdentity owner = Peers.Certified("peer", Remote.ToString());
        machine.PutAddress(owner, Remote);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Empty(machine.TakePackets());
        machine.Overlay.Unreachable.Add(owner.Address);
        machine.Pass(0.2);
        for (int i = 0; i < 5; i++)
        {
            machine.SendFromGuest(Machine.Packet(Local, Remote));
        }

        Assert.Equal(1, Code(Assert.Single(machine.TakePackets())));
        Assert.Equal(6, machine.Overlay.Sent.Count);
        machine.Overlay.Unreachable.Clear();
        machine.Pass(0.2);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Empty(machine.TakePackets());
    }

    [Fact]
    public void A_dht_that_does_not_answer_says_nothing_of_the_host()
    {
        Machine machine = Member();
        machine.Dht.IsSilent = true;
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        Assert.Empty(machine.TakePackets());
        Assert.Equal(1, machine.Network.Drops[DropReason.NoOwner]);
    }

    [Theory]
    [InlineData("10.129.0.1", 0)]
    [InlineData("192.168.1.1", 0)]
    [InlineData("10.128.0.0", 1)]
    [InlineData("10.128.255.254", 1)]
    public void What_is_no_host_of_the_subnet_is_told_apart_from_what_is_elsewhere(string destination, int code)
    {
        Machine machine = Member();
        machine.SendFromGuest(Machine.Packet(Local, Machine.Ip(destination)));
        Assert.Equal(code, Code(Assert.Single(machine.TakePackets())));
    }

    [Fact]
    public void What_lacks_a_certificate_is_prohibited()
    {
        var machine = new Machine("a");
        IPv4Address local = machine.Dhcp.Bind();
        machine.PutAddress(Peers.Certified("peer", Remote.ToString()), Remote);
        machine.SendFromGuest(Machine.Packet(local, Remote));
        Assert.Equal(13, Code(Assert.Single(machine.TakePackets())));
    }

    [Theory]
    [InlineData(3, 0)]
    [InlineData(4, 0)]
    [InlineData(5, 0)]
    [InlineData(11, 0)]
    [InlineData(12, 0)]
    [InlineData(8, 1)]
    [InlineData(0, 1)]
    public void There_is_no_error_about_an_icmp_error(byte type, int errors)
    {
        Machine machine = Member();
        machine.SendFromGuest(TestPackets.Raw(Local, Remote, IPv4Packet.Icmp, [type, 0, 0, 0, 0, 0, 0, 0]));
        Assert.Equal(errors, machine.TakePackets().Count);
        Assert.Equal(1, machine.Network.Drops[DropReason.NoOwner]);
    }

    [Fact]
    public void There_is_an_error_about_the_first_fragment_only()
    {
        Machine machine = Member();
        byte[] packet = Machine.Packet(Local, Remote);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), 0x2000);
        machine.SendFromGuest(packet);
        Assert.Single(machine.TakePackets());
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), 0x2001);
        machine.SendFromGuest(packet);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), 1);
        machine.SendFromGuest(packet);
        Assert.Empty(machine.TakePackets());
    }

    [Fact]
    public void There_is_none_about_broadcasts_false_sources_and_what_came_from_the_overlay()
    {
        Machine machine = Member();
        foreach (string destination in new[] { "255.255.255.255", "10.128.255.255", "224.0.0.1" })
        {
            machine.SendFromGuest(Machine.Packet(Local, Machine.Ip(destination)));
        }

        machine.Network.FrameFromTap(machine.Now, Machine.Frame(0x0800, Machine.Packet(Local, Remote), 0xffff_ffff_ffff));
        machine.SendFromGuest(Machine.Packet(Machine.Ip("10.128.1.2"), Remote));
        machine.Receive(Peers.Certified("peer", Remote.ToString()), Machine.Packet(Machine.Ip("10.128.7.7"), Local));
        Assert.Empty(machine.TakePackets());
        Assert.Equal((4, 1, 1), (machine.Network.Drops[DropReason.Broadcast], machine.Network.Drops[DropReason.NotOurSource], machine.Network.Drops[DropReason.NotOwner]));
    }

    [Fact]
    public void Ten_come_at_once_and_ten_a_second()
    {
        Machine machine = Member();
        Assert.Equal(10, Errors(machine, 100));
        machine.Pass(0.35);
        Assert.Equal(3, Errors(machine, 100));
        machine.Pass(100);
        Assert.Equal(10, Errors(machine, 100));
    }

    [Fact]
    public void An_error_quotes_the_packet_as_far_as_576_bytes_reach()
    {
        Machine machine = Member();
        machine.SendFromGuest(TestPackets.Raw(Local, Remote, 50, new byte[1200]));
        Assert.Equal(576, Assert.Single(machine.TakePackets()).Length);
    }

    private static int Errors(Machine machine, int packets)
    {
        for (int i = 0; i < packets; i++)
        {
            machine.SendFromGuest(Machine.Packet(Local, Remote));
        }

        return machine.TakePackets().Count;
    }

    private static int Code(byte[] error)
    {
        Assert.Equal((IPv4Packet.Icmp, 3), (error[9], error[20]));
        return error[21];
    }

    private static Machine Member()
    {
        var machine = new Machine("member", certificate: Peers.Certificate("member", Local.ToString()));
        machine.Dhcp.Bind();
        return machine;
    }
}
