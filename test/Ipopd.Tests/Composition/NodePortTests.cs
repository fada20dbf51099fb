using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;
using Ipopd.Composition;

namespace Ipopd.Tests.Composition;

public sealed class NodePortTests : IDisposable
{
    private const uint Loopback = 0x7f000001;
    private static readonly TimeSpan Now = TimeSpan.FromSeconds(7);

    private readonly PollLoop _loop = new();
    private readonly UdpSocket _udp = UdpSocket.OpenAny(0);
    private readonly SearchSockets _further;
    private readonly NodePort _port;

    public NodePortTests()
    {
        _further = new SearchSockets(_loop);
        _port = new NodePort(_udp, _further);
    }

    public void Dispose()
    {
        _further.Dispose();
        _udp.Dispose();
        _loop.Dispose();
    }

    [Fact]
    public void What_goes_and_comes_by_the_sockets_of_a_search_is_counted_like_all_else()
    {
        int number = _port.OpenSocket();
        var own = TransportAddress.FromIPv4(Loopback, (ushort)_udp.LocalPort);
        _port.SendDatagram(number, own, new byte[30]);
        _further.EndRound();
        Assert.Equal((1, 30), (_port.Traffic.SentDatagrams, _port.Traffic.SentBytes));

        TransportAddress? search = null;
        Until(() => search is not null, () => _udp.Receive(Now, (_, source, _) => search = source));
        _port.SendDatagram(search!.Value, new byte[40]);
        _udp.Flush();
        Assert.Equal((2, 70), (_port.Traffic.SentDatagrams, _port.Traffic.SentBytes));
        Until(() => _port.Traffic.ReceivedDatagrams > 0, () => { });
        Assert.Equal((1, 40), (_port.Traffic.ReceivedDatagrams, _port.Traffic.ReceivedBytes));
        Assert.NotNull(_port.Traffic.HeardAt);
    }

    [Fact]
    public void What_a_closed_socket_does_not_send_is_not_counted()
    {
        int number = _port.OpenSocket();
        _port.CloseSocket(number);
        _port.SendDatagram(number, TransportAddress.FromIPv4(Loopback, 9), new byte[30]);
        Assert.Equal(0, _port.Traffic.SentDatagrams);
    }

    [Fact]
    public void What_comes_to_the_group_of_all_nodes_is_counted()
    {
        _port.ReceiveMulticast(Now, TransportAddress.FromIPv4(Loopback, 9), new byte[50]);
        Assert.Equal((1, 50), (_port.Traffic.ReceivedDatagrams, _port.Traffic.ReceivedBytes));
    }

    /// <summary>Runs the loop until something holds.</summary>
    private void Until(Func<bool> condition, Action each)
    {
        TimeSpan limit = BootClock.Now + TimeSpan.FromSeconds(30);
        while (!condition())
        {
            Assert.True(BootClock.Now < limit, "nothing came in 30 s");
            TimeSpan until = BootClock.Now + TimeSpan.FromMilliseconds(5);
            _loop.Run(() => until, _ => _loop.Stop());
            each();
        }
    }
}
