using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>What follows when a connection ends, or can't be had.</summary>
public sealed class LostConnectionsTests
{
    /// <summary>The node asks by all others when one is lost (docs/decisions/0098), and that must not wait for what comes next.</summary>
    [Fact]
    public void What_is_sent_because_a_connection_ended_goes_in_the_same_round()
    {
        using TcpEnd other = new(listens: true), client = new();
        using (var server = new TcpEnd(listens: true))
        {
            client.Links.Send(server.Endpoint, [1]);
            client.Links.Send(other.Endpoint, [2]);
            TcpEnd.Until(() => server.Received.Count + other.Received.Count == 2, client, server, other);
            client.OnLost = () => client.Links.Send(other.Endpoint, [3]);
        }

        TcpEnd.Until(() => client.Lost.Count == 1, client);
        TcpEnd.Until(() => other.Received.Count == 2, other);
        Assert.Equal([3], other.Received[1].Frame);
    }

    [Fact]
    public void What_is_sent_after_the_pass_goes_at_the_flush_and_an_end_that_this_brings_is_told_soon()
    {
        using TcpEnd client = new();
        TransportAddress there;
        using (var server = new TcpEnd(listens: true))
        {
            there = server.Endpoint;
            client.Links.Send(there, [1]);
            TcpEnd.Until(() => server.Received.Count == 1, client, server);
            client.Links.Send(there, [2]);
            client.Links.Flush();
            TcpEnd.Until(() => server.Received.Count == 2, server);
            Assert.True(client.Links.NextTick > TimeSpan.Zero);
        }

        TcpEnd.Until(() =>
        {
            client.Links.Send(there, [3]);
            client.Links.Flush();
            return client.Links.NextTick == TimeSpan.Zero;
        });
        client.Links.Pass(BootClock.Now);
        Assert.Equal([there], client.Lost);
    }

    [Fact]
    public void A_connection_that_can_not_be_watched_is_lost_and_nothing_else()
    {
        using TcpEnd server = new(listens: true), other = new(listens: true), client = new(listens: true, canWatch: false);
        TransportAddress met = other.Endpoint with { Protocol = TransportProtocol.TcpMet };
        client.Links.Send(server.Endpoint, [1]);
        client.Links.Meet(met, isClient: true);
        TcpEnd.Until(() => client.Lost.Count == 2, client, server, other);
        Assert.Equal([server.Endpoint, met], client.Lost);
        Assert.Equal(2, client.Shortages);
        Assert.Equal(0, client.Links.Count);
    }
}
