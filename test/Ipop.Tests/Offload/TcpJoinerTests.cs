using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;

namespace Ipop.Tests.Offload;

public sealed class TcpJoinerTests
{
    private readonly FakeTap _tap = new();
    private readonly TcpJoiner _joiner;

    public TcpJoinerTests() => _joiner = new TcpJoiner(_tap, isJoining: true);

    [Theory]
    [InlineData(1, TcpPackets.Ack)]
    [InlineData(1228, TcpPackets.Ack)]
    [InlineData(1229, TcpPackets.Ack | TcpPackets.Push)]
    [InlineData(60_000, TcpPackets.Ack | TcpPackets.Push | TcpPackets.Fin)]
    public void Segments_of_a_packet_become_the_packet_again(int payload, byte flags)
    {
        byte[] packet = TcpPackets.Make(uint.MaxValue - 500, payload, flags);
        TcpPackets.Cut(packet, 1228).ForEach(Add);
        _joiner.Flush();
        byte[] joined = Assert.Single(_tap.Frames);
        FrameOffload offload = Assert.Single(_tap.Offloads);
        Assert.Equal(payload > 1228 ? 1228 : 0, offload.SegmentSize);
        Assert.True(ChecksumFiller.TryFill(joined, offload));
        Assert.Equal(Summed(packet), joined[EthernetFrame.HeaderSize..]);
    }

    [Fact]
    public void With_joining_switched_off_each_segment_goes_by_itself_at_once()
    {
        var joiner = new TcpJoiner(_tap, isJoining: false);
        for (uint index = 0; index < 3; index++)
        {
            Assert.True(IPv4Packet.TryRead(TcpPackets.Make(index * 1000, 1000), out IPv4Packet packet) && joiner.Add(Machine.TapMac, packet));
            Assert.Equal((int)index + 1, _tap.Frames.Count);
        }

        Assert.All(_tap.Offloads, offload => Assert.Equal(0, offload.SegmentSize));
        joiner.Flush();
        Assert.Equal(3, _tap.Frames.Count);
    }

    [Fact]
    public void What_does_not_follow_begins_anew()
    {
        byte[][] packets =
        [
            TcpPackets.Make(0, 1000), TcpPackets.Make(2000, 1000), TcpPackets.Make(1000, 1000), TcpPackets.Make(2000, 1000, acknowledged: 78),
            TcpPackets.Make(3000, 1001, acknowledged: 78), TcpPackets.Make(4001, 900, acknowledged: 78, timeToLive: 63),
            TcpPackets.Make(4901, 900, acknowledged: 78, timeToLive: 63, options: 0),
        ];
        Array.ForEach(packets, Add);
        _joiner.Flush();
        Assert.Equal(packets.Select(Summed), Written());
    }

    [Theory]
    [InlineData(0x01)]
    [InlineData(0x08)]
    public void What_differs_in_a_reserved_bit_begins_anew(byte bit)
    {
        byte[][] packets = [TcpPackets.Make(0, 1000), TcpPackets.Make(1000, 1000), TcpPackets.Make(2000, 1000)];
        packets[1][32] |= bit;
        Array.ForEach(packets, Add);
        _joiner.Flush();
        Assert.Equal(packets.Select(Summed), Written());
    }

    [Fact]
    public void A_short_one_and_the_end_of_a_message_close_the_run()
    {
        Add(TcpPackets.Make(0, 1000));
        Add(TcpPackets.Make(1000, 500));
        Add(TcpPackets.Make(1500, 500));
        Add(TcpPackets.Make(2000, 500, TcpPackets.Ack | TcpPackets.Push));
        Add(TcpPackets.Make(2500, 500));
        _joiner.Flush();
        Assert.Equal([1500, 1000, 500], _tap.Frames.Select(frame => frame.Length - EthernetFrame.HeaderSize - 52));
    }

    [Fact]
    public void Connections_that_alternate_are_joined_each_for_itself_even_if_their_numbers_fit()
    {
        for (uint index = 0; index < 10; index++)
        {
            for (ushort port = 1; port <= 4; port++)
            {
                Add(TcpPackets.Make(index * 1000, 1000, port: port));
            }
        }

        Add(TcpPackets.Make(10_000, 1000, port: 5));
        _joiner.Flush();
        Assert.Equal(5, _tap.Frames.Count);
        Assert.Equal(4, _tap.Frames.Count(frame => frame.Length == EthernetFrame.HeaderSize + 52 + 10_000));
    }

    [Fact]
    public void What_has_its_checksum_lets_go_first_what_came_before_it()
    {
        Add(TcpPackets.Make(0, 1000));
        Add(TcpPackets.Make(0, 1000, port: 9));
        _joiner.Overtake(TcpPackets.Read(TcpPackets.Make(1000, 10)));
        Assert.Single(_tap.Frames);
        Assert.Equal(Summed(TcpPackets.Make(0, 1000)), Written().Single());
    }

    [Fact]
    public void A_run_ends_before_it_is_longer_than_an_IP_packet()
    {
        for (uint index = 0; index < 100; index++)
        {
            Add(TcpPackets.Make(index * 1228, 1228));
        }

        _joiner.Flush();
        Assert.Equal(100 * 1228, _tap.Frames.Sum(frame => frame.Length - EthernetFrame.HeaderSize - 52));
        Assert.All(_tap.Frames, frame => Assert.True(frame.Length <= EthernetFrame.HeaderSize + ushort.MaxValue));
        Assert.Equal(2, _tap.Frames.Count);
    }

    [Fact]
    public void Other_protocols_are_not_joined() =>
        Assert.False(_joiner.Add(Machine.TapMac, TcpPackets.Read(TestPackets.Udp(TcpPackets.Left, 1, TcpPackets.Right, 2, new byte[10]))));

    private static byte[] Summed(byte[] packet)
    {
        byte[] frame = [.. new byte[EthernetFrame.HeaderSize], .. packet];
        Assert.True(TcpHeader.TryRead(TcpPackets.Read(packet), out TcpHeader header));
        header.WritePseudoSum(frame.AsSpan(EthernetFrame.HeaderSize));
        Assert.True(ChecksumFiller.TryFill(frame, new FrameOffload(true, (ushort)(EthernetFrame.HeaderSize + header.IpSize), FrameOffload.TcpChecksum, 0)));
        return frame[EthernetFrame.HeaderSize..];
    }

    private IEnumerable<byte[]> Written() => _tap.Frames.Zip(_tap.Offloads, (frame, offload) =>
    {
        Assert.True(ChecksumFiller.TryFill(frame, offload));
        return frame[EthernetFrame.HeaderSize..];
    });

    private void Add(byte[] packet) => Assert.True(_joiner.Add(Machine.TapMac, TcpPackets.Read(packet)));
}
