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

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    public async Task Strangers_who_take_all_places_keep_no_member_from_renewing(int addresses)
    {
        await _ca.StartAsync(settings => settings with { PossessionTimeout = TimeSpan.FromMinutes(5), ShortPossessionTimeout = TimeSpan.FromMinutes(5) });
        using var member = new TestMachine(_ca, "127.78.0.3");
        using var other = new TestMachine(_ca, "127.78.0.4");
        string ticket = _ca.NewTicket();
        byte[] own = (await member.EnrolAsync(ticket)).Certificate!;
        using var silent = new Silent(_ca, addresses);
        List<Task<EnrollReply>> asked = silent.Ask(ticket);
        await silent.AnswerNotAsync(16);

        Assert.Equal(503, (await other.EnrolAsync(ticket)).Status);
        Assert.Equal(own, (await member.EnrolAsync(null, null, own)).Certificate);

        // One that is revoked is a stranger.
        new RevocationDesk(_ca.Ca, _ca.Time).Revoke(member.Address.ToString(), false);
        Assert.Equal(503, (await member.EnrolAsync(null, null, own)).Status);
        silent.Dispose();
        Assert.Equal(16, (await Task.WhenAll(asked)).Count(reply => reply.Status == 422));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    public async Task Where_places_are_scarce_nobody_is_waited_for_so_long_that_others_never_enrol(int addresses)
    {
        await _ca.StartAsync(settings => settings with { PossessionTimeout = TimeSpan.FromMinutes(5), ShortPossessionTimeout = TimeSpan.FromSeconds(1) });
        using var other = new TestMachine(_ca, "127.78.0.4");
        string ticket = _ca.NewTicket();
        using var silent = new Silent(_ca, addresses);
        List<Task<EnrollReply>> asked = silent.Ask(ticket);
        var left = asked.ToList();
        while (left.Count > 8)
        {
            left.Remove(await Task.WhenAny(left));
        }

        Assert.Equal(200, (await other.EnrolAsync(ticket)).Status);
        Assert.All(left, one => Assert.False(one.IsCompleted));
        silent.Dispose();
        await Task.WhenAll(asked);
    }

    [Fact]
    public async Task Strangers_who_take_all_connections_leave_some_to_members()
    {
        await _ca.StartAsync();
        using var member = new TestMachine(_ca, "127.78.0.3");
        byte[] own = (await member.EnrolAsync(_ca.NewTicket())).Certificate!;
        List<Socket> held = [];
        for (int i = 0; i < ServeSettings.MostConnections - ServeSettings.ConnectionsOfMembers; i++)
        {
            held.Add(await _ca.ConnectAsync($"127.78.1.{1 + (i / ServeSettings.MostConnectionsOfOne)}"));
        }

        Assert.True(await IsRefusedAsync());
        Assert.Equal(own, (await member.EnrolAsync(null, null, own)).Certificate);
        held.ForEach(one => one.Dispose());
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

    /// <summary>Machines that ask, twice each, and answer no possession check.</summary>
    private sealed class Silent : IDisposable
    {
        private readonly List<(TestMachine Machine, Socket Listener)> _all = [];
        private readonly List<Socket> _asked = [];
        private readonly Lock _lock = new();
        private TaskCompletionSource? _enough;
        private int _most;

        public Silent(TestCa ca, int addresses)
        {
            for (int i = 0; i < addresses; i++)
            {
                var machine = new TestMachine(ca, $"127.78.2.{i + 1}");
                var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                listener.Bind(new IPEndPoint(machine.Address, ca.PossessionPort));
                listener.Listen();
                _all.Add((machine, listener));
                _ = AcceptAsync(listener);
            }
        }

        public List<Task<EnrollReply>> Ask(string ticket) => [.. _all.SelectMany(one => Enumerable.Range(0, 2).Select(_ => one.Machine.EnrolWithoutListenerAsync(ticket)))];

        /// <summary>Waits until so many checks are left unanswered.</summary>
        public Task AnswerNotAsync(int checks)
        {
            lock (_lock)
            {
                (_most, _enough) = (checks, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
                Look();
                return _enough.Task;
            }
        }

        public void Dispose()
        {
            lock (_lock)
            {
                _all.ForEach(one => one.Listener.Dispose());
                _asked.ForEach(one => one.Dispose());
            }
        }

        private async Task AcceptAsync(Socket listener)
        {
            try
            {
                while (true)
                {
                    Socket check = await listener.AcceptAsync();
                    lock (_lock)
                    {
                        _asked.Add(check);
                        Look();
                    }
                }
            }
            catch (Exception e) when (e is SocketException or ObjectDisposedException)
            {
                // The test is over.
            }
        }

        private void Look()
        {
            if (_asked.Count >= _most)
            {
                _enough?.TrySetResult();
            }
        }
    }
}
