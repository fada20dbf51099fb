using System.Buffers.Binary;
using Ipop.Linux.Tap;

namespace Ipop.Linux.Tests.Tap;

public sealed class TapFlowTests
{
    private const int Queues = 8;
    private const byte Icmp = 1;
    private const byte Tcp = 6;
    private const byte Esp = 50;

    [Fact]
    public void A_flow_keeps_to_one_queue() => Assert.Equal(QueueOf(Frame(Tcp, 1, 5001, 80)), QueueOf(Frame(Tcp, 1, 5001, 80)));

    [Fact]
    public void Sixty_four_flows_between_two_machines_fill_every_queue_and_none_with_a_third()
    {
        IGrouping<int, int>[] found = [.. Enumerable.Range(0, 64).GroupBy(flow => QueueOf(Frame(Tcp, 1, (ushort)(40000 + (2 * flow)), 5201)))];
        Assert.Equal(Queues, found.Length);
        Assert.All(found, queue => Assert.InRange(queue.Count(), 1, 21));
    }

    [Fact]
    public void Peers_whose_packets_have_no_ports_are_spread()
    {
        int[] found = [.. Enumerable.Range(1, 64).Select(peer => QueueOf(Frame(Esp, (byte)peer, 0, 0))).Distinct()];
        Assert.Equal(Queues, found.Length);
    }

    [Fact]
    public void Fragments_of_one_packet_keep_together()
    {
        byte[] first = Frame(Tcp, 1, 5001, 80);
        first[20] = 0x20;
        byte[] second = Frame(Tcp, 1, 7777, 4242);
        second[21] = 100;
        Assert.Equal(QueueOf(first), QueueOf(second));
    }

    [Fact]
    public void What_is_too_short_or_no_IPv4_goes_to_the_first()
    {
        Assert.Equal(0, QueueOf([]));
        Assert.Equal(0, QueueOf(Frame(Icmp, 1, 0, 0).AsSpan(0, 33)));
        byte[] arp = Frame(Icmp, 1, 0, 0);
        arp[13] = 6;
        Assert.Equal(0, QueueOf(arp));
        Assert.Equal(0, TapFlow.QueueOf(Frame(Tcp, 1, 1, 2), 1));
    }

    [Fact]
    public void Options_that_reach_beyond_the_frame_are_not_read()
    {
        byte[] frame = Frame(Tcp, 1, 1, 2);
        frame[14] = 0x4f;
        Assert.InRange(QueueOf(frame), 0, Queues - 1);
    }

    private static int QueueOf(ReadOnlySpan<byte> frame) => TapFlow.QueueOf(frame, Queues);

    private static byte[] Frame(byte protocol, byte peer, ushort source, ushort destination)
    {
        byte[] frame = new byte[54];
        frame[12] = 8;
        frame[14] = 0x45;
        frame[23] = protocol;
        BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(26), 0x0a800000u + peer);
        BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(30), 0x0a8003e7);
        BinaryPrimitives.WriteUInt16BigEndian(frame.AsSpan(34), source);
        BinaryPrimitives.WriteUInt16BigEndian(frame.AsSpan(36), destination);
        return frame;
    }
}
