using Ipop.Ethernet;
using Ipop.Offload;
using Testing.Overlay;

namespace Ipop.Tests.Offload;

public sealed class UdpJoinerTests
{
    private readonly FakeTap _tap = new();
    private readonly UdpJoiner _joiner;

    public UdpJoinerTests() => _joiner = new UdpJoiner(_tap, isJoining: true);

    [Theory]
    [InlineData(2, 64, 64)]
    [InlineData(2, 64, 1)]
    [InlineData(64, 64, 64)]
    [InlineData(45, 1400, 999)]
    [InlineData(7, 9, 8)]
    public void Datagrams_of_a_flow_become_one_packet_that_a_kernel_cuts_into_the_very_same(int count, int size, int last)
    {
        byte[][] packets = [.. Enumerable.Range(1, count).Select(number => UdpPackets.Make(number, number == count ? last : size))];
        Array.ForEach(packets, Take);
        Assert.Empty(_tap.Frames);
        _joiner.Flush();
        FrameOffload offload = Assert.Single(_tap.Offloads);
        Assert.Equal(new FrameOffload(true, 34, 6, (ushort)size), offload);

        // An atomic datagram's identification means nothing, and the kernel counts it on.
        byte[][] same = [.. packets.Select((_, index) => UdpPackets.Make(index + 1, index + 1 == count ? last : size, identification: (ushort)index))];
        Assert.Equal(same, Cut(_tap.Frames.Single(), size));
    }

    [Fact]
    public void A_single_one_goes_as_it_came()
    {
        byte[] packet = UdpPackets.Make(1, identification: 77, isAtomic: false);
        Take(packet);
        _joiner.Flush();
        Assert.Equal(packet, _tap.Frames.Single()[EthernetFrame.HeaderSize..]);
        Assert.Equal(default, _tap.Offloads.Single());
        _joiner.Flush();
        Assert.Single(_tap.Frames);
    }

    [Fact]
    public void What_is_not_alike_begins_anew_and_nothing_changes_its_place()
    {
        byte[][] packets =
        [
            UdpPackets.Make(1), UdpPackets.Make(2, 101), UdpPackets.Make(3, 101, timeToLive: 63), UdpPackets.Make(4, 101, timeToLive: 63, service: 8),
            UdpPackets.Make(5, 101, timeToLive: 63, service: 8, isAtomic: false), UdpPackets.Make(6, 50, isAtomic: false), UdpPackets.Make(7, 50, identification: 1),
        ];
        Array.ForEach(packets, Take);
        _joiner.Flush();
        Assert.Equal(packets, _tap.Frames.Select(frame => frame[EthernetFrame.HeaderSize..]));
    }

    [Fact]
    public void A_shorter_one_is_the_last_and_a_kernel_s_limit_is_kept()
    {
        for (int number = 0; number < 10; number++)
        {
            Take(UdpPackets.Make(number, number == 4 ? 60 : 100));
        }

        for (int number = 10; number < 110; number++)
        {
            Take(UdpPackets.Make(number, 100, port: 9));
        }

        _joiner.Flush();
        Assert.Equal([460, 500, 3600, 6400], _tap.Frames.Select(frame => frame.Length - EthernetFrame.HeaderSize - UdpHeader.Size).Order());
    }

    [Fact]
    public void What_routers_may_cut_is_joined_only_if_its_identification_counts_on()
    {
        Take(UdpPackets.Make(1, isAtomic: false, identification: ushort.MaxValue));
        Take(UdpPackets.Make(2, isAtomic: false, identification: 0));
        Take(UdpPackets.Make(3, isAtomic: false, identification: 2));
        _joiner.Flush();
        Assert.Equal([2, 1], _tap.Frames.Select(frame => (frame.Length - EthernetFrame.HeaderSize - 28) / 100));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void A_wrong_checksum_stays_wrong(int wrong)
    {
        byte[][] packets = [UdpPackets.Make(1), UdpPackets.Make(2), UdpPackets.Make(3)];
        packets[wrong][^1] ^= 1;
        Array.ForEach(packets, Take);
        _joiner.Flush();
        byte[] alone = _tap.Frames.Single(frame => frame.AsSpan().EndsWith(packets[wrong].AsSpan(28)) && frame.Length == EthernetFrame.HeaderSize + packets[wrong].Length);
        Assert.Equal(packets[wrong], alone[EthernetFrame.HeaderSize..]);
    }

    [Fact]
    public void One_without_checksum_gets_none()
    {
        byte[][] packets = [UdpPackets.Make(1), UdpPackets.Make(2)];
        Array.ForEach(packets, packet => packet.AsSpan(26, 2).Clear());
        Array.ForEach(packets, Take);
        _joiner.Flush();
        Assert.Equal(packets, _tap.Frames.Select(frame => frame[EthernetFrame.HeaderSize..]));
    }

    [Fact]
    public void A_fragment_has_what_came_before_it_go_first()
    {
        Take(UdpPackets.Make(1));
        byte[] fragment = UdpPackets.Make(2);
        fragment[6] = 0x20;
        Assert.False(_joiner.Add(Machine.TapMac, TcpPackets.Read(fragment)));
        Assert.Single(_tap.Frames);
    }

    [Fact]
    public void Other_protocols_options_no_payload_and_lengths_that_disagree_are_not_taken()
    {
        byte[] longer = UdpPackets.Make(1);
        longer[25]++;
        byte[] options = [.. UdpPackets.Make(1)[..20], 1, 1, 1, 1, .. UdpPackets.Make(1)[20..]];
        (options[0], options[3]) = (0x46, (byte)options.Length);
        foreach (byte[] packet in new[] { longer, options, UdpPackets.Make(1, 0), TcpPackets.Make(1, 100) })
        {
            Assert.False(_joiner.Add(Machine.TapMac, TcpPackets.Read(packet)));
        }

        _joiner.Flush();
        Assert.Empty(_tap.Frames);
    }

    [Fact]
    public void Switched_off_it_takes_none() =>
        Assert.False(new UdpJoiner(_tap, isJoining: false).Add(Machine.TapMac, TcpPackets.Read(UdpPackets.Make(1))));

    private static List<byte[]> Cut(byte[] frame, int size)
    {
        Assert.True(UdpDatagrams.TryRead(TcpPackets.Read(frame.AsSpan(EthernetFrame.HeaderSize)), size, out UdpDatagrams datagrams));
        var result = new List<byte[]>();
        for (int index = 0; index < datagrams.Count; index++)
        {
            byte[] buffer = new byte[UdpHeader.Size + size];
            result.Add(buffer[..datagrams.Write(index, buffer)]);
        }

        return result;
    }

    private void Take(byte[] packet) => Assert.True(_joiner.Add(Machine.TapMac, TcpPackets.Read(packet)));
}
