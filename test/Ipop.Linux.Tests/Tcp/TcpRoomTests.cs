using Brunet.Addressing;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>Peers name addresses by the dozen at which nobody answers, and a call there takes long to fail.</summary>
public sealed class TcpRoomTests
{
    private const int Most = 16;

    private static readonly TimeSpan Aback = TimeSpan.FromMinutes(1);

    [Fact]
    public void Calls_that_nobody_takes_keep_no_connection_from_being_made_again_from_coming_home_and_no_two_from_meeting()
    {
        using var deaf = new DeafListener();
        using TcpEnd server = new(listens: true), client = new(listens: true);
        client.Links.Send(server.Endpoint, [1]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        TimeSpan swept = client.Links.NextTick;
        client.Wait(TimeSpan.FromSeconds(2));
        TcpEnd.Until(() => client.Links.NextTick > swept, client, server);
        Guess(client, deaf, 0, Most);
        Assert.Equal(Most, deaf.CallsFrom(client.Endpoint.Port).Length);
        client.Wait(-Aback);
        Guess(client, deaf, Most, 1);
        client.Wait(Aback);
        Assert.Equal(Most, deaf.CallsFrom(client.Endpoint.Port).Length);

        server.UsesAll = false;
        server.Wait(TimeSpan.FromSeconds(20));
        TcpEnd.Until(() => client.Lost.Count == 1, client, server);
        server.UsesAll = true;
        server.Wait(TimeSpan.FromSeconds(-20));
        client.Links.Send(server.Endpoint, [2]);
        TcpEnd.Until(() => server.Received.Count == 2, client, server);
        client.Links.Meet(deaf.At(Most) with { Protocol = TransportProtocol.TcpMet }, isClient: true);
        Assert.Equal(Most + 1, deaf.CallsFrom(client.Endpoint.Port).Length);
        client.Wait(TimeSpan.FromSeconds(5));
        TcpEnd.Until(() => client.Renewed.Count == 2, client, server);
        Assert.True(client.Links.ComesFromListener(server.Endpoint));
        Assert.Equal([server.Endpoint], client.Lost);
    }

    /// <summary>A call stands on that was not waited for, and comes through when the peer takes connections again.</summary>
    [Fact]
    public void What_nobody_uses_keeps_no_connection_from_coming_home()
    {
        using TcpEnd server = new(listens: true), client = new(listens: true);
        client.Links.Send(server.Endpoint, [1]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        server.UsesAll = false;
        server.Wait(TimeSpan.FromSeconds(20));
        TcpEnd.Until(() => client.Lost.Count == 1, client, server);
        server.UsesAll = true;
        server.Wait(TimeSpan.FromSeconds(-20));
        client.Wait(TimeSpan.FromSeconds(11));
        client.Links.Send(server.Endpoint, [2]);
        TcpEnd.Until(() => client.Renewed.Count == 1, client, server);
        Assert.False(client.Links.ComesFromListener(server.Endpoint));
        TransportAddress there = server.Endpoint with { Protocol = TransportProtocol.TcpMet };
        client.Unused.Add(there);
        client.Links.Meet(there, isClient: true);
        TcpEnd.Until(() => client.Made.Count == 1, client, server);
        TimeSpan swept = client.Links.NextTick;
        client.Wait(TimeSpan.FromSeconds(5));
        TcpEnd.Until(() => client.Links.NextTick > swept, client, server);

        // It goes at once, and not when nobody has used it for 15 s.
        int rounds = 0;
        TcpEnd.Until(() => rounds++ > 3, client, server);
        Assert.Contains(there, client.Lost);
        TcpEnd.Until(() => client.Renewed.Count == 2, client, server);
        Assert.True(client.Links.ComesFromListener(server.Endpoint));
    }

    [Fact]
    public void A_call_that_nobody_took_for_a_quarter_of_a_second_gives_way_to_the_next_the_oldest_first()
    {
        using var deaf = new DeafListener();
        using TcpEnd server = new(listens: true), client = new();
        Guess(client, deaf, 0, 1);
        client.Wait(TimeSpan.FromSeconds(0.1));
        Guess(client, deaf, 1, Most - 1);

        // However slow this machine is, none of them has waited yet.
        client.Wait(-Aback);
        client.Links.Send(server.Endpoint, [1]);
        client.Wait(Aback + TimeSpan.FromSeconds(0.25));
        client.Links.Send(server.Endpoint, [2]);
        TcpEnd.Until(() => server.Received.Count == 1 && client.Lost.Count == 1, client, server);
        Assert.Equal([2], server.Received[0].Frame);
        Assert.Equal([deaf.At(0)], client.Lost);
    }

    private static void Guess(TcpEnd client, DeafListener deaf, int first, int count)
    {
        for (int number = first; number < first + count; number++)
        {
            client.Links.Send(deaf.At(number), [1]);
        }
    }
}
