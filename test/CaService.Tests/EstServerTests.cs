using System.Formats.Asn1;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CaService.Commands;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

public sealed class EstServerTests : AsyncTests
{
    private readonly TestCa _ca = new(manager: "127.78.0.1");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task Cacerts_is_the_CA_with_a_length_few_headers_and_no_chunks()
    {
        await _ca.StartAsync();

        string answer = await SendAsync("GET /.well-known/est/cacerts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");

        string[] parts = answer.Split("\r\n\r\n", 2);
        Assert.StartsWith("HTTP/1.1 200", answer, StringComparison.Ordinal);
        Assert.True(parts[0].Length < 500, parts[0]);
        Assert.Contains($"Content-Length: {parts[1].Length}", parts[0], StringComparison.Ordinal);
        Assert.DoesNotContain("chunked", parts[0], StringComparison.OrdinalIgnoreCase);
        Assert.True(CertsOnly.TryReadFirst(Convert.FromBase64String(parts[1]), out byte[]? der));
        Assert.Equal(_ca.Ca.Authority.Der.ToArray(), der);
    }

    [Theory]
    [InlineData("GET", "/", 404)]
    [InlineData("GET", "/.well-known/est/fullcmc", 404)]
    [InlineData("GET", "/.well-known/est/simpleenroll", 405)]
    [InlineData("POST", "/.well-known/est/cacerts", 405)]
    [InlineData("POST", "/.well-known/est/simpleenroll", 422)]
    public async Task Other_requests_are_refused(string method, string path, int status)
    {
        await _ca.StartAsync();

        string answer = await SendAsync($"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\n????");

        Assert.StartsWith($"HTTP/1.1 {status}", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_body_over_8_KB_is_refused()
    {
        await _ca.StartAsync();

        string answer = await SendAsync("POST /.well-known/est/simpleenroll HTTP/1.1\r\nHost: x\r\nContent-Length: 8193\r\nConnection: close\r\n\r\n" + new string('A', 8193));

        Assert.Matches("^HTTP/1.1 4(13|22)", answer);
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM certificates"));
    }

    [Fact]
    public async Task Who_answers_the_possession_check_with_another_key_gets_nothing()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");
        using var thief = ECDsa.Create(ECCurve.NamedCurves.nistP256);

        EnrollReply reply = await machine.EnrolAsync(_ca.NewTicket(), answering: thief);

        Assert.Equal(422, reply.Status);
        Assert.Contains("does not hold", reply.Text, StringComparison.Ordinal);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM ticket_uses"));
    }

    [Fact]
    public async Task Who_does_not_answer_the_possession_check_gets_nothing()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");

        EnrollReply reply = await machine.EnrolWithoutListenerAsync(_ca.NewTicket());

        Assert.Equal(422, reply.Status);
        Assert.Contains("possession check", reply.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_keeps_the_possession_check_waiting_is_given_up()
    {
        await _ca.StartAsync(settings => settings with { PossessionTimeout = TimeSpan.FromSeconds(1) });
        using var machine = new TestMachine(_ca, "127.78.0.2");
        using var silent = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        silent.Bind(new IPEndPoint(machine.Address, _ca.PossessionPort));
        silent.Listen();

        EnrollReply reply = await machine.EnrolWithoutListenerAsync(_ca.NewTicket());

        Assert.Equal(422, reply.Status);
        Assert.Contains("within 1 s", reply.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_asks_from_outside_the_subnet_gets_nothing()
    {
        await using var ca = new TestCa("127.80.0.0/16", "127.80.0.1");
        await ca.StartAsync();
        using var machine = new TestMachine(ca, "127.81.0.2");

        EnrollReply reply = await machine.EnrolAsync(ca.NewTicket());

        Assert.Equal(422, reply.Status);
        Assert.Contains("subnet", reply.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_asks_too_often_has_to_wait()
    {
        await _ca.StartAsync(settings => settings with { Burst = 2, RefillEvery = TimeSpan.FromMinutes(5) });
        using var machine = new TestMachine(_ca, "127.78.0.2");
        using var other = new TestMachine(_ca, "127.78.0.3");

        Assert.Equal(401, (await machine.EnrolAsync(null)).Status);
        Assert.Equal(401, (await machine.EnrolAsync(null)).Status);
        Assert.Equal(429, (await machine.EnrolAsync(null)).Status);
        Assert.Equal(401, (await other.EnrolAsync(null)).Status);

        // The log has a line a minute of it, however often that one asks.
        int Told() => _ca.Log.Split('\n').Count(line => line.Contains("address=127.78.0.2 node=- status=429", StringComparison.Ordinal));
        Assert.Equal(429, (await machine.EnrolAsync(null)).Status);
        Assert.Equal(1, Told());
        _ca.Time.Advance(TimeSpan.FromMinutes(1.1));
        Assert.Equal(429, (await machine.EnrolAsync(null)).Status);
        Assert.Equal(2, Told());
    }

    [Fact]
    public async Task A_renewal_by_the_old_certificate_needs_no_ticket()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");
        byte[] old = (await machine.EnrolAsync(_ca.NewTicket(), "alpha")).Certificate!;

        EnrollReply reply = await machine.EnrolAsync(null, "alpha", old);

        Assert.Equal(200, reply.Status);
        Assert.Equal(old, reply.Certificate);
    }

    [Fact]
    public async Task A_certificate_that_was_made_in_a_copy_of_the_CA_is_known_once_it_was_shown_and_renewed_with_role_and_name()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");
        byte[] copied = CertificateIssuer.CreateMember(
            _ca.Ca.Authority, _ca.Ca.Key, machine.PublicKey, machine.Address, "second", MemberRole.Manager, _ca.Time.GetUtcNow());

        Assert.Equal(copied, (await machine.EnrolAsync(null, "other", copied)).Certificate);
        Assert.Equal(copied, (await machine.EnrolAsync(null, "other", copied)).Certificate);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM ticket_uses"));

        _ca.Time.Advance(TimeSpan.FromDays(22));
        MemberInfo renewed = machine.Read(machine.Decide(null, "other", copied).Certificate);
        Assert.Equal((MemberRole.Manager, "second"), (renewed.Role, renewed.HostName));

        // All that it ever had is taken back, the one that was made in the copy, too.
        Assert.Equal(2, new RevocationDesk(_ca.Ca, _ca.Time).Revoke("second", mayBeManager: true).Revoked);
        Assert.Equal(EnrolmentStatus.TicketSpent, machine.Decide(null, null, copied).Status);
    }

    [Fact]
    public async Task Whose_name_a_manager_has_by_now_gets_another_at_the_next_renewal()
    {
        await _ca.StartAsync();
        using var worker = new TestMachine(_ca, "127.78.0.3");
        Assert.Equal("second", worker.Read(worker.Decide(_ca.NewTicket(), "second").Certificate).HostName);
        using var manager = new TestMachine(_ca, "127.78.0.2");
        byte[] copied = CertificateIssuer.CreateMember(
            _ca.Ca.Authority, _ca.Ca.Key, manager.PublicKey, manager.Address, "second", MemberRole.Manager, _ca.Time.GetUtcNow());
        Assert.Equal(copied, manager.Decide(null, null, copied).Certificate);

        _ca.Time.Advance(TimeSpan.FromDays(22));
        Assert.Equal("w-127-78-0-3", worker.Read(worker.Decide(null, "second").Certificate).HostName);
        Assert.Equal("second", manager.Read(manager.Decide(null, "second").Certificate).HostName);
    }

    [Fact]
    public async Task A_certificate_that_was_taken_for_expired_by_a_clock_that_was_ahead_counts_again_when_it_is_shown()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");
        byte[] old = machine.Decide(_ca.NewTicket(), "alpha").Certificate!;
        _ca.Ca.Database.Write(transaction => Certificates.Expire(transaction, _ca.Time.GetUtcNow().AddDays(60)));
        Assert.Equal(old, machine.Decide(null, null, old).Certificate);
    }

    [Fact]
    public async Task A_renewal_with_a_certificate_of_another_address_is_refused()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");
        byte[] other = CertificateIssuer.CreateMember(
            _ca.Ca.Authority, _ca.Ca.Key, machine.PublicKey, IPAddress.Parse("127.78.0.9"), "beta", MemberRole.Worker, _ca.Time.GetUtcNow());

        EnrollReply reply = await machine.EnrolAsync(null, null, other);

        Assert.Equal(401, reply.Status);
        Assert.Contains("same key and address", reply.Text, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_client_certificate_that_breaks_RFC_3779_does_no_harm()
    {
        await _ca.StartAsync();
        using var machine = new TestMachine(_ca, "127.78.0.2");
        var request = new CertificateRequest("CN=evil", machine.Key, HashAlgorithmName.SHA256);
        var blocks = new AsnWriter(AsnEncodingRules.DER);
        using (blocks.PushSequence())
        using (blocks.PushSequence())
        {
            blocks.WriteOctetString([0, 1]);
            using (blocks.PushSequence())
            {
                blocks.WriteBitString([10, 0, 0, 0, 0, 0, 0]);
            }
        }

        request.CertificateExtensions.Add(new X509Extension("1.3.6.1.5.5.7.1.7", blocks.Encode(), critical: true));
        using X509Certificate2 evil = request.CreateSelfSigned(_ca.Time.GetUtcNow().AddDays(-1), _ca.Time.GetUtcNow().AddDays(1));

        EnrollReply reply = await machine.EnrolAsync(null, null, evil.RawData);

        Assert.NotEqual(200, reply.Status);
        Assert.Equal(200, (await machine.EnrolAsync(_ca.NewTicket())).Status);
    }

    [Fact]
    public async Task Commands_work_while_the_server_runs()
    {
        await _ca.StartAsync();
        using var output = new StringWriter();
        Assert.Equal(0, await CommandLine.RunAsync(["ticket", "--state", _ca.StateFolder, "--uses", "1", "--until", "2999-01-01"], output, output, _ca.Time));
        using var machine = new TestMachine(_ca, "127.78.0.2");

        Assert.Equal(200, (await machine.EnrolAsync(output.ToString().Trim())).Status);

        Assert.Equal(0, await CommandLine.RunAsync(["list", "--state", _ca.StateFolder], output, output, _ca.Time));
        Assert.Contains("127.78.0.2", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Many_machines_enrol_at_once()
    {
        await _ca.StartAsync(settings => settings with { MaxConcurrent = 64 });
        string ticket = _ca.NewTicket();
        var machines = new List<TestMachine>();
        for (int i = 0; i < 20; i++)
        {
            machines.Add(new TestMachine(_ca, $"127.78.1.{i + 1}"));
        }

        EnrollReply[] replies = await Task.WhenAll(machines.ConvertAll(machine => machine.EnrolAsync(ticket)));

        Assert.All(replies, reply => Assert.Equal(200, reply.Status));
        Assert.Equal(20, _ca.Count("SELECT count(DISTINCT address) FROM certificates WHERE status = 'valid' AND role = 'worker'"));
        machines.ForEach(machine => machine.Dispose());
    }

    [Fact]
    public async Task The_server_leaves_the_manager_s_certificate_to_wow_ca_renew_and_shows_the_new_one_without_a_restart()
    {
        _ca.MakeManager();
        string old = await File.ReadAllTextAsync(_ca.ManagerCertificate);
        _ca.Time.Advance(TimeSpan.FromDays(22));
        await _ca.StartAsync();
        string before = await ShownSerialAsync();

        Assert.Equal(old, await File.ReadAllTextAsync(_ca.ManagerCertificate));
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM certificates"));
        Assert.Equal(0, await CommandLine.RunAsync(["renew", "--state", _ca.StateFolder, "--out", _ca.Folder], TextWriter.Null, TextWriter.Null, _ca.Time));

        Assert.NotEqual(before, await ShownSerialAsync());
        Assert.Equal(await ShownSerialAsync(), _ca.Ca.Database.Read(Certificates.All).Single(row => row.Status == "valid").Serial);
        Assert.Equal(0, await CommandLine.RunAsync(["renew", "--state", _ca.StateFolder, "--out", _ca.Folder], TextWriter.Null, TextWriter.Null, _ca.Time));
        Assert.Equal(2, _ca.Count("SELECT count(*) FROM certificates"));
    }

    [Fact]
    public async Task An_expired_certificate_of_the_manager_is_renewed_and_admits_machines_again()
    {
        _ca.MakeManager();
        _ca.Time.Advance(TimeSpan.FromDays(40));
        Assert.Equal(0, await CommandLine.RunAsync(["renew", "--state", _ca.StateFolder, "--out", _ca.Folder], TextWriter.Null, TextWriter.Null, _ca.Time));

        await _ca.StartAsync();

        using var machine = new TestMachine(_ca, "127.78.0.2");
        Assert.Equal(200, (await machine.EnrolAsync(_ca.NewTicket())).Status);
    }

    [Fact]
    public async Task A_renewal_that_never_came_to_the_disk_is_given_again()
    {
        _ca.MakeManager();
        Assert.True(CertificatePem.TryRead(await File.ReadAllTextAsync(_ca.ManagerCertificate), out byte[]? old));
        _ca.Time.Advance(TimeSpan.FromDays(22));

        Assert.Equal(_ca.Desk.RenewManager(old), _ca.Desk.RenewManager(old));
        Assert.Equal(2, _ca.Count("SELECT count(*) FROM certificates"));
    }

    [Fact]
    public async Task A_server_certificate_of_another_pool_is_refused_with_a_sentence()
    {
        await using var other = new TestCa(manager: "127.78.0.1");
        other.MakeManager();
        File.Copy(other.ManagerCertificate, _ca.ManagerCertificate);
        File.Copy(other.ManagerKey, _ca.ManagerKey);

        UserError refused = await Assert.ThrowsAsync<UserError>(() => _ca.StartAsync());

        Assert.Contains("wow-ca manager", refused.Message, StringComparison.Ordinal);
    }

    private async Task<string> ShownSerialAsync()
    {
        using Socket socket = await _ca.ConnectAsync();
        string? serial = null;
        using var stream = new SslStream(
            new NetworkStream(socket), false, (_, shown, _, _) => (serial = shown!.GetSerialNumberString()) is not null);
        await stream.AuthenticateAsClientAsync("manager.lab.internal");
        return serial!;
    }

    private async Task<string> SendAsync(string request)
    {
        using SslStream stream = await _ca.SecureAsync();
        await stream.WriteAsync(Encoding.ASCII.GetBytes(request));
        using var reader = new StreamReader(stream);
        return await reader.ReadToEndAsync();
    }
}
