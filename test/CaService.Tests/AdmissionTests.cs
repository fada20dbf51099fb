using System.Net;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CertificateProfile;
using Ipopd.Enroll;

namespace CaService.Tests;

/// <summary>Who is admitted under each policy, and what those who wait can make the CA keep.</summary>
public sealed class AdmissionTests : AsyncTests
{
    private const string Waiting = "SELECT count(*) FROM admissions WHERE state = 'waiting'";
    private readonly TestCa _ca = new();

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public void By_ticket_is_the_policy_of_a_new_pool_and_who_was_approved_needs_none()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        Assert.Equal((AdmissionPolicy.Ticket, 401), (Policy, machine.Decide(null).Status));

        Say(machine, AdmissionState.Approved);

        Assert.Null(_ca.Desk.Examine(machine.Ask(null)));
        Assert.Equal("alpha", machine.Read(machine.Decide(null, "alpha").Certificate).HostName);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void By_hand_a_new_machine_waits_whatever_ticket_it_has_until_it_is_approved(bool hasTicket)
    {
        Set(AdmissionPolicy.Manual);
        string? ticket = hasTicket ? _ca.NewTicket() : "no:ticket";
        using var machine = new TestMachine(_ca, "127.1.2.3");

        Decision told = machine.Decide(ticket, "alpha");
        AdmissionRow row = Row(machine)!;

        Assert.Equal(EnrolmentStatus.Waiting, told.Status);
        Assert.Contains(NodeKey.AddressOf(machine.PublicKey), told.Text, StringComparison.Ordinal);
        Assert.Equal((AdmissionState.Waiting, machine.Address, "alpha", hasTicket ? Ticket.IdOf(ticket) : null), (row.State, row.Address, row.Host, row.Ticket));
        Say(machine, AdmissionState.Approved);
        Assert.Equal("alpha", machine.Read(machine.Decide(ticket, "alpha").Certificate).HostName);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM ticket_uses"));
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM certificates WHERE ticket IS NOT NULL"));
    }

    [Fact]
    public void Where_a_ticket_helps_the_machine_is_told_what_to_type_and_after_a_revocation_the_policy_says_whether_one_does()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        Assert.Contains("wow enroll --ticket ID:SECRET", machine.Decide(null).Text, StringComparison.Ordinal);
        Assert.Contains("wow enroll --ticket ID:SECRET", machine.Decide("no:ticket").Text, StringComparison.Ordinal);
        Assert.Equal(200, machine.Decide(_ca.NewTicket(), "alpha").Status);
        new RevocationDesk(_ca.Ca, _ca.Time).Revoke("alpha", mayBeManager: false);
        Assert.Contains("With another key (wow reset) and a ticket it", machine.Decide(null).Text, StringComparison.Ordinal);
        Set(AdmissionPolicy.List);
        Assert.Contains("With another key (wow reset) that the administrator approves (wow-ca approve) it", machine.Decide(null).Text, StringComparison.Ordinal);
    }

    [Fact]
    public void By_list_those_alone_come_in_who_were_named_and_nobody_waits()
    {
        Set(AdmissionPolicy.List);
        using var named = new TestMachine(_ca, "127.1.2.3");
        using var other = new TestMachine(_ca, "127.1.2.4");
        Say(named, AdmissionState.Approved);

        Decision refused = other.Decide(_ca.NewTicket());

        Assert.Equal((200, 401), (named.Decide(null).Status, refused.Status));
        Assert.Contains($"no ticket helps. Send the pool's administrator this machine's key, who types: wow-ca approve {NodeKey.AddressOf(other.PublicKey)}", refused.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("wow enroll", refused.Text, StringComparison.Ordinal);
        Assert.Equal(0, _ca.Count(Waiting));
    }

    [Theory]
    [InlineData((int)AdmissionPolicy.Ticket)]
    [InlineData((int)AdmissionPolicy.List)]
    [InlineData((int)AdmissionPolicy.Manual)]
    public void Who_was_denied_comes_in_by_no_policy_and_by_no_ticket(int policy)
    {
        Set((AdmissionPolicy)policy);
        using var machine = new TestMachine(_ca, "127.1.2.3");
        Say(machine, AdmissionState.Denied);

        Decision denied = machine.Decide(_ca.NewTicket());
        Assert.Equal(403, denied.Status);
        Assert.Contains($"no ticket changes that. If it shall come all the same, he types: wow-ca approve {NodeKey.AddressOf(machine.PublicKey)}", denied.Text, StringComparison.Ordinal);
        Assert.DoesNotContain("wow enroll", denied.Text, StringComparison.Ordinal);
        Assert.Equal(403, _ca.Desk.Examine(machine.Ask(_ca.NewTicket()))!.Status);

        Say(machine, AdmissionState.Approved);
        Assert.Equal(200, machine.Decide(null).Status);
    }

    [Fact]
    public void Who_has_a_certificate_renews_it_under_every_policy_and_without_it_has_to_be_approved()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        MemberInfo first = machine.Read(machine.Decide(_ca.NewTicket()).Certificate);
        Set(AdmissionPolicy.Manual);

        Assert.Equal(200, machine.Decide(null).Status);
        _ca.Time.Advance(first.NotAfter - _ca.Time.GetUtcNow() + TimeSpan.FromMinutes(6));
        Assert.Equal(202, machine.Decide(null).Status);
    }

    [Fact]
    public void Who_was_revoked_is_not_admitted_by_an_approval()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        string serial = machine.Read(machine.Decide(_ca.NewTicket()).Certificate).Serial;
        new RevocationDesk(_ca.Ca, _ca.Time).Revoke(serial, false);
        Say(machine, AdmissionState.Approved);
        Assert.Equal(403, machine.Decide(null).Status);
    }

    [Fact]
    public void Who_waits_proves_its_address_before_it_is_noted_and_then_again_every_ten_minutes()
    {
        Set(AdmissionPolicy.Manual);
        using var machine = new TestMachine(_ca, "127.1.2.3");

        Assert.Null(_ca.Desk.Examine(machine.Ask(null)));
        Assert.Equal(0, _ca.Count(Waiting));
        machine.Decide(null);
        Assert.Equal(202, _ca.Desk.Examine(machine.Ask(null))!.Status);
        Assert.Null(_ca.Desk.Examine(new Ask(machine.PublicKey, IPAddress.Parse("127.1.2.4"), null, null)));
        _ca.Time.Advance(TimeSpan.FromMinutes(11));
        Assert.Null(_ca.Desk.Examine(machine.Ask(null)));
    }

    [Fact]
    public void Of_one_address_one_key_waits_so_nobody_fills_the_table_from_one_machine()
    {
        Set(AdmissionPolicy.Manual);
        for (int i = 0; i < 20; i++)
        {
            using var machine = new TestMachine(_ca, "127.1.2.3");
            Assert.Equal(202, machine.Decide(null).Status);
            Assert.NotNull(Row(machine));
        }

        Assert.Equal(1, _ca.Count(Waiting));
    }

    [Fact]
    public void A_thousand_wait_the_next_is_told_and_takes_the_place_of_who_fell_silent()
    {
        Set(AdmissionPolicy.Manual);
        _ca.Ca.Database.Write(transaction => Enumerable.Range(0, Admissions.MostWaiting).All(i =>
            Admissions.Wait(transaction, i.ToString("x40", null), new IPAddress([127, 2, (byte)(i >> 8), (byte)i]), null, null, _ca.Time.GetUtcNow())));
        using var machine = new TestMachine(_ca, "127.1.2.3");
        using var named = new TestMachine(_ca, "127.1.2.4");
        Say(named, AdmissionState.Approved);

        Assert.Equal((503, 200), (machine.Decide(null).Status, named.Decide(null).Status));
        _ca.Time.Advance(Admissions.Silence - TimeSpan.FromMinutes(1));
        Assert.Equal(503, machine.Decide(null).Status);
        _ca.Time.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal(202, machine.Decide(null).Status);
        Assert.Equal(1, _ca.Count(Waiting));
    }

    [Theory]
    [InlineData(8)]
    [InlineData(-400)]
    public void Who_is_gone_is_forgotten_also_when_the_clock_was_wrong(int days)
    {
        Set(AdmissionPolicy.Manual);
        using var gone = new TestMachine(_ca, "127.1.2.3");
        using var next = new TestMachine(_ca, "127.1.2.4");
        gone.Decide(null);
        _ca.Time.Advance(TimeSpan.FromDays(days));
        next.Decide(null);
        Assert.Null(Row(gone));
        Assert.NotNull(Row(next));
    }

    [Theory]
    [InlineData("Bad Name")]
    [InlineData("manager")]
    [InlineData("<b>x</b>")]
    [InlineData("a\u202Eb")]
    public void A_name_that_is_none_is_not_kept(string name)
    {
        Set(AdmissionPolicy.Manual);
        using var machine = new TestMachine(_ca, "127.1.2.3");
        machine.Decide(null, name);
        Assert.Null(Row(machine)!.Host);
    }

    [Fact]
    public async Task Over_the_wire_a_machine_waits_with_202_and_a_time_to_come_again_and_is_let_in_while_the_server_runs()
    {
        await _ca.StartAsync();
        Set(AdmissionPolicy.Manual);
        using var machine = new TestMachine(_ca, "127.79.0.2");

        EnrollReply unproven = await machine.EnrolWithoutListenerAsync(null);
        Assert.Equal((422, 0), (unproven.Status, _ca.Count(Waiting)));
        EnrollReply told = await machine.EnrolAsync(null, "alpha");
        EnrollReply again = await machine.EnrolWithoutListenerAsync(null, "alpha");
        Assert.Equal((202, 202, ExitCode.Waiting), (told.Status, again.Status, EnrolmentStatus.ExitOf(told.Status)));
        Assert.Contains(NodeKey.AddressOf(machine.PublicKey), told.Text, StringComparison.Ordinal);
        Assert.Equal("30", await RetryAfterAsync(machine));

        Say(machine, AdmissionState.Approved);
        Assert.Equal("alpha", machine.Read((await machine.EnrolAsync(null, "alpha")).Certificate).HostName);
    }

    private AdmissionPolicy Policy => _ca.Ca.Database.Read(Admissions.Policy);

    private void Set(AdmissionPolicy policy) => _ca.Ca.Database.Write(transaction => Admissions.Set(transaction, policy, _ca.Time.GetUtcNow()));

    private AdmissionRow? Row(TestMachine machine) => _ca.Ca.Database.Read(transaction => Admissions.Find(transaction, NodeKey.AddressOf(machine.PublicKey)));

    private void Say(TestMachine machine, AdmissionState state) =>
        _ca.Ca.Database.Write(transaction => Admissions.Decide(transaction, NodeKey.AddressOf(machine.PublicKey), state, _ca.Time.GetUtcNow()));

    private async Task<string?> RetryAfterAsync(TestMachine machine)
    {
        using var handler = new SocketsHttpHandler { UseProxy = false };
        handler.SslOptions.RemoteCertificateValidationCallback = (_, shown, _, _) =>
            shown is X509Certificate2 server && _ca.Ca.Authority.TryVerify(server.RawDataMemory.Span, _ca.Time.GetUtcNow(), out _, out _);
        handler.ConnectCallback = async (_, cancellation) =>
        {
            var socket = new System.Net.Sockets.Socket(System.Net.Sockets.SocketType.Stream, System.Net.Sockets.ProtocolType.Tcp);
            socket.Bind(new IPEndPoint(machine.Address, 0));
            await socket.ConnectAsync(_ca.Endpoint, cancellation);
            return new System.Net.Sockets.NetworkStream(socket, ownsSocket: true);
        };
        using var client = new HttpClient(handler);
        using var body = new StringContent(Convert.ToBase64String(EnrolmentRequest.Create(machine.Key, null)), Encoding.ASCII, "application/pkcs10");
        using HttpResponseMessage answer = await client.PostAsync(new Uri($"https://manager.lab.internal:{_ca.Endpoint.Port}/.well-known/est/simpleenroll"), body);
        Assert.Equal(HttpStatusCode.Accepted, answer.StatusCode);
        return answer.Headers.RetryAfter?.ToString();
    }
}
