using System.Net;
using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Polling;

public sealed class ListenerRestsTests : IDisposable
{
    private const int EMFILE = 24;

    private readonly PollLoop _loop = new();
    private readonly Socket _listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
    private readonly Socket _client = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public ListenerRestsTests()
    {
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen(1);
        _client.Connect(_listener.LocalEndPoint!);
    }

    public void Dispose()
    {
        _loop.Dispose();
        _client.Dispose();
        _listener.Dispose();
    }

    [Fact]
    public void A_listener_that_has_no_descriptor_for_who_waits_is_left_alone_for_a_second_and_then_tried_again()
    {
        var tried = new List<TimeSpan>();
        int rounds = 0;
        _loop.Listen((int)_listener.Handle, now =>
        {
            tried.Add(now);
            if (tried.Count == 2)
            {
                _loop.Stop();
            }

            return false;
        });
        _loop.Run(() => TimeSpan.MaxValue, _ => rounds++);

        Assert.InRange(tried[1] - tried[0], ListenerRests.RestTime, TimeSpan.MaxValue);
        Assert.InRange(rounds, 2, 3);
        Assert.Equal(2, _loop.Shortages.Count);
    }

    [Fact]
    public void A_connection_that_the_kernel_can_not_watch_ends_no_loop_but_lets_the_listener_rest()
    {
        var tried = new List<TimeSpan>();
        _loop.Listen((int)_listener.Handle, now =>
        {
            tried.Add(now);
            if (tried.Count == 2)
            {
                _loop.Stop();
                return true;
            }

            throw new IOException("epoll_ctl: no memory");
        });
        _loop.Run(() => TimeSpan.MaxValue, _ => { });

        Assert.InRange(tried[1] - tried[0], ListenerRests.RestTime, TimeSpan.MaxValue);
        Assert.Equal(1, _loop.Shortages.Count);
    }

    [Fact]
    public void A_listener_that_was_removed_amid_its_rest_is_not_watched_again()
    {
        int tried = 0;
        TimeSpan end = TimeSpan.MaxValue;
        _loop.Listen((int)_listener.Handle, now =>
        {
            tried++;
            end = now + (ListenerRests.RestTime * 1.5);
            return false;
        });
        _loop.Run(() => end, now =>
        {
            _loop.Remove((int)_listener.Handle);
            if (now >= end)
            {
                _loop.Stop();
            }
        });

        Assert.Equal(1, tried);
    }

    [Theory]
    [InlineData(SocketError.TooManyOpenSockets, true)]
    [InlineData(SocketError.NoBufferSpaceAvailable, true)]
    [InlineData(SocketError.ConnectionAborted, false)]
    [InlineData(SocketError.WouldBlock, false)]
    public void A_shortage_is_told_from_a_client_that_went_away(SocketError error, bool isShortage)
    {
        Assert.Equal(isShortage, Shortages.IsOne(new SocketException((int)error)));
        Assert.True(Shortages.IsOne(EMFILE));
    }

    [Fact]
    public void A_shortage_begins_once_and_is_told_for_ten_minutes()
    {
        int began = 0;
        var shortages = new Shortages { Began = () => began++ };
        Assert.Null(shortages.Since(TimeSpan.Zero));
        shortages.Note(TimeSpan.FromMinutes(1));
        shortages.Note(TimeSpan.FromMinutes(9));

        Assert.Equal(TimeSpan.FromMinutes(3), shortages.Since(TimeSpan.FromMinutes(12)));
        Assert.Null(shortages.Since(TimeSpan.FromMinutes(19)));
        Assert.Equal(1, began);
        shortages.Note(TimeSpan.FromMinutes(20));
        Assert.Equal((2, 3L), (began, shortages.Count));
    }

    [Fact]
    public void A_spare_descriptor_is_given_up_once_and_can_be_taken_back()
    {
        using var spare = new SpareDescriptor();
        Assert.False(spare.GiveUp());
        spare.Take();
        spare.Take();
        Assert.True(spare.GiveUp());
        Assert.False(spare.GiveUp());
        spare.Take();
        Assert.True(spare.GiveUp());
    }
}
