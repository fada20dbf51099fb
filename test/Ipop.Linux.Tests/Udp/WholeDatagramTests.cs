using Brunet.Addressing;
using Ipop.Linux.Udp;

namespace Ipop.Linux.Tests.Udp;

/// <summary>Datagrams that must not be fragmented, on the loopback, whose packets are of 64 KiB at most.</summary>
public sealed class WholeDatagramTests
{
    private const uint Loopback = 0x7f000001;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void One_arrives_behind_what_waited_and_later_ones_behind_it(bool isFast)
    {
        using UdpSocket receiver = UdpSocket.OpenFast(0), sender = isFast ? UdpSocket.OpenFast(0) : UdpSocket.OpenAny(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        sender.Send(there, [1]);
        Assert.True(sender.SendWhole(there, new byte[9000]));
        sender.Send(there, [2, 2]);
        sender.Flush();
        var got = new List<int>();
        receiver.Receive(default, (_, _, datagram) => got.Add(datagram.Length));
        Assert.Equal([1, 9000, 2], got);
    }

    [Fact]
    public void One_that_no_frame_is_as_long_as_is_refused()
    {
        using UdpSocket sender = UdpSocket.OpenFast(0);
        Assert.False(sender.SendWhole(TransportAddress.FromIPv4(Loopback, 9), new byte[UdpSocket.LargestDatagram + 1]));
    }

    [Fact]
    public void Many_long_ones_pass_through_the_buffers_that_few_fit_into()
    {
        using UdpSocket receiver = UdpSocket.OpenFast(0), sender = UdpSocket.OpenFast(0);
        var there = TransportAddress.FromIPv4(Loopback, (ushort)receiver.LocalPort);
        var got = new List<(int Length, byte First)>();
        for (int count = 0; count < 100; count++)
        {
            byte[] datagram = new byte[count % 3 == 0 ? UdpSocket.LargestDatagram : 100];
            datagram[0] = (byte)count;
            sender.Send(there, datagram);
        }

        sender.Flush();
        while (got.Count < 100)
        {
            int before = got.Count;
            receiver.Receive(default, (_, _, datagram) => got.Add((datagram.Length, datagram[0])));
            Assert.True(got.Count > before, $"{before} came");
        }

        Assert.Equal(Enumerable.Range(0, 100).Select(count => (count % 3 == 0 ? UdpSocket.LargestDatagram : 100, (byte)count)), got);
    }

    [Fact]
    public void The_kernel_says_what_it_believes_to_pass()
    {
        Assert.Equal(65_535, MtuHint.Of(TransportAddress.FromIPv4(Loopback, 9)));
        Span<byte> loopback6 = stackalloc byte[16];
        loopback6[15] = 1;
        Assert.Equal(65_536, MtuHint.Of(TransportAddress.FromIPv6(loopback6, 9)));
    }
}
