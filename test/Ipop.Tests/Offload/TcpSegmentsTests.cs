using System.Buffers.Binary;
using Ipop.Ethernet;
using Ipop.Offload;

namespace Ipop.Tests.Offload;

public sealed class TcpSegmentsTests
{
    [Theory]
    [InlineData(1, 1000)]
    [InlineData(1000, 1000)]
    [InlineData(1001, 1000)]
    [InlineData(60_000, 1228)]
    public void Segments_hold_the_stream_in_order_with_sound_headers(int payload, int size)
    {
        byte[] packet = TcpPackets.Make(uint.MaxValue - 500, payload);
        List<byte[]> segments = TcpPackets.Cut(packet, size);
        Assert.Equal((payload + size - 1) / size, segments.Count);
        var stream = new List<byte>();
        for (int index = 0; index < segments.Count; index++)
        {
            IPv4Packet segment = TcpPackets.Read(segments[index]);
            Assert.Equal(segments[index].Length, segment.Bytes.Length);
            Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(segment.Bytes[..20])));
            Assert.Equal((ushort)(TcpPackets.Identification + index), BinaryPrimitives.ReadUInt16BigEndian(segment.Bytes[4..]));
            Assert.Equal(uint.MaxValue - 500 + (uint)(index * size), BinaryPrimitives.ReadUInt32BigEndian(segment.Payload[4..]));
            stream.AddRange(segment.Payload[32..]);
        }

        Assert.Equal(packet[52..], stream);
    }

    [Fact]
    public void The_end_is_told_by_the_last_one_and_a_reduced_window_by_the_first()
    {
        const byte All = TcpPackets.Ack | TcpPackets.Push | TcpPackets.Fin | TcpPackets.WindowReduced;
        List<byte[]> segments = TcpPackets.Cut(TcpPackets.Make(1, 3000, All), 1000);
        Assert.Equal([TcpPackets.Ack | TcpPackets.WindowReduced, TcpPackets.Ack, TcpPackets.Ack | TcpPackets.Push | TcpPackets.Fin], segments.Select(each => (int)each[33]));
    }

    [Fact]
    public void What_is_no_whole_TCP_packet_is_not_cut()
    {
        byte[] fragment = TcpPackets.Make(1, 3000);
        fragment[6] = 0x20;
        byte[] header = TcpPackets.Make(1, 0, options: 0);
        header[32] = 0xf0;
        byte[] datagram = TestPackets.Udp(TcpPackets.Left, 1, TcpPackets.Right, 2, new byte[3000]);
        Assert.False(TcpSegments.TryRead(TcpPackets.Read(fragment), 1000, out _));
        Assert.False(TcpSegments.TryRead(TcpPackets.Read(header), 1000, out _));
        Assert.False(TcpSegments.TryRead(TcpPackets.Read(datagram), 1000, out _));
        Assert.False(TcpSegments.TryRead(TcpPackets.Read(TcpPackets.Make(1, 3000)), 0, out _));
    }

    [Fact]
    public void A_checksum_that_was_left_out_is_filled_in()
    {
        byte[] packet = TcpPackets.Make(1, 999);
        byte[] frame = [.. new byte[EthernetFrame.HeaderSize], .. packet];
        Assert.True(TcpHeader.TryRead(TcpPackets.Read(packet), out TcpHeader header));
        header.WritePseudoSum(frame.AsSpan(EthernetFrame.HeaderSize));
        Assert.True(ChecksumFiller.TryFill(frame, new FrameOffload(true, EthernetFrame.HeaderSize + 20, FrameOffload.TcpChecksum, 0)));
        uint pseudo = InternetChecksum.Sum(packet.AsSpan(12, 8), IPv4Packet.Tcp + (uint)(packet.Length - 20));
        Assert.Equal(0, InternetChecksum.Finish(InternetChecksum.Sum(frame.AsSpan(EthernetFrame.HeaderSize + 20), pseudo)));
    }

    [Theory]
    [InlineData(0, 16)]
    [InlineData(34, 4000)]
    [InlineData(ushort.MaxValue, ushort.MaxValue)]
    public void A_checksum_outside_of_the_frame_is_refused(ushort start, ushort offset) =>
        Assert.False(ChecksumFiller.TryFill(new byte[1000], new FrameOffload(true, start, offset, 0)));
}
