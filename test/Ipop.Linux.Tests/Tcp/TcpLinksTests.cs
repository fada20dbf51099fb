using System.Net.Security;
using System.Net.Sockets;
using Brunet.Addressing;
using Brunet.Wire;

namespace Ipop.Linux.Tests.Tcp;

public sealed class TcpLinksTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(90, 1300)]
    [InlineData(12, StreamFraming.MaxFrameSize)]
    public void Frames_pass_both_ways_over_one_connection_that_the_first_of_them_makes(int count, int size)
    {
        using TcpEnd server = new(listens: true) { Echoes = true }, client = new();
        client.Links.Send(server.Endpoint, Frame(0, size));
        TcpEnd.Until(() => client.Received.Count == 1, client, server);
        for (int index = 1; index < count; index++)
        {
            client.Links.Send(server.Endpoint, Frame(index, size));
        }

        TcpEnd.Until(() => client.Received.Count >= count, client, server);
        Assert.Equal(Enumerable.Range(0, count).Select(index => Frame(index, size)), client.Received.Select(got => got.Frame));
        Assert.Equal((1, 1), (client.Links.Count, server.Links.Count));
        Assert.All(client.Received, got => Assert.Equal(server.Endpoint, got.Source));
        Assert.All(server.Received, got => Assert.Equal(TransportProtocol.TcpAccepted, got.Source.Protocol));
        Assert.Single(server.Received.Select(got => got.Source).Distinct());
    }

    [Fact]
    public void Frames_that_find_the_queue_full_are_counted()
    {
        // 16 kB wait for the connection to stand, 128 kB for the kernel.
        const int Count = 200, Size = 1300;
        using TcpEnd server = new(listens: true), client = new();
        for (int index = 0; index < Count; index++)
        {
            client.Links.Send(server.Endpoint, Frame(index, Size));
        }

        long early = client.Links.Overflowed;
        Assert.Equal(Count - (16 * 1024 / (Size + 2)), early);
        TcpEnd.Until(() => server.Received.Count == Count - early, client, server);
        for (int index = 0; index < Count; index++)
        {
            client.Links.Send(server.Endpoint, Frame(index, Size));
        }

        Assert.InRange(client.Links.Overflowed - early, 1, Count - 1);
        TcpEnd.Until(() => server.Received.Count == (2 * Count) - client.Links.Overflowed, client, server);
    }

    [Fact]
    public void Where_nobody_listens_the_owner_learns_it_and_no_more_is_tried_for_a_while()
    {
        using var client = new TcpEnd();
        TransportAddress nobody;
        using (var gone = new TcpEnd(listens: true))
        {
            nobody = gone.Endpoint;
        }

        client.Links.Send(nobody, [1]);
        TcpEnd.Until(() => client.Lost.Count == 1, client);
        client.Links.Send(nobody, [1]);
        Assert.Equal(TimeSpan.MaxValue, client.Links.NextTick);
        client.Wait(TimeSpan.FromSeconds(11));
        client.Links.Send(nobody, [1]);
        TcpEnd.Until(() => client.Lost.Count == 2, client);
        Assert.All(client.Lost, endpoint => Assert.Equal(nobody, endpoint));
    }

    /// <summary>A NAT that knows a former connection of these ports answers with a reset, and knows nothing of another port.</summary>
    [Fact]
    public void What_is_refused_from_the_port_that_is_listened_on_is_called_once_more_at_once_from_another()
    {
        using TcpEnd client = new(listens: true), server = new();
        TransportAddress there;
        using (var gone = new TcpEnd(listens: true))
        {
            there = gone.Endpoint;
        }

        client.Links.Send(there, [1]);
        TcpEnd.Until(() => client.Lost.Count == 1, client);
        client.Links.Send(there, [2]);
        TcpEnd.Until(() => client.Lost.Count == 2, client);
        server.Links.Listen(there.Port);
        client.Links.Send(there, [3]);
        Assert.Equal(TimeSpan.MaxValue, client.Links.NextTick);
        client.Wait(TimeSpan.FromSeconds(11));
        client.Links.Send(there, [4]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        Assert.Equal(client.Endpoint.Port, server.Received[0].Source.Port);
    }

    [Fact]
    public void The_call_after_a_refusal_comes_from_another_port()
    {
        using TcpEnd client = new(listens: true), server = new();
        TransportAddress there;
        using (var gone = new TcpEnd(listens: true))
        {
            there = gone.Endpoint;
        }

        client.Links.Send(there, [1]);
        TcpEnd.Until(() => client.Lost.Count == 1, client);
        server.Links.Listen(there.Port);
        client.Links.Send(there, [2]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        Assert.NotEqual(client.Endpoint.Port, server.Received[0].Source.Port);
    }

    [Fact]
    public void A_connection_whose_bytes_arrive_is_not_made_again()
    {
        using TcpEnd server = new(listens: true), client = new();
        client.Links.Send(server.Endpoint, [1]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        client.Links.Redial(server.Endpoint);
        client.Links.HangUp(server.Endpoint);
        client.Links.Send(server.Endpoint, [2]);
        TcpEnd.Until(() => server.Received.Count == 2, client, server);
        Assert.Equal((1, 1), (client.Links.Count, server.Links.Count));
        Assert.Empty(client.Renewed);
        Assert.Equal(server.Received[0].Source, server.Received[1].Source);
    }

    [Fact]
    public void A_proven_connection_that_was_ended_is_made_again_at_once_from_another_port_and_later_from_the_port_that_is_listened_on()
    {
        using TcpEnd server = new(listens: true), client = new(listens: true);
        client.Links.Send(server.Endpoint, [1]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        TimeSpan swept = client.Links.NextTick;
        client.Wait(TimeSpan.FromSeconds(2));
        TcpEnd.Until(() => client.Links.NextTick > swept, client, server);
        server.UsesAll = false;
        server.Wait(TimeSpan.FromSeconds(20));
        TcpEnd.Until(() => client.Lost.Count == 1, client, server);
        server.UsesAll = true;
        server.Wait(TimeSpan.FromSeconds(-20));
        client.Links.Send(server.Endpoint, [2]);
        TcpEnd.Until(() => server.Received.Count == 2, client, server);
        Assert.Equal(client.Links.Ports[0], server.Received[0].Source.Port);
        Assert.NotEqual(client.Links.Ports[0], server.Received[1].Source.Port);
        client.Wait(TimeSpan.FromSeconds(5));
        TcpEnd.Until(() => client.Renewed.Count == 2, client, server);
        client.Links.Send(server.Endpoint, [3]);
        TcpEnd.Until(() => server.Received.Count == 3, client, server);
        Assert.Equal(client.Links.Ports[0], server.Received[2].Source.Port);
        Assert.Equal((1, 1), (client.Links.Count, server.Links.Count));
        Assert.Single(client.Lost);
    }

    [Fact]
    public void One_from_the_port_of_a_connection_that_stands_is_heard_and_takes_its_place_when_that_has_ended()
    {
        using TcpEnd server = new(listens: true), client = new(listens: true);
        TransportAddress first = server.Endpoint, second = server.Listen();
        client.Links.Send(first, [1]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        client.Links.Send(second, [2]);
        TcpEnd.Until(() => server.Received.Count == 2, client, server);
        TransportAddress source = server.Received[0].Source;
        Assert.Equal(source, server.Received[1].Source);

        // Nobody pushes out a connection that lives.
        server.Links.Send(source, [3]);
        TcpEnd.Until(() => client.Received.Count == 1, client, server);
        Assert.Equal(first, client.Received[0].Source);
        Assert.Equal(1, server.Links.Count);

        client.Unused.Add(first);
        client.Wait(TimeSpan.FromSeconds(20));
        TcpEnd.Until(() => client.Lost.Count == 1, client, server);
        TcpEnd.Until(() => Answers(server, source, client, second), client, server);
        Assert.Equal([first], client.Lost);
        Assert.Empty(server.Lost);
        Assert.Equal(1, server.Links.Count);
    }

    private static bool Answers(TcpEnd server, TransportAddress source, TcpEnd client, TransportAddress by)
    {
        server.Links.Send(source, [4]);
        return client.Received.Exists(got => got.Source == by);
    }

    [Fact]
    public void The_end_of_one_side_is_told_to_the_other_at_once()
    {
        using TcpEnd server = new(listens: true);
        using (var client = new TcpEnd())
        {
            client.Links.Send(server.Endpoint, [7]);
            TcpEnd.Until(() => server.Received.Count == 1, client, server);
        }

        TcpEnd.Until(() => server.Lost.Count == 1, server);
        Assert.Equal(server.Received[0].Source, server.Lost[0]);
        server.Links.Send(server.Lost[0], [8]);
        Assert.Equal(0, server.Links.Count);
    }

    [Fact]
    public void A_connection_that_no_peer_uses_is_closed()
    {
        using TcpEnd server = new(listens: true) { UsesAll = false }, client = new();
        client.Links.Send(server.Endpoint, [7]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        server.Wait(TimeSpan.FromSeconds(14));
        TcpEnd.Until(() => server.Links.NextTick > TimeSpan.Zero && server.Received.Count == 1, client, server);
        Assert.Equal(1, server.Links.Count);
        server.Wait(TimeSpan.FromSeconds(2));
        TcpEnd.Until(() => client.Lost.Count == 1 && server.Lost.Count == 1, client, server);
    }

    [Fact]
    public async Task To_a_stranger_it_is_an_ordinary_TLS_server_and_what_is_no_frame_ends_the_connection()
    {
        using TcpEnd server = new(listens: true);
        using var browser = new TcpClient();
        Task<string> visit = Visit(browser, server.Endpoint);
        TcpEnd.Until(() => visit.IsCompleted, server);
        Assert.Equal("closed", await visit);
        Assert.Empty(server.Received);
    }

    private static byte[] Frame(int index, int size)
    {
        byte[] frame = new byte[size];
        new Random(index).NextBytes(frame);
        return frame;
    }

    /// <summary>On the loopback the first call is always there before the second is made, so a listener takes it: nobody may wait for the other's greeting for ever.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Who_is_called_while_he_calls_himself_is_understood_whoever_begins(bool isClient)
    {
        using TcpEnd one = new(listens: true), two = new(listens: true) { Echoes = true };
        TransportAddress atOne = one.Endpoint with { Protocol = TransportProtocol.TcpMet }, atTwo = two.Endpoint with { Protocol = TransportProtocol.TcpMet };
        one.Links.Meet(atTwo, isClient);
        two.Links.Meet(atOne, !isClient);
        TcpEnd.Until(() => one.Made.Count == 1, one, two);
        Assert.Equal([atTwo], one.Made);
        Assert.True(one.Links.ComesFromListener(atTwo));
        one.Links.Send(atTwo, [1, 2, 3]);
        TcpEnd.Until(() => one.Received.Count == 1, one, two);
        Assert.Equal(atOne with { Protocol = TransportProtocol.TcpAccepted }, two.Received[0].Source);
        Assert.Equal([1, 2, 3], one.Received[0].Frame);
    }

    /// <summary>The kernel would repeat such a call ever more rarely.</summary>
    [Fact]
    public void A_call_that_nobody_took_for_a_second_is_made_anew_from_the_same_port_when_both_are_to_meet_again()
    {
        using var deaf = new DeafListener();
        using TcpEnd one = new(listens: true);
        TransportAddress there = deaf.At(0) with { Protocol = TransportProtocol.TcpMet };
        one.Links.Meet(there, isClient: true);
        string first = Assert.Single(deaf.CallsFrom(one.Endpoint.Port));
        one.Links.Meet(there, isClient: true);
        Assert.Equal([first], deaf.CallsFrom(one.Endpoint.Port));
        one.Wait(TimeSpan.FromSeconds(1));
        one.Links.Meet(there, isClient: true);
        Assert.NotEqual(first, Assert.Single(deaf.CallsFrom(one.Endpoint.Port)));
        Assert.Empty(one.Lost);
    }

    /// <summary>Nothing is sent over it, so nobody learns that a NAT has forgotten it, and its ports are those that the next call needs.</summary>
    [Fact]
    public void A_connection_that_no_peer_uses_is_made_anew_when_its_ends_are_to_meet_and_that_the_former_is_gone_is_told()
    {
        using TcpEnd one = new(listens: true), two = new(listens: true);
        TransportAddress there = two.Endpoint with { Protocol = TransportProtocol.TcpMet };
        one.Links.Meet(there, isClient: true);
        TcpEnd.Until(() => one.Made.Count == 1, one, two);
        one.Links.Meet(there, isClient: true);
        one.Unused.Add(there);
        one.Links.Meet(there, isClient: true);
        Assert.True(one.Links.ComesFromListener(there));
        Assert.Empty(one.Lost);
        one.Wait(TimeSpan.FromSeconds(1));
        one.Links.Meet(there, isClient: true);
        TcpEnd.Until(() => one.Made.Count == 2, one, two);
        Assert.Equal([there], one.Lost);
    }

    /// <summary>Who is told by a FIN that a NAT drops never answers, and the kernel would wait for that with ports that others need.</summary>
    [Fact]
    public async Task What_no_peer_uses_is_reset_so_that_its_ports_are_free()
    {
        using var listener = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listener.Start();
        using TcpEnd client = new(listens: true) { UsesAll = false };
        client.Links.Send(TcpEnd.EndpointOf(((System.Net.IPEndPoint)listener.LocalEndpoint).Port), [1]);
        using Socket accepted = await listener.AcceptSocketAsync();
        client.Wait(TimeSpan.FromSeconds(9));
        TcpEnd.Until(() => client.Lost.Count == 1, client);
        SocketException reset = await Assert.ThrowsAsync<SocketException>(async () =>
        {
            while (await accepted.ReceiveAsync(new byte[4096]) > 0)
            {
                // Its greeting came before the reset.
            }
        });
        Assert.Equal(SocketError.ConnectionReset, reset.SocketErrorCode);
    }

    [Fact]
    public void Connections_come_from_the_port_that_is_listened_on_until_that_fails()
    {
        using TcpEnd server = new(listens: true), client = new(listens: true), other = new(listens: true);
        foreach (TcpEnd to in (TcpEnd[])[server, other])
        {
            client.Links.Send(to.Endpoint, [1]);
            TcpEnd.Until(() => to.Received.Count == 1, client, server, other);
            Assert.Equal(client.Endpoint.Port, to.Received[0].Source.Port);
            Assert.True(client.Links.ComesFromListener(to.Endpoint));
        }

        // The server's end of the first connection still stands; a second one from the same port can't be made.
        TransportAddress sameByAnotherName = TransportAddress.FromIPv6([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1], server.Endpoint.Port) with { Protocol = TransportProtocol.TcpMet };
        client.Links.Meet(sameByAnotherName, isClient: true);
        Assert.False(client.Links.ComesFromListener(sameByAnotherName));
        TcpEnd.Until(() => client.Lost.Count == 1, client);
        Assert.Equal([sameByAnotherName], client.Lost);
    }

    [Fact]
    public void A_port_that_is_listened_on_is_nobody_elses()
    {
        using TcpEnd first = new(listens: true), second = new();
        Assert.Throws<IOException>(() => second.Links.Listen(first.Links.Ports[0]));
    }

    [Fact]
    public void Who_does_not_listen_meets_nobody()
    {
        using TcpEnd server = new(listens: true), client = new();
        client.Links.Meet(server.Endpoint with { Protocol = TransportProtocol.TcpMet }, isClient: true);
        client.Links.Send(server.Endpoint, [1]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        Assert.False(client.Links.ComesFromListener(server.Endpoint));
        Assert.Empty(client.Made);
    }

    private static async Task<string> Visit(TcpClient browser, TransportAddress server)
    {
        await browser.ConnectAsync(server.ToIPEndPoint());
        using var tls = new SslStream(browser.GetStream(), leaveInnerStreamOpen: false, (_, certificate, _, _) => certificate?.Subject == "CN=localhost");
        await tls.AuthenticateAsClientAsync("www.example.org");
        await tls.WriteAsync("GET / HTTP/1.1\r\nHost: www.example.org\r\n\r\n"u8.ToArray());
        return await tls.ReadAsync(new byte[100]) == 0 ? "closed" : "answered";
    }
}
