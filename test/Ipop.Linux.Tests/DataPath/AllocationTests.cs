using Ipop.Offload;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>A garbage collection stops the one thread that carries everybody's packets, so packets make no garbage.</summary>
public sealed class AllocationTests
{
    private const int Segments = 48, SegmentSize = 1240, Datagrams = 16;

    /// <summary>Of both kinds, from tap to tap, in both directions together.</summary>
    private const int Packets = 1_000_000;

    private const int PacketsOfRound = 2 * (Segments + Datagrams);

    [Fact]
    public void A_million_packets_from_tap_to_tap_allocate_nothing()
    {
        using var pair = new PathPair();
        (byte[] there, FrameOffload whole) = PathPair.Tcp(pair.One, pair.Two, Segments, SegmentSize);
        (byte[] back, _) = PathPair.Tcp(pair.Two, pair.One, Segments, SegmentSize);
        byte[] smallThere = PathPair.Udp(pair.One, pair.Two, 64), smallBack = PathPair.Udp(pair.Two, pair.One, 64);
        for (int round = 0; round < 300; round++)
        {
            Round(default);
        }

        (long before, long sent) = (GC.GetAllocatedBytesForCurrentThread(), pair.One.Datagrams + pair.Two.Datagrams);
        long frames = pair.One.Frames + pair.Two.Frames, payload = pair.One.Payload + pair.Two.Payload;
        int rounds = 0;
        for (; rounds * PacketsOfRound < Packets; rounds++)
        {
            // Time stands still: what a node does by the clock (pings, renewals, 2 kB a second) is not counted against packets.
            Round(default);
        }

        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.Equal(rounds * PacketsOfRound, pair.One.Datagrams + pair.Two.Datagrams - sent);

        // Each super-packet arrived as one, or as what the kernel's runs made of it, and so did the datagrams; not a byte is missing.
        Assert.InRange(pair.One.Frames + pair.Two.Frames - frames, rounds * 4, rounds * 8);
        Assert.Equal(rounds * 2L * ((Segments * SegmentSize) + (Datagrams * 64)), pair.One.Payload + pair.Two.Payload - payload);
        Assert.Equal(0, allocated);

        void Round(TimeSpan time)
        {
            pair.Send(pair.One, there, whole);
            pair.Send(pair.Two, back, whole);
            for (int datagram = 0; datagram < Datagrams; datagram++)
            {
                pair.Send(pair.One, smallThere, default);
                pair.Send(pair.Two, smallBack, default);
            }

            pair.Pass(time);
            pair.Pass(time);
        }
    }
}
