using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;
using Ipopd.Composition;

namespace Ipopd.Tests.Composition;

public sealed class SearchSocketsTests
{
    private static readonly TransportAddress Somewhere = TransportAddress.FromIPv4(0x7f000001, 9);

    /// <summary>The kernel watches nothing twice; else it refuses where it is short of memory.</summary>
    [Fact]
    public void A_socket_that_can_not_be_watched_is_closed_and_forgotten()
    {
        using var loop = new PollLoop();
        int port = 0;
        using var sockets = new SearchSockets(loop)
        {
            Make = shared =>
            {
                var socket = UdpSocket.OpenAny(0, shared);
                port = socket.LocalPort;
                loop.Add(socket.Descriptor, _ => { });
                return socket;
            },
        };

        Assert.Equal(0, sockets.Open());
        Assert.Equal(1, loop.Shortages.Count);
        Assert.False(sockets.Send(1, Somewhere, [1]));
        UdpSocket.OpenAny(port).Dispose();
    }

    [Fact]
    public void One_that_is_open_sends_until_it_is_closed()
    {
        using var loop = new PollLoop();
        using var sockets = new SearchSockets(loop);
        int number = sockets.Open();
        Assert.True(sockets.Send(number, Somewhere, [1]));
        sockets.Close(number);
        Assert.False(sockets.Send(number, Somewhere, [1]));
        sockets.EndRound();
    }
}
