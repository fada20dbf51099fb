using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Brunet.Nat.PortMapping;
using Ipop.Linux.Gateways;

namespace Ipop.Linux.Tests.Gateways;

public sealed class HttpExchangeTests : IDisposable
{
    private static readonly byte[] Request = "GET / HTTP/1.1\r\n\r\n"u8.ToArray();

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    private readonly IPEndPoint _place;

    public HttpExchangeTests()
    {
        _listener.Start();
        _place = (IPEndPoint)_listener.LocalEndpoint;
    }

    [Fact]
    public async Task A_reply_is_read_to_the_end_of_the_connection()
    {
        Task serving = Serve("HTTP/1.1 200 OK\r\n\r\nhello", closes: true);

        Assert.Equal("HTTP/1.1 200 OK\r\n\r\nhello", await Get(TimeSpan.FromSeconds(20)));
        await serving;
    }

    [Fact]
    public async Task A_reply_that_tells_its_length_is_not_waited_for_longer()
    {
        Task serving = Serve("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", closes: false);

        Assert.EndsWith("hello", await Get(TimeSpan.FromMinutes(5)), StringComparison.Ordinal);
        await serving;
    }

    [Fact]
    public async Task A_gateway_that_says_nothing_costs_no_more_than_the_given_time()
    {
        Task serving = Serve("", closes: false);
        long begin = Stopwatch.GetTimestamp();

        Assert.Equal("", await Get(TimeSpan.FromMilliseconds(300)));
        Assert.InRange(Stopwatch.GetElapsedTime(begin).TotalSeconds, 0.2, 10);
        await serving;
    }

    [Fact]
    public async Task A_reply_without_end_is_cut()
    {
        Task serving = Serve("HTTP/1.1 200 OK\r\n\r\n" + new string('a', PortMapper.LongestReply * 2), closes: true);

        Assert.Equal(PortMapper.LongestReply, (await Get(TimeSpan.FromSeconds(20))).Length);
        await serving;
    }

    /// <summary>All of it lies ready, so no read has to wait; by the clock each takes a part of the time.</summary>
    [Fact]
    public async Task A_gateway_that_never_comes_to_an_end_is_left_when_the_time_is_over()
    {
        byte[] endless = Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\n\r\n" + new string('a', PortMapper.LongestReply));
        using var isReady = new ManualResetEventSlim();
        Task<Socket> serving = Task.Run(async () =>
        {
            Socket client = await _listener.AcceptSocketAsync();
            client.SendBufferSize = 4 * endless.Length;
            _ = await client.SendAsync(endless);
            isReady.Set();
            return client;
        });

        long looks = 0;
        long Clock()
        {
            // The first look is before the connection.
            if (looks > 0)
            {
                isReady.Wait();
            }

            return looks++ * 10_000;
        }

        ReadOnlyMemory<byte> reply = await Task.Run(() => HttpExchange.Run(IPAddress.Loopback, _place, Request, new HttpExchange.Deadline(Clock, 60_000), Make));
        Assert.Equal(0, reply.Length);
        (await serving).Dispose();
    }

    [Fact]
    public async Task Nobody_there_is_no_reply()
    {
        _listener.Stop();

        Assert.Equal("", await Get(TimeSpan.FromSeconds(5)));
    }

    public void Dispose() => _listener.Dispose();

    private static Socket Make() => new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    private async Task<string> Get(TimeSpan patience)
    {
        ReadOnlyMemory<byte> reply = await Task.Run(() => HttpExchange.Run(IPAddress.Loopback, _place, Request, patience, Make));
        return Encoding.ASCII.GetString(reply.Span);
    }

    private async Task Serve(string reply, bool closes)
    {
        using Socket client = await _listener.AcceptSocketAsync();
        byte[] buffer = new byte[1000];
        _ = await client.ReceiveAsync(buffer);
        try
        {
            await client.SendAsync(Encoding.ASCII.GetBytes(reply));
            if (closes)
            {
                client.Shutdown(SocketShutdown.Both);
            }

            // Until the other side has had enough.
            _ = await client.ReceiveAsync(buffer);
        }
        catch (SocketException)
        {
            // It closed while we still sent.
        }
    }
}
