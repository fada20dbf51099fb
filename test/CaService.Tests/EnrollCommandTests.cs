using System.Net;
using System.Security.Cryptography;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>The real client against the real server, with a daemon's control socket that a test holds.</summary>
public sealed class EnrollCommandTests : AsyncTests
{
    private const string Manager = "127.79.0.1";
    private readonly TestCa _ca = new(manager: Manager);
    private readonly StringWriter _output = new();
    private string? _ticket;
    private string? _host;

    public EnrollCommandTests()
    {
        Directory.CreateDirectory(State);
        File.WriteAllText(Path.Combine(State, "ca.pem"), CertificatePem.Write(_ca.Ca.Authority.Der.Span));
    }

    private string State => Path.Combine(_ca.Folder, "node");

    private string ControlSocket => Path.Combine(_ca.Folder, "control");

    public override async ValueTask DisposeAsync()
    {
        await _ca.DisposeAsync();
        await _output.DisposeAsync();
    }

    [Fact]
    public async Task A_machine_gets_its_certificate_and_tells_the_daemon()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = _ca.NewTicket();
        _host = "alpha";

        Assert.Equal(0, await RunAsync());

        MemberInfo info = Certificate();
        Assert.Equal("alpha", info.HostName);
        Assert.Equal(IPAddress.Parse("127.79.0.2"), info.Address);
        Assert.Equal(1, daemon.Reloads);
        Assert.Contains("host=alpha", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task With_a_valid_certificate_there_is_nothing_to_do_even_without_a_CA()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = _ca.NewTicket();
        Assert.Equal(0, await RunAsync());
        await _ca.StopAsync();

        Assert.Equal(0, await RunAsync());
        Assert.Equal(1, daemon.Reloads);
    }

    [Fact]
    public async Task A_certificate_that_is_good_for_long_is_shown_to_the_CA_where_that_is_asked_for()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        Directory.CreateDirectory(State);
        using var key = NodeKey.LoadOrCreate(Path.Combine(State, "node.key"));
        byte[] copied = CertificateIssuer.CreateMember(
            _ca.Ca.Authority, _ca.Ca.Key, key.ExportSubjectPublicKeyInfo(), IPAddress.Parse("127.79.0.2"), "second", MemberRole.Manager, _ca.Time.GetUtcNow());
        NodeCertificateFile.Write(Path.Combine(State, "node.pem"), copied);

        Assert.Equal(0, await RunAsync());
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM certificates WHERE host = 'second'"));
        Assert.Equal(0, await RunAsync("--show"));
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM certificates WHERE host = 'second' AND status = 'valid'"));
        Assert.Equal("second", Certificate().HostName);
    }

    [Fact]
    public async Task A_revoked_certificate_is_none_and_the_CA_says_why_there_is_no_other()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = _ca.NewTicket();
        _host = "alpha";
        Assert.Equal(0, await RunAsync());
        var desk = new RevocationDesk(_ca.Ca, _ca.Time);
        desk.Revoke("alpha", false);
        await File.WriteAllBytesAsync(Path.Combine(State, "notice-1"), desk.Notice(0)!.Value.File);

        Assert.Equal(5, await RunAsync());

        Assert.Contains("was revoked", _output.ToString(), StringComparison.Ordinal);
        Assert.Equal(1, daemon.Reloads);
    }

    [Fact]
    public async Task A_certificate_near_its_end_is_renewed_without_a_ticket()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = _ca.NewTicket();
        Assert.Equal(0, await RunAsync());
        string first = Certificate().Serial;
        _ca.Time.Advance(TimeSpan.FromDays(22));
        _ca.Desk.RenewManager(await ManagerDer());
        await _ca.StopAsync();
        await _ca.StartAsync();
        _ticket = null;

        Assert.Equal(0, await RunAsync());
        Assert.NotEqual(first, Certificate().Serial);
    }

    [Theory]
    [InlineData("00000000:00000000000000000000000000000000", 4, "unknown")]
    [InlineData(null, 4, "ticket is needed")]
    public async Task A_wrong_or_missing_ticket_ends_it_with_what_to_do(string? ticket, int exit, string says)
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = ticket;

        Assert.Equal(exit, await RunAsync());
        Assert.Contains(says, _output.ToString(), StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(State, "node.pem")));
    }

    [Fact]
    public async Task A_used_up_or_expired_ticket_ends_it_with_what_to_do()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        using var other = new TestMachine(_ca, "127.79.0.3");
        _ticket = _ca.NewTicket(uses: 1);
        Assert.Equal(200, other.Decide(_ticket).Status);

        Assert.Equal(5, await RunAsync());
        Assert.Contains("used up", _output.ToString(), StringComparison.Ordinal);

        _ticket = _ca.NewTicket(life: TimeSpan.FromHours(1));
        _ca.Time.Advance(TimeSpan.FromHours(2));
        Assert.Equal(5, await RunAsync());
        Assert.Contains("expired", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_refused_address_is_given_up_and_left_to_the_caller()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2", "127.79.0.3");
        using var holder = new TestMachine(_ca, "127.79.0.2");
        _ticket = _ca.NewTicket();
        Assert.Equal(200, holder.Decide(_ticket).Status);

        Assert.Equal(6, await RunAsync());
        Assert.Equal(0, await RunAsync());
        Assert.Equal(IPAddress.Parse("127.79.0.3"), Certificate().Address);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_address_is_kept_while_the_own_certificate_for_it_is_good_whoever_else_has_one(bool isDue)
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2", "127.79.0.3");
        using var holder = new TestMachine(_ca, "127.79.0.2");
        Assert.Equal(200, holder.Decide(_ca.NewTicket()).Status);
        using var key = NodeKey.LoadOrCreate(Path.Combine(State, "node.key"));
        byte[] copied = CertificateIssuer.CreateMember(
            _ca.Ca.Authority, _ca.Ca.Key, key.ExportSubjectPublicKeyInfo(), IPAddress.Parse("127.79.0.2"), "second", MemberRole.Manager,
            _ca.Time.GetUtcNow() - TimeSpan.FromDays(isDue ? 25 : 0));
        NodeCertificateFile.Write(Path.Combine(State, "node.pem"), copied);

        Assert.Equal(6, await RunAsync(isDue ? [] : ["--show"]));

        Assert.Contains("keeps the address", _output.ToString(), StringComparison.Ordinal);
        Assert.Equal("127.79.0.2", daemon.Address);
        Assert.Equal("second", Certificate().HostName);
    }

    [Fact]
    public async Task A_ticket_in_a_file_takes_the_place_of_the_configurations()
    {
        await _ca.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = "old:old";
        string file = Path.Combine(State, "given");

        Assert.Equal(4, await RunAsync());
        await File.WriteAllTextAsync(file, _ca.NewTicket() + "\n");
        Assert.Equal(0, await RunAsync("--ticket-file", file));
        Assert.Equal(IPAddress.Parse("127.79.0.2"), Certificate().Address);
    }

    [Theory]
    [InlineData(null, "can't be read")]
    [InlineData("", "holds no ticket")]
    [InlineData("no colon", "holds no ticket")]
    [InlineData("a:", "holds no ticket")]
    [InlineData("LONG", "holds no ticket")]
    public async Task A_file_without_a_ticket_is_named(string? text, string says)
    {
        string file = Path.Combine(State, "given");
        if (text is not null)
        {
            await File.WriteAllTextAsync(file, text == "LONG" ? "a:" + new string('b', 5000) : text);
        }

        Assert.Equal(2, await RunAsync(8443, "--ticket-file", file));
        Assert.Contains(file, _output.ToString(), StringComparison.Ordinal);
        Assert.Contains(says, _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task While_the_CA_is_away_it_comes_again()
    {
        int port = TestCa.FreePort();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = _ca.NewTicket();

        Task<int> run = RunAsync(port, "--timeout", "60");
        await Task.Delay(TimeSpan.FromSeconds(1.5));
        Assert.False(run.IsCompleted);
        await _ca.StartAsync(port: port);

        Assert.Equal(0, await run);
    }

    [Fact]
    public async Task A_CA_that_stays_away_ends_it()
    {
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = _ca.NewTicket();

        Assert.Equal(3, await RunAsync(TestCa.FreePort(), "--timeout", "1"));
        Assert.Contains("can't be reached", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_a_daemon_it_says_so()
    {
        Assert.Equal(3, await RunAsync(8443, "--timeout", "0"));
        Assert.Contains("Is ipopd running?", _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_of_another_CA_is_not_spoken_to()
    {
        await using var other = new TestCa(manager: Manager);
        await other.StartAsync();
        await using var daemon = new FakeDaemon(ControlSocket, Manager, "127.79.0.2");
        _ticket = other.NewTicket();

        Assert.Equal(3, await RunAsync(other.Endpoint.Port, "--timeout", "0"));
        Assert.Equal(string.Empty, other.Log);
    }

    [Fact]
    public async Task A_worker_cannot_play_the_CA()
    {
        using ECDsa key = NodeKey.LoadOrCreate(_ca.ManagerKey);
        byte[] worker = CertificateIssuer.CreateMember(
            _ca.Ca.Authority, _ca.Ca.Key, key.ExportSubjectPublicKeyInfo(), IPAddress.Parse(Manager), "mallory", MemberRole.Worker, _ca.Time.GetUtcNow());
        await File.WriteAllTextAsync(_ca.ManagerCertificate, CertificatePem.Write(worker));

        UserError refused = await Assert.ThrowsAsync<UserError>(() => _ca.StartAsync());

        Assert.Contains("not a manager's", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("usage")]
    [InlineData("not understood", "--config", "x", "--frob")]
    [InlineData("not understood", "--config", "x", "--timeout", "soon")]
    [InlineData("not understood", "--config", "x", "--ticket-file")]
    [InlineData("not understood", "--config", "x", "--address", "10.0.0.1")]
    public void Wrong_usage_says_what_to_do(string says, params string[] args)
    {
        Assert.Equal(2, EnrollCommand.Run(args, _ => Options(8443), _output, _ca.Time));
        Assert.Contains(says, _output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_state_folder_without_the_CA_certificate_is_named()
    {
        await File.WriteAllTextAsync(Path.Combine(State, "ca.pem"), "nothing");

        Assert.Equal(2, await RunAsync(8443));
        Assert.Contains("ca.pem", _output.ToString(), StringComparison.Ordinal);
    }

    private Task<int> RunAsync(params string[] args) => RunAsync(_ca.Endpoint.Port, args);

    private Task<int> RunAsync(int port, params string[] args) =>
        OwnThread.Run(() => EnrollCommand.Run(["--config", "test", .. args], _ => Options(port), _output, _ca.Time));

    private EnrollOptions Options(int port) => new()
    {
        State = State,
        ControlSocket = ControlSocket,
        CaPort = port,
        PossessionPort = _ca.PossessionPort,
        Host = _host,
        Ticket = _ticket,
    };

    private MemberInfo Certificate()
    {
        Assert.True(CertificatePem.TryRead(File.ReadAllText(Path.Combine(State, "node.pem")), out byte[]? der));
        Assert.True(_ca.Ca.Authority.TryVerify(der, _ca.Time.GetUtcNow(), out MemberInfo? info, out string reason), reason);
        return info;
    }

    private async Task<byte[]> ManagerDer() =>
        CertificatePem.TryRead(await File.ReadAllTextAsync(_ca.ManagerCertificate), out byte[]? der) ? der : [];
}
