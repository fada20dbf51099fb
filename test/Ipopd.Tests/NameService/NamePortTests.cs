using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;
using Ipop;
using Ipop.Addresses;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.NameService;
using Testing.Overlay;

namespace Ipopd.Tests.NameService;

/// <summary>Real sockets on the loopback and the real loop, on a thread of its own.</summary>
public sealed class NamePortTests : IDisposable
{
    /// <summary>A for 10-128-3-4.demo.internal.</summary>
    private static readonly byte[] Query =
        [0, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, .. "10-128-3-4"u8, 4, .. "demo"u8, 8, .. "internal"u8, 0, 0, 1, 0, 1];

    /// <summary>A for alpha.demo.internal, which the DHT knows or not.</summary>
    private static readonly byte[] HostQuery = [0, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 5, .. "alpha"u8, 4, .. "demo"u8, 8, .. "internal"u8, 0, 0, 1, 0, 1];

    private readonly PollLoop _loop = new();
    private readonly FakeDht _dht;
    private readonly IPEndPoint _endpoint = FreePort();
    private readonly NamePort _port;
    private readonly Thread _thread;
    private TimeSpan _ahead;

    public NamePortTests()
    {
        _port = NamePort.Open(_loop, Options(_endpoint), TransportAddress.From(_endpoint));
        var options = new VirtualNetworkOptions { Pool = "demo", Subnet = Subnet.Parse("10.128.0.0/16"), TapMac = new MacAddress(2), IsOpen = true };
        _dht = new FakeDht(new RecordPolicy(options.Subnet, isOpen: true));
        var overlay = new FakeOverlay(_dht, Peers.Bare("names"));
        _port.Serve(new VirtualNetwork(options, overlay, null, new FakeTap(), TimeSpan.Zero).Dns);
        _thread = new Thread(() => _loop.Run(() => TimeSpan.MaxValue, now => _port.EndRound(now + _ahead)));
        _thread.Start();
    }

    [Fact]
    public void A_datagram_is_answered()
    {
        using var client = new UdpClient();
        client.Client.ReceiveTimeout = 10_000;
        client.Send(Query, _endpoint);
        IPEndPoint? from = null;
        AssertAnswer(client.Receive(ref from));
    }

    [Fact]
    public void One_connection_has_several_queries_answered_in_one_piece_or_in_many()
    {
        using TcpClient client = Connect();
        NetworkStream stream = client.GetStream();
        byte[] message = [0, (byte)Query.Length, .. Query];
        stream.Write([.. message, .. message]);
        foreach (byte b in message)
        {
            stream.Write([b]);
        }

        for (int answers = 0; answers < 3; answers++)
        {
            AssertAnswer(Read(stream));
        }
    }

    [Fact]
    public void Who_says_no_more_after_its_query_gets_the_answer_that_the_dht_gives_later_and_then_the_end()
    {
        OnLoop(() => _dht.IsSlow = true);
        using TcpClient client = Connect();
        NetworkStream stream = client.GetStream();
        stream.Write([0, (byte)HostQuery.Length, .. HostQuery]);
        client.Client.Shutdown(SocketShutdown.Send);
        SpinWait.SpinUntil(() => _dht.Lookups > 0, 10_000);
        for (int round = 0; round < 3; round++)
        {
            OnLoop(() => { });
        }

        OnLoop(() => _dht.Run(TimeSpan.Zero));
        Assert.Equal(9, BinaryPrimitives.ReadUInt16BigEndian(Read(stream)));
        Assert.Equal(-1, stream.ReadByte());
    }

    [Fact]
    public void Who_says_no_more_and_is_owed_nothing_is_closed_at_once()
    {
        using TcpClient client = Connect();
        NetworkStream stream = client.GetStream();
        Ask(client);
        client.Client.Shutdown(SocketShutdown.Send);
        Assert.Equal(-1, stream.ReadByte());
    }

    [Fact]
    public void A_length_that_no_query_has_ends_the_connection()
    {
        using TcpClient client = Connect();
        client.GetStream().Write([0xff, 0xff]);
        Assert.Equal(-1, client.GetStream().ReadByte());
    }

    [Fact]
    public void A_connection_that_is_silent_for_too_long_is_closed_and_one_that_speaks_is_not()
    {
        using TcpClient client = Connect();
        Ask(client);
        Advance(NamePort.Patience - TimeSpan.FromSeconds(5));
        Ask(client);
        Assert.NotEqual(TimeSpan.MaxValue, _port.NextTick);
        Advance(NamePort.Patience + TimeSpan.FromSeconds(1));
        Assert.Equal(-1, client.GetStream().ReadByte());
        Assert.Equal(TimeSpan.MaxValue, _port.NextTick);
    }

    [Fact]
    public void When_too_many_are_connected_the_oldest_gives_way()
    {
        var clients = new List<TcpClient>();
        try
        {
            for (int count = 0; count <= NamePort.MostConnections; count++)
            {
                clients.Add(Connect());
                Ask(clients[^1]);
            }

            Assert.Equal(-1, clients[0].GetStream().ReadByte());
            Ask(clients[1]);
        }
        finally
        {
            clients.ForEach(client => client.Dispose());
        }
    }

    [Fact]
    public void A_port_that_somebody_has_is_named_with_what_to_do()
    {
        using var loop = new PollLoop();
        ConfigurationException wrong = Assert.Throws<ConfigurationException>(() => NamePort.Open(loop, Options(_endpoint), TransportAddress.From(_endpoint)));
        Assert.Contains($"[dns] listen = {_endpoint}", wrong.Message, StringComparison.Ordinal);
        Assert.EndsWith("take another address or port", wrong.Message, StringComparison.Ordinal);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _loop.Stop();
        _thread.Join();
        _port.Dispose();
        _loop.Dispose();
    }

    private static void Ask(TcpClient client)
    {
        client.GetStream().Write([0, (byte)Query.Length, .. Query]);
        AssertAnswer(Read(client.GetStream()));
    }

    private static byte[] Read(NetworkStream stream)
    {
        byte[] length = new byte[2];
        stream.ReadExactly(length);
        byte[] reply = new byte[BinaryPrimitives.ReadUInt16BigEndian(length)];
        stream.ReadExactly(reply);
        return reply;
    }

    private static void AssertAnswer(byte[] reply)
    {
        Assert.Equal((9, 1), (BinaryPrimitives.ReadUInt16BigEndian(reply), BinaryPrimitives.ReadUInt16BigEndian(reply.AsSpan(6))));
        Assert.Equal([10, 128, 3, 4], reply[^4..]);
    }

    private static IPEndPoint FreePort()
    {
        using var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return (IPEndPoint)probe.LocalEndPoint!;
    }

    private static DaemonOptions Options(IPEndPoint listen)
    {
        string file = Path.GetTempFileName();
        try
        {
            File.WriteAllText(file, $"""
                [node]
                state = /nowhere
                [pool]
                name = demo
                subnet = 10.128.0.0/16
                secret = {new string('5', 64)}
                [control]
                socket = /nowhere/socket
                [dns]
                listen = {listen}
                """);
            return DaemonOptionsReader.Load(file);
        }
        finally
        {
            File.Delete(file);
        }
    }

    private TcpClient Connect()
    {
        var client = new TcpClient { ReceiveTimeout = 10_000 };
        client.Connect(_endpoint);
        return client;
    }

    /// <summary>Has the port believe that so much time has passed, and waits until it has seen it.</summary>
    private void Advance(TimeSpan time) => OnLoop(now =>
    {
        _ahead = time;
        _port.EndRound(now + time);
        _ahead = TimeSpan.Zero;
    });

    private void OnLoop(Action work) => OnLoop(_ => work());

    private void OnLoop(Action<TimeSpan> work)
    {
        using var seen = new ManualResetEventSlim();
        _loop.Post(now =>
        {
            work(now);
            seen.Set();
        });
        Assert.True(seen.Wait(10_000));
    }
}
