using Brunet.Addressing;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Tests.Udp;

/// <summary>What leaves as one call of UDP_SEGMENT.</summary>
public sealed class UdpBatchTests
{
    private static readonly TransportAddress Here = TransportAddress.FromIPv4(0x7f000001, 1), There = TransportAddress.FromIPv4(0x7f000001, 2);

    /// <summary>Frames of ESP at MTU 1,400, of segments at 1,280, and of small datagrams: what fills a batch of 64, up to what an IPv4 packet holds.</summary>
    [Theory]
    [InlineData(1432, 45)]
    [InlineData(1313, 49)]
    [InlineData(125, 64)]
    public void Datagrams_of_one_size_to_one_destination_are_one_run(int size, int most)
    {
        using var batch = new UdpBatch(64, UdpSocket.LargestDatagram);
        for (int count = 1; count <= 64; count++)
        {
            batch.Add(Here, isDual: true, size);
            Assert.Equal(count > most ? 2 : 1, batch.Gather(0, isDual: true, inRuns: true));
            Assert.Equal(count, batch.Gather(0, isDual: true, inRuns: false));
        }
    }

    [Fact]
    public void Another_destination_or_a_longer_one_begins_another_and_a_shorter_one_ends_its_own()
    {
        using var batch = new UdpBatch(64, UdpSocket.LargestDatagram);
        foreach ((TransportAddress to, int size) in ((TransportAddress, int)[])[(Here, 100), (Here, 100), (There, 100), (There, 101), (There, 50), (There, 50)])
        {
            batch.Add(to, isDual: true, size);
        }

        Assert.Equal(4, batch.Gather(0, isDual: true, inRuns: true));
    }
}
