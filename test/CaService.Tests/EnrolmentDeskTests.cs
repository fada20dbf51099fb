using System.Net;
using CertificateProfile;
using Microsoft.Data.Sqlite;

namespace CaService.Tests;

public sealed class EnrolmentDeskTests : AsyncTests
{
    private const string Valid = "SELECT count(*) FROM certificates WHERE status = 'valid'";
    private readonly TestCa _ca = new();

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public void A_machine_with_a_ticket_gets_the_certificate_of_its_address()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");

        MemberInfo info = machine.Read(machine.Decide(_ca.NewTicket(), "alpha").Certificate);

        Assert.Equal(machine.Address, info.Address);
        Assert.Equal("alpha", info.HostName);
        Assert.Equal(MemberRole.Worker, info.Role);
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("nonsense")]
    [InlineData("00000000:00000000000000000000000000000000")]
    public void Without_a_right_ticket_nobody_is_admitted(string? ticket)
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        string good = _ca.NewTicket();
        string wrongSecret = good[..^1] + (good[^1] == '0' ? '1' : '0');

        Assert.Equal(401, machine.Decide(ticket).Status);
        Assert.Equal(401, machine.Decide(wrongSecret).Status);
        Assert.Equal(401, _ca.Desk.Examine(machine.Ask(ticket))!.Status);
        Assert.Equal(0, _ca.Count(Valid));
    }

    [Fact]
    public void A_ticket_admits_so_many_machines_and_no_more()
    {
        string ticket = _ca.NewTicket(uses: 2);
        using var first = new TestMachine(_ca, "127.1.2.3");
        using var second = new TestMachine(_ca, "127.1.2.4");
        using var third = new TestMachine(_ca, "127.1.2.5");

        Assert.Equal(200, first.Decide(ticket).Status);
        Assert.Equal(200, second.Decide(ticket).Status);
        Decision refused = third.Decide(ticket);

        Assert.Equal(403, refused.Status);
        Assert.Contains("used up", refused.Text, StringComparison.Ordinal);
        Assert.Equal(200, first.Decide(ticket).Status);
    }

    [Fact]
    public void A_machine_that_takes_one_address_after_the_other_gets_so_many_and_no_more()
    {
        string ticket = _ca.NewTicket(uses: 1);
        using var machine = new TestMachine(_ca, "127.1.2.1");
        Ask At(int last) => new(machine.PublicKey, IPAddress.Parse($"127.1.2.{last}"), null, ticket);
        Assert.All(Enumerable.Range(1, Certificates.MostAddresses), last => Assert.Equal(200, _ca.Desk.Decide(At(last)).Status));

        Decision refused = _ca.Desk.Decide(At(100));

        Assert.Equal(403, refused.Status);
        Assert.Contains("wow reset", refused.Text, StringComparison.Ordinal);
        Assert.Equal(403, _ca.Desk.Examine(At(100))!.Status);
        Assert.Equal(Certificates.MostAddresses, _ca.Count(Valid));

        // Approval is no way round it; what the key has it renews, and what has ended makes room.
        _ca.Ca.Database.Write(transaction => Admissions.Decide(transaction, At(1).Node, AdmissionState.Approved, _ca.Time.GetUtcNow()));
        Assert.Equal(403, _ca.Desk.Decide(At(100)).Status);
        _ca.Time.Advance(TimeSpan.FromDays(21));
        Assert.Equal(200, _ca.Desk.Decide(At(1)).Status);
        Assert.Equal(403, _ca.Desk.Decide(At(100)).Status);
        _ca.Time.Advance(TimeSpan.FromDays(10));
        Assert.Equal(200, _ca.Desk.Decide(At(100)).Status);
    }

    [Fact]
    public void A_ticket_ends_on_its_date()
    {
        string ticket = _ca.NewTicket(life: TimeSpan.FromHours(1));
        using var machine = new TestMachine(_ca, "127.1.2.3");
        _ca.Time.Advance(TimeSpan.FromHours(1.1));

        Decision refused = machine.Decide(ticket);

        Assert.Equal(403, refused.Status);
        Assert.Contains("expired", refused.Text, StringComparison.Ordinal);
    }

    [Fact]
    public void Who_asks_again_gets_the_same_certificate_and_uses_no_ticket()
    {
        string ticket = _ca.NewTicket(uses: 1);
        using var machine = new TestMachine(_ca, "127.1.2.3");

        byte[]? first = machine.Decide(ticket).Certificate;
        _ca.Time.Advance(TimeSpan.FromDays(19));

        Assert.Equal(first, machine.Decide(ticket).Certificate);
        Assert.Equal(first, machine.Decide(null).Certificate);
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM ticket_uses"));
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM certificates"));
    }

    [Fact]
    public void With_less_than_a_third_left_the_same_key_gets_a_new_one()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        MemberInfo first = machine.Read(machine.Decide(_ca.NewTicket(), "alpha").Certificate);
        _ca.Time.Advance(TimeSpan.FromDays(21));

        MemberInfo second = machine.Read(machine.Decide(null).Certificate);

        Assert.NotEqual(first.Serial, second.Serial);
        Assert.Equal("alpha", second.HostName);
        Assert.Equal(1, _ca.Count(Valid));
    }

    [Fact]
    public void Another_key_waits_until_the_certificate_of_the_address_is_over()
    {
        string ticket = _ca.NewTicket();
        using var first = new TestMachine(_ca, "127.1.2.3");
        using var second = new TestMachine(_ca, "127.1.2.3");
        MemberInfo info = first.Read(first.Decide(ticket).Certificate);

        Assert.Equal(409, second.Decide(ticket).Status);
        Assert.Equal(409, _ca.Desk.Examine(second.Ask(ticket))!.Status);

        // Not at its last second either: the next one's life begins five minutes before it is made.
        _ca.Time.Advance(info.NotAfter - _ca.Time.GetUtcNow() + TimeSpan.FromMinutes(4));
        Assert.Equal(409, second.Decide(ticket).Status);

        _ca.Time.Advance(TimeSpan.FromMinutes(2));
        MemberInfo next = second.Read(second.Decide(ticket).Certificate);
        Assert.True(next.NotBefore > info.NotAfter);
        Assert.Equal(409, first.Decide(ticket).Status);
    }

    [Fact]
    public async Task Of_many_who_ask_for_one_address_at_once_one_gets_it()
    {
        string ticket = _ca.NewTicket();
        var machines = new List<TestMachine>();
        for (int i = 0; i < 12; i++)
        {
            machines.Add(new TestMachine(_ca, "127.1.2.3"));
        }

        Decision[] decisions = await Task.WhenAll(machines.ConvertAll(machine => Task.Run(() => machine.Decide(ticket))));

        Assert.Single(decisions, decision => decision.Status == 200);
        Assert.Equal(11, decisions.Count(decision => decision.Status == 409));
        Assert.Equal(1, _ca.Count(Valid));
        machines.ForEach(machine => machine.Dispose());
    }

    [Fact]
    public async Task Of_many_who_use_the_last_of_a_ticket_at_once_one_is_admitted()
    {
        string ticket = _ca.NewTicket(uses: 1);
        var machines = new List<TestMachine>();
        for (int i = 0; i < 8; i++)
        {
            machines.Add(new TestMachine(_ca, $"127.1.3.{i + 1}"));
        }

        Decision[] decisions = await Task.WhenAll(machines.ConvertAll(machine => Task.Run(() => machine.Decide(ticket, "same"))));

        Assert.Single(decisions, decision => decision.Status == 200);
        Assert.Equal(7, decisions.Count(decision => decision.Status == 403));
        machines.ForEach(machine => machine.Dispose());
    }

    [Fact]
    public void The_database_itself_refuses_a_second_valid_certificate()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        machine.Decide(_ca.NewTicket());

        SqliteException refused = Assert.Throws<SqliteException>(() => _ca.Ca.Database.Write(transaction => transaction.Run(
            """
            INSERT INTO certificates (serial, address, key, host, role, not_before, not_after, status, der)
            SELECT 'FF', address, 'other', host, role, not_before, not_after, 'valid', der FROM certificates
            """)));

        Assert.Contains("UNIQUE", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("alpha")]
    [InlineData("manager")]
    [InlineData("localhost")]
    [InlineData("w-127-9-9-9")]
    [InlineData("Bad_Name")]
    [InlineData("")]
    [InlineData(null)]
    public void A_name_that_is_taken_reserved_or_illegal_becomes_the_automatic_one(string? wanted)
    {
        string ticket = _ca.NewTicket();
        using var first = new TestMachine(_ca, "127.1.2.3");
        using var second = new TestMachine(_ca, "127.1.2.4");
        first.Decide(ticket, "alpha");

        Assert.Equal("w-127-1-2-4", second.Read(second.Decide(ticket, wanted).Certificate).HostName);
    }

    [Fact]
    public void A_machine_that_moved_keeps_its_name_and_uses_no_second_place_of_its_ticket()
    {
        string ticket = _ca.NewTicket(uses: 1);
        using var machine = new TestMachine(_ca, "127.1.2.3");
        machine.Decide(ticket, "alpha");

        Decision moved = _ca.Desk.Decide(new Ask(machine.PublicKey, IPAddress.Parse("127.1.2.9"), "alpha", ticket));

        Assert.Equal("alpha", machine.Read(moved.Certificate).HostName);
    }

    [Fact]
    public void A_manager_stays_a_manager_when_it_renews()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        _ca.Desk.IssueByHand(machine.PublicKey, machine.Address, "manager", MemberRole.Manager);
        _ca.Time.Advance(TimeSpan.FromDays(25));

        MemberInfo info = machine.Read(machine.Decide(null, "alpha").Certificate);

        Assert.Equal(MemberRole.Manager, info.Role);
        Assert.Equal("manager", info.HostName);
    }

    /// <summary>Nobody believes those before their time, which may be a year away.</summary>
    [Fact]
    public void What_was_signed_by_a_clock_that_was_ahead_is_signed_anew_once_it_is_right_again()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        using var manager = new TestMachine(_ca, "127.1.2.4");
        byte[] former = machine.Decide(_ca.NewTicket(), "alpha").Certificate!;
        _ca.Time.Advance(TimeSpan.FromDays(25));
        machine.Read(machine.Decide(null, null, former).Certificate);
        byte[] ahead = _ca.Desk.IssueByHand(manager.PublicKey, manager.Address, "second", MemberRole.Manager);
        _ca.Time.Advance(TimeSpan.FromDays(-25));
        Overview told = _ca.Ca.Database.Read(transaction => Overview.Of(transaction, _ca.Time.GetUtcNow()));
        Assert.Equal((2, 2), (told.States[Overview.Late], told.Soon.Count));

        MemberInfo renewed = machine.Read(machine.Decide(null, null, former).Certificate);
        byte[]? again = _ca.Desk.RenewManager(ahead);

        Assert.Equal(("alpha", MemberRole.Manager), (renewed.HostName, manager.Read(again).Role));
        Assert.Equal(renewed.Serial, machine.Read(machine.Decide(null).Certificate).Serial);
        Assert.Null(_ca.Desk.RenewManager(again));
    }

    [Fact]
    public void A_machine_with_an_assigned_address_renews_it_without_a_good_ticket()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        _ca.Desk.IssueByHand(machine.PublicKey, machine.Address, "files", MemberRole.Worker);
        _ca.Time.Advance(TimeSpan.FromDays(25));

        MemberInfo info = machine.Read(machine.Decide(null, "files").Certificate);

        Assert.Equal((MemberRole.Worker, "files", machine.Address), (info.Role, info.HostName, info.Address));
    }

    [Fact]
    public void The_operator_cannot_give_a_taken_address_or_name_to_a_manager()
    {
        using var worker = new TestMachine(_ca, "127.1.2.3");
        using var manager = new TestMachine(_ca, "127.1.2.3");
        worker.Decide(_ca.NewTicket(), "alpha");

        Assert.Contains("--address", Assert.Throws<UserError>(() => _ca.Desk.IssueByHand(manager.PublicKey, manager.Address, "head", MemberRole.Manager)).Message, StringComparison.Ordinal);
        Assert.Contains("--host", Assert.Throws<UserError>(() =>
            _ca.Desk.IssueByHand(manager.PublicKey, IPAddress.Parse("127.1.2.4"), "alpha", MemberRole.Manager)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void The_audit_grows_by_a_line_for_each_deed_and_shows_a_change()
    {
        using var machine = new TestMachine(_ca, "127.1.2.3");
        machine.Decide(_ca.NewTicket());
        Assert.Equal(3, _ca.Count("SELECT count(*) FROM audit"));
        Assert.Null(_ca.Ca.Database.Read(transaction => Audit.FindBreak(transaction)));

        Assert.Throws<SqliteException>(() => _ca.Ca.Database.Write(transaction => transaction.Run("UPDATE audit SET detail = 'x' WHERE id = 2")));
        Assert.Throws<SqliteException>(() => _ca.Ca.Database.Write(transaction => transaction.Run("DELETE FROM audit")));

        _ca.Ca.Database.Write(transaction => transaction.Run("DROP TRIGGER audit_keeps") + transaction.Run("UPDATE audit SET detail = 'x' WHERE id = 2"));
        Assert.Equal(2, _ca.Ca.Database.Read(transaction => Audit.FindBreak(transaction)));
    }

    [Fact]
    public void Tickets_are_kept_as_hashes_only()
    {
        string secret = _ca.NewTicket().Split(':')[1];

        Assert.Equal(0, _ca.Count($"SELECT count(*) FROM tickets WHERE id LIKE '%{secret}%' OR CAST(hash AS TEXT) LIKE '%{secret}%'"));
        Assert.Equal(0, _ca.Count($"SELECT count(*) FROM audit WHERE detail LIKE '%{secret}%'"));
    }
}
