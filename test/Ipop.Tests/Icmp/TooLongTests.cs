using System.Buffers.Binary;
using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;

namespace Ipop.Tests;

/// <summary>What becomes of packets that are longer than the path carries in one piece.</summary>
public sealed class TooLongTests
{
    private const int Narrow = 1239;

    private static readonly IPv4Address Local = Machine.Ip("10.128.1.1");
    private static readonly IPv4Address Remote = Machine.Ip("10.128.2.2");

    private readonly Machine _machine = Linked();

    [Fact]
    public void One_that_may_not_be_cut_is_dropped_and_the_guest_told_how_long_the_next_may_be()
    {
        byte[] packet = Packet(1280, mayCut: false);
        _machine.SendFromGuest(packet);
        Assert.Empty(_machine.Overlay.Sent);
        byte[] error = Assert.Single(_machine.TakePackets());
        Assert.True(IPv4Packet.TryRead(error, out IPv4Packet ip));
        Assert.Equal((Machine.Subnet.Gateway, Local, IPv4Packet.Icmp), (ip.Source, ip.Destination, ip.Protocol));
        Assert.Equal([3, 4], ip.Payload[..2].ToArray());
        Assert.Equal([0, 0], ip.Payload[4..6].ToArray());
        Assert.Equal(Narrow, BinaryPrimitives.ReadUInt16BigEndian(ip.Payload[6..]));
        Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(ip.Payload)));
        Assert.Equal(packet[..540], ip.Payload[8..548].ToArray());
        Assert.Equal(1, _machine.Network.Drops[DropReason.TooLong]);
    }

    [Fact]
    public void One_that_just_fits_passes()
    {
        _machine.SendFromGuest(Packet(Narrow, mayCut: false));
        Assert.Single(_machine.Overlay.Sent);
        Assert.Empty(_machine.TakePackets());
    }

    [Fact]
    public void One_that_may_be_cut_arrives_in_parts_that_make_the_whole()
    {
        byte[] packet = Packet(1280, mayCut: true);
        _machine.SendFromGuest(packet);
        Assert.Equal(packet, Join(_machine.Overlay.Sent));
        Assert.Empty(_machine.TakePackets());
    }

    [Theory]
    [InlineData(60)]
    [InlineData(577)]
    [InlineData(576)]
    public void Parts_are_cut_at_any_width(int width)
    {
        _machine.Overlay.PathMtu = width;
        byte[] packet = Packet(1280, mayCut: true);
        _machine.SendFromGuest(packet);
        Assert.Equal(packet, Join(_machine.Overlay.Sent));
        Assert.All(_machine.Overlay.Sent, sent => Assert.True(sent.Packet.Length <= width));
    }

    [Fact]
    public void A_fragment_is_cut_into_fragments_of_the_same_packet()
    {
        byte[] packet = Packet(1280, mayCut: true);
        BinaryPrimitives.WriteUInt16BigEndian(packet.AsSpan(6), 0x2000 | 100);
        Finish(packet);
        _machine.SendFromGuest(packet);
        Assert.Equal(2, _machine.Overlay.Sent.Count);
        Assert.Equal(0x2000 | 100, Field(_machine.Overlay.Sent[0].Packet));
        int first = _machine.Overlay.Sent[0].Packet.Length - 20;
        Assert.Equal(0x2000 | (100 + (first / 8)), Field(_machine.Overlay.Sent[1].Packet));
    }

    [Fact]
    public void Options_that_are_not_to_be_copied_stand_in_the_first_part_alone()
    {
        // Timestamp (68) is not copied, router alert (148) is.
        byte[] packet = Packet(1280, mayCut: true, [68, 4, 5, 0, 148, 4, 0, 0]);
        _machine.SendFromGuest(packet);
        Assert.Equal([68, 4, 5, 0, 148, 4, 0, 0], _machine.Overlay.Sent[0].Packet[20..28]);
        Assert.Equal([1, 1, 1, 1, 148, 4, 0, 0], _machine.Overlay.Sent[1].Packet[20..28]);
    }

    [Fact]
    public void Segments_of_a_connection_that_knew_a_wider_path_are_cut_smaller_and_the_guest_told()
    {
        byte[] whole = Segment(20_000);
        Offload(whole, new FrameOffload(true, 34, 16, 1240));
        Assert.All(_machine.Overlay.SentForms, Assert.True);
        Assert.All(_machine.Overlay.Sent, sent => Assert.True(sent.Packet.Length <= Narrow));
        Assert.Equal(Payload(20_000), Stream(_machine.Overlay.Sent));
        byte[] error = Assert.Single(_machine.TakePackets());
        Assert.Equal((3, 4, Narrow), (error[20], error[21], BinaryPrimitives.ReadUInt16BigEndian(error.AsSpan(26))));
        Assert.Equal(0, _machine.Network.Drops[DropReason.TooLong]);
    }

    [Fact]
    public void A_single_segment_is_cut_too_though_it_may_not_be_fragmented()
    {
        byte[] whole = Segment(1240);
        whole[6] |= 0x40;
        Offload(whole, new FrameOffload(true, 34, 16, 0));
        Assert.Equal(2, _machine.Overlay.Sent.Count);
        Assert.Equal(Payload(1240), Stream(_machine.Overlay.Sent));
        Assert.All(_machine.Overlay.SentForms, Assert.True);
    }

    [Fact]
    public void The_guest_is_not_told_more_often_than_errors_may_be()
    {
        for (int count = 0; count < 100; count++)
        {
            _machine.SendFromGuest(Packet(1280, mayCut: false));
        }

        Assert.Equal(10, _machine.TakePackets().Count);
    }

    private const byte TcpAck = 0x10;

    private static byte[] Payload(int length) => [.. Enumerable.Range(0, length).Select(index => (byte)(index * 7))];

    private static byte[] Segment(int payload)
    {
        byte[] packet = [.. TestPackets.Tcp(Local, 1000, Remote, 22, TcpAck), .. Payload(payload)];
        Finish(packet);
        return packet;
    }

    private void Offload(byte[] packet, FrameOffload offload) =>
        _machine.Network.FrameFromTap(_machine.Now, Machine.Frame(EthernetFrame.IPv4, packet), offload);

    private static byte[] Packet(int length, bool mayCut, byte[]? options = null)
    {
        byte[] packet = TestPackets.Raw(Local, Remote, 50, Payload(length - 20 - (options?.Length ?? 0)));
        if (options is not null)
        {
            packet = [.. packet[..20], .. options, .. packet[20..]];
            packet[0] = (byte)(0x40 | ((20 + options.Length) / 4));
        }

        packet[6] = mayCut ? (byte)0 : (byte)0x40;
        Finish(packet);
        return packet;
    }

    private static void Finish(byte[] packet) => IPv4Packet.Finish(packet, (packet[0] & 15) * 4);

    private static int Field(byte[] packet) => BinaryPrimitives.ReadUInt16BigEndian(packet.AsSpan(6));

    /// <summary>Does what the receiver's kernel does (RFC 791 section 3.2).</summary>
    private static byte[] Join(List<(Brunet.Addressing.NodeAddress Destination, byte[] Packet)> parts)
    {
        var payload = new List<byte>();
        foreach ((_, byte[] part) in parts)
        {
            Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(part.AsSpan(0, 20))));
            Assert.Equal(payload.Count, (Field(part) & 0x1fff) * 8);
            Assert.Equal(part == parts[^1].Packet, (Field(part) & 0x2000) == 0);
            payload.AddRange(part[20..]);
        }

        byte[] whole = [.. parts[0].Packet[..20], .. payload];
        whole[6] = whole[7] = 0;
        Finish(whole);
        return whole;
    }

    private static byte[] Stream(List<(Brunet.Addressing.NodeAddress Destination, byte[] Packet)> segments)
    {
        uint next = BinaryPrimitives.ReadUInt32BigEndian(segments[0].Packet.AsSpan(24));
        var bytes = new List<byte>();
        foreach ((_, byte[] packet) in segments)
        {
            Assert.Equal(next, BinaryPrimitives.ReadUInt32BigEndian(packet.AsSpan(24)));
            bytes.AddRange(packet[40..]);
            next += (uint)(packet.Length - 40);
        }

        return [.. bytes];
    }

    private static Machine Linked()
    {
        var machine = new Machine("member", certificate: Peers.Certificate("member", Local.ToString()));
        machine.Dhcp.Bind();
        machine.PutAddress(Peers.Certified("peer", Remote.ToString()), Remote);
        machine.SendFromGuest(Machine.Packet(Local, Remote));
        machine.TakePackets();
        machine.Overlay.Sent.Clear();
        machine.Overlay.SentForms.Clear();
        machine.Overlay.PathMtu = Narrow;
        return machine;
    }
}
