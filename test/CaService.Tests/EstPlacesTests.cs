using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;
using CaService.Est;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>What one machine may have of the CA's connections and places: never so much that others wait.</summary>
public sealed class EstPlacesTests : AsyncTests
{
    private readonly TestCa _ca = new(manager: "127.78.0.1");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task One_machine_s_connections_keep_no_other_from_the_CA()
    {
        await _ca.StartAsync();
        using var other = new TestMachine(_ca, "127.78.0.3");
        List<SslStream> held = [];
        for (int i = 0; i < ServeSettings.MostConnectionsOfOne; i++)
        {
            held.Add(await _ca.SecureAsync());
        }

        // More than all places of the port.
        for (int i = 0; i < ServeSettings.MostConnections; i++)
        {
            Assert.True(await IsRefusedAsync());
        }

        Assert.Equal(200, (await other.EnrolAsync(_ca.NewTicket())).Status);

        // Its place is free when the server says goodbye.
        await held[0].ShutdownAsync();
        Assert.Equal(0, await held[0].ReadAsync(new byte[1]));
        using SslStream again = await _ca.SecureAsync();
        Assert.True(again.IsAuthenticated);
        held.ForEach(one => one.Dispose());
    }

    [Fact]
    public async Task Who_leaves_possession_checks_unanswered_keeps_no_other_from_enrolling()
    {
        await _ca.StartAsync(settings => settings with { MaxConcurrent = ServeSettings.MostEnrolmentsOfOne + 1 });
        using var machine = new TestMachine(_ca, "127.78.0.2");
        using var other = new TestMachine(_ca, "127.78.0.3");
        var silent = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        silent.Bind(new IPEndPoint(machine.Address, _ca.PossessionPort));
        silent.Listen();
        string ticket = _ca.NewTicket();

        List<Task<EnrollReply>> asked = [.. Enumerable.Range(0, ServeSettings.MostEnrolmentsOfOne + 1).Select(_ => machine.EnrolWithoutListenerAsync(ticket))];

        Assert.Equal(503, (await await Task.WhenAny(asked)).Status);
        Assert.Equal(200, (await other.EnrolAsync(ticket)).Status);
        silent.Dispose();
        Assert.Equal(ServeSettings.MostEnrolmentsOfOne, (await Task.WhenAll(asked)).Count(reply => reply.Status == 422));
    }

    [Fact]
    public async Task Who_sends_its_request_slowly_keeps_no_other_from_enrolling()
    {
        await _ca.StartAsync(settings => settings with { MaxConcurrent = 1 });
        using var other = new TestMachine(_ca, "127.78.0.3");
        using SslStream stream = await _ca.SecureAsync();
        await stream.WriteAsync("POST /.well-known/est/simpleenroll HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 300\r\n\r\n"u8.ToArray());
        byte[] word = new byte[12];

        // The server waits for the body.
        await stream.ReadExactlyAsync(word);
        Assert.Equal("HTTP/1.1 100", Encoding.ASCII.GetString(word));
        Assert.Equal(200, (await other.EnrolAsync(_ca.NewTicket())).Status);
    }

    private async Task<bool> IsRefusedAsync()
    {
        try
        {
            using Socket socket = await _ca.ConnectAsync();
            return await socket.ReceiveAsync(new byte[1]) == 0;
        }
        catch (SocketException e) when (e.SocketErrorCode == SocketError.ConnectionReset)
        {
            return true;
        }
    }
}
