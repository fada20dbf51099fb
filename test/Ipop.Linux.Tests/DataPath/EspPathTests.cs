using System.Buffers.Binary;
using System.Globalization;
using Ipop.Ethernet;
using Ipop.Linux.Tests.Measures;
using Ipop.Linux.Udp;
using Xunit.Abstractions;

namespace Ipop.Linux.Tests.DataPath;

/// <summary>Packets of IPsec from tap to tap, over real sockets.</summary>
[Collection(nameof(Alone))]
public sealed class EspPathTests(ITestOutputHelper output)
{
    /// <summary>What IPsec makes of a packet where the network lets 1,400 bytes pass.</summary>
    private const int PacketSize = 1400;
    private const int OfRound = 32;

    /// <summary>Of one measurement.</summary>
    private const int Rounds = 500;

    [Fact]
    public void They_arrive_whole_and_allocate_nothing()
    {
        using var pair = new PathPair();
        byte[] frame = Esp(pair.One, pair.Two);
        Run(pair, frame, 200);
        (long _, long before) = pair.Two.Node.EspPackets;
        (long frames, long bytes) = (pair.Two.Frames, pair.Two.Bytes);
        long allocated = GC.GetAllocatedBytesForCurrentThread();
        Run(pair, frame, 2000);
        allocated = GC.GetAllocatedBytesForCurrentThread() - allocated;
        Assert.Equal(2000 * OfRound, pair.Two.Node.EspPackets.Received - before);
        Assert.Equal((2000 * OfRound, 2000L * OfRound * frame.Length), (pair.Two.Frames - frames, pair.Two.Bytes - bytes));
        Assert.Equal(pair.Two.Node.EspPackets.Received, pair.One.Node.EspPackets.Sent);
        Assert.Equal(0, allocated);
    }

    [Fact]
    public void Those_of_one_size_leave_as_one_run()
    {
        using var pair = new PathPair();
        using var leaving = new UdpBatch(OfRound, UdpSocket.LargestDatagram);
        byte[] frame = Esp(pair.One, pair.Two);
        Run(pair, frame, 10);
        long before = pair.One.Node.EspPackets.Sent;
        pair.One.Leaving = leaving;
        for (int packet = 0; packet < OfRound; packet++)
        {
            pair.Send(pair.One, frame, default);
        }

        pair.One.Leaving = null;
        Assert.Equal(OfRound, pair.One.Node.EspPackets.Sent - before);
        Assert.Equal((OfRound, 1), (leaving.Count, leaving.Gather(0, isDual: true, inRuns: true)));
        pair.Pass(default);
    }

    /// <summary>What `make bench` prints: the daemon's own work alone, and with the kernel's.</summary>
    [Theory]
    [InlineData(true, "esp_pipeline")]
    [InlineData(false, "esp_loopback")]
    public void Sealed_once_they_cost_less_than_sealed_twice(bool inMemory, string name)
    {
        using PathPair once = new(), twice = new(sealsEspOnce: false);
        if (inMemory)
        {
            once.JoinByMemory();
            twice.JoinByMemory();
        }

        (double ratio, double kpps, double least) = Measure(once, twice);
        output.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name}_ratio={ratio:F2} {name}_kpps={kpps:F0} least={least:F2}"));
        Assert.Equal(0, twice.One.Node.EspPackets.Sent);
        Assert.True(least > 1, $"{least:F2} {ratio:F2}");
    }

    /// <summary>
    /// Medians of 21 rounds by turns: what the heavy ones take of the light ones' time, and thousands of light ones a second. Least is the ratio of the quickest
    /// round of each: what others do to the caches, or a host takes of the processor, makes rounds longer and none shorter.
    /// </summary>
    private static (double Ratio, double Kpps, double Least) Measure(PathPair once, PathPair twice)
    {
        byte[] light = Esp(once.One, once.Two), heavy = Esp(twice.One, twice.Two);
        List<double> ratios = [], kpps = [], twices = [];
        for (int round = 0; round < 21; round++)
        {
            double sealedOnce = Seconds(once, light);
            twices.Add(Seconds(twice, heavy));
            ratios.Add(twices[^1] / sealedOnce);
            kpps.Add(Rounds * OfRound / sealedOnce / 1000);
        }

        ratios.Sort();
        kpps.Sort();
        return (ratios[10], kpps[10], twices.Min() * kpps[^1] * 1000 / (Rounds * OfRound));
    }

    // Of the processor: what else the machine does is no part of it.
    private static double Seconds(PathPair pair, byte[] frame)
    {
        TimeSpan begin = CLibrary.ThreadTime();
        Run(pair, frame, Rounds);
        return (CLibrary.ThreadTime() - begin).TotalSeconds;
    }

    private static void Run(PathPair pair, byte[] frame, int rounds)
    {
        for (int round = 0; round < rounds; round++)
        {
            for (int packet = 0; packet < OfRound; packet++)
            {
                pair.Send(pair.One, frame, default);
            }

            pair.Pass(default);
        }
    }

    private static byte[] Esp(PathEnd from, PathEnd to)
    {
        byte[] frame = PathPair.Frame(from, to, protocol: 50, PacketSize - IPv4Packet.MinimumHeaderSize);
        BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(EthernetFrame.HeaderSize + IPv4Packet.MinimumHeaderSize), 0xc0ffee01);
        return frame;
    }
}
