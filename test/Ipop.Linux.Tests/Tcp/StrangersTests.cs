using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Tcp;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>Anybody can connect. He keeps no place from a peer, nor from the node's own calls.</summary>
public sealed class StrangersTests : IDisposable
{
    private const int Share = 16, MostOfOne = 256, MostAccepted = 448;

    private readonly Dictionary<TransportAddress, TcpConnection> _connections = [], _successors = [];
    private readonly TlsContexts _tls = new();
    private readonly TcpRoom _room;
    private int _taken;

    public StrangersTests() => _room = new TcpRoom(_connections, _successors);

    [Fact]
    public void Strangers_that_only_connect_get_few_connections_and_leave_room_for_a_peer()
    {
        using TcpEnd server = new(listens: true), client = new();
        var strangers = new List<Socket>();
        try
        {
            for (int i = 0; i < 100; i++)
            {
                var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                strangers.Add(stranger);

                // The machine's own addresses are as many as one likes.
                stranger.Bind(new IPEndPoint(new IPAddress([127, 0, 1, (byte)(1 + (i / 10))]), 0));
                stranger.Connect(server.Endpoint.ToIPEndPoint());
            }

            client.Links.Send(server.Endpoint, [9]);
            TcpEnd.Until(() => server.Received.Count == 1, client, server);
            Assert.InRange(server.Lost.Count, 37, 100);
        }
        finally
        {
            strangers.ForEach(stranger => stranger.Dispose());
        }
    }

    /// <summary>A whole campus may have one address, and a stranger in it.</summary>
    [Fact]
    public void Strangers_at_the_address_of_a_peer_do_not_keep_it_out()
    {
        using TcpEnd server = new(listens: true), client = new();
        List<Socket> strangers = Connect(server);
        client.Links.Send(server.Endpoint, [9]);
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        Assert.Single(server.Lost);
        strangers.ForEach(stranger => stranger.Dispose());
    }

    /// <summary>No sweep comes between.</summary>
    [Fact]
    public void Strangers_push_out_nobody_who_has_proven_himself_a_moment_ago()
    {
        using TcpEnd server = new(listens: true), client = new();
        client.Links.Send(server.Endpoint, [1]);
        server.Wait(TimeSpan.FromMinutes(-1));
        TcpEnd.Until(() => server.Received.Count == 1, client, server);
        List<Socket> strangers = [.. Connect(server), .. Connect(server)];
        TcpEnd.Until(() => server.Lost.Count == Share, client, server);
        client.Links.Send(server.Endpoint, [2]);
        TcpEnd.Until(() => server.Received.Count == 2, client, server);
        Assert.Empty(client.Lost);
        strangers.ForEach(stranger => stranger.Dispose());
    }

    /// <summary>One machine has any address of its /64 that it likes.</summary>
    [Fact]
    public void The_addresses_of_a_network_of_IPv6_are_one()
    {
        for (ulong number = 1; number <= Share; number++)
        {
            Assert.Null(Take(OfIPv6(0, number)));
        }

        Assert.Null(Take(OfIPv6(1, 1)));
        Assert.Equal(OfIPv6(0, 1), Take(OfIPv6(0, Share + 1))?.Endpoint);
        Assert.Equal(OfIPv6(0, 2), Take(OfIPv6(0, Share + 2))?.Endpoint);
    }

    /// <summary>Who has the pool's secret makes as many nodes as he likes.</summary>
    [Fact]
    public void Who_has_proven_himself_gets_half_of_all_and_all_together_leave_room_for_the_nodes_own_calls()
    {
        for (int port = 1; port <= TcpRoom.MaxConnections; port++)
        {
            TransportAddress one = At(0, port);
            Assert.Equal(port <= MostOfOne, _room.TryAccept(one, out TcpConnection? givesWay));
            Assert.Null(givesWay);
            if (port <= MostOfOne)
            {
                Add(one).IsProven = true;
            }
        }

        for (int number = 1; _connections.Count < MostAccepted; number++)
        {
            Assert.Null(Take(At(number, 1)));
            _connections[At(number, 1)].IsProven = true;
        }

        Assert.False(_room.TryAccept(At(Share * Share * 2, 1), out _));
        Assert.False(_room.IsFull);
        Assert.True(_room.TryGuess(TimeSpan.Zero, out _));
    }

    [Fact]
    public void A_table_that_is_full_of_peers_and_strangers_takes_one_more_in_the_oldest_strangers_place()
    {
        for (int number = 1; number <= MostAccepted; number++)
        {
            Take(At(number, 1));
            _connections[At(number, 1)].IsProven = number is not (7 or 9);
        }

        Assert.Equal(At(7, 1), Take(At(1, 2))?.Endpoint);
    }

    public void Dispose()
    {
        foreach (TcpConnection connection in _connections.Values)
        {
            connection.Dispose();
        }

        _tls.Dispose();
    }

    /// <summary>As many strangers as one address may have.</summary>
    private static List<Socket> Connect(TcpEnd server)
    {
        var strangers = new List<Socket>();
        for (int number = 0; number < Share; number++)
        {
            var stranger = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            strangers.Add(stranger);
            stranger.Connect(server.Endpoint.ToIPEndPoint());
        }

        return strangers;
    }

    private static TransportAddress At(int number, int port) =>
        TransportAddress.FromIPv4(0x7f000102 + (uint)number, (ushort)port) with { Protocol = TransportProtocol.TcpAccepted };

    private static TransportAddress OfIPv6(ulong network, ulong number) => new(0xfd00_0000_0000_0000 + network, number, 1, TransportProtocol.TcpAccepted);

    /// <summary>Takes one that the room must have a place for; says which one has given way.</summary>
    private TcpConnection? Take(TransportAddress remote)
    {
        Assert.True(_room.TryAccept(remote, out TcpConnection? givesWay));
        if (givesWay is not null)
        {
            _connections.Remove(givesWay.Endpoint);
            givesWay.Dispose();
        }

        Add(remote);
        return givesWay;
    }

    /// <summary>Each is younger than all before it.</summary>
    private TcpConnection Add(TransportAddress remote)
    {
        var connection = new TcpConnection(new FileDescriptor(-1), remote, _tls, isClient: false, TimeSpan.FromSeconds(++_taken));
        _connections.Add(remote, connection);
        return connection;
    }
}
