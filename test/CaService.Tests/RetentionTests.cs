using System.Globalization;
using CaService.Est;
using CertificateProfile;
using Microsoft.Data.Sqlite;

namespace CaService.Tests;

/// <summary>What a CA of many years keeps, and what goes.</summary>
public sealed class RetentionTests : AsyncTests
{
    /// <summary>A machine renews when a third of its 30 days is left.</summary>
    private static readonly TimeSpan Round = TimeSpan.FromDays(21);

    private static readonly TimeSpan Long = TimeSpan.FromDays(20 * 365);

    private readonly TestCa _ca = new("127.0.0.0/8", "127.82.0.1");

    private RevocationDesk Revoker => new(_ca.Ca, _ca.Time);

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public void A_certificate_goes_90_days_after_its_end_and_its_address_and_name_are_free_as_before()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        using var gone = new TestMachine(_ca, "127.82.1.2");
        using var next = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long);
        gone.Decide(ticket, "gone");
        Live(machine, ticket, rounds: 16);
        Assert.Equal((0, 1), (Count("certificates WHERE host = 'gone'"), Count("certificates WHERE status = 'valid'")));

        // Something was signed on eight days since the tenth round less one: by then the third one was over for 90 days, and the fourth was not.
        Assert.Equal(13, Rows(machine));
        Assert.Equal((200, "gone"), (next.Decide(ticket, "gone").Status, _ca.Ca.Database.Read(transaction => Revocations.Find(transaction, "127.82.1.2")).Single().Host));
        Assert.Equal("valid", _ca.Ca.Database.Read(transaction => Revocations.Find(transaction, "gone")).Single().Status);
    }

    [Fact]
    public void A_revoked_one_stays_until_a_list_after_its_end_had_it()
    {
        using var revoked = new TestMachine(_ca, "127.82.1.1");
        DateTimeOffset end = revoked.Read(revoked.Decide(_ca.NewTicket(), "revoked").Certificate).NotAfter;
        Revoker.Revoke("revoked", false);
        _ca.Time.Advance(end - _ca.Time.GetUtcNow() - TimeSpan.FromHours(1));
        Assert.Single(Listed());
        _ca.Time.Advance(TimeSpan.FromDays(400));
        Assert.Single(Listed());
        _ca.Time.Advance(RevocationDesk.Life);
        Assert.Empty(Listed());
    }

    [Fact]
    public void The_row_of_a_revoked_one_stays_while_no_list_after_its_end_had_it()
    {
        using var revoked = new TestMachine(_ca, "127.82.1.1");
        using var machine = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long);
        revoked.Decide(ticket, "revoked");
        Revoker.Revoke("revoked", false);
        Live(machine, ticket, rounds: 15, lists: false);
        Assert.Equal(1, Count("revocations"));
        Assert.Single(Listed());
        Live(machine, ticket, rounds: 1);
        Assert.Equal((0, 0), (Count("revocations"), Rows(revoked)));
        Assert.Empty(Listed());
    }

    [Fact]
    public void A_serial_number_that_was_heard_of_goes_as_a_revoked_one_does()
    {
        using var machine = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long);
        Revoker.RevokeUnknown("4A00000000000000000000000000000A");
        Live(machine, ticket, rounds: 15, lists: false);
        Assert.Equal(1, Count("heard"));
        Revoker.Current();
        Live(machine, ticket, rounds: 1);
        Assert.Equal(0, Count("heard"));
    }

    [Fact]
    public void A_key_that_was_revoked_gets_no_certificate_after_its_rows_are_gone_and_the_list_is_spread_on()
    {
        using var revoked = new TestMachine(_ca, "127.82.1.1");
        using var machine = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long);
        revoked.Decide(ticket, "revoked");
        _ca.Time.Advance(Round);
        revoked.Decide(ticket, "revoked");
        Assert.Equal(2, Revoker.Revoke("revoked", false).Revoked);
        Live(machine, ticket, rounds: 20);
        Assert.Equal((0, 0), (Count("revocations"), Rows(revoked)));
        Assert.Equal(EnrolmentStatus.TicketSpent, revoked.Decide(ticket, "revoked").Status);
        Assert.NotNull(Revoker.Notice(known: 0));
    }

    /// <summary>In the time of a clock that is ahead all certificates are over, those that were revoked a moment ago as well.</summary>
    [Fact]
    public void A_clock_that_is_a_year_ahead_for_a_while_takes_no_row_away()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        using var revoked = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long);
        Live(machine, ticket, rounds: 20);
        string serial = revoked.Read(revoked.Decide(ticket, "revoked").Certificate).Serial;
        Revoker.Revoke("revoked", false);
        string kept = $"certificates WHERE not_after >= {(_ca.Time.GetUtcNow() - Retention.Kept).ToUnixTimeSeconds()}";
        int rows = Count(kept);

        _ca.Time.Advance(TimeSpan.FromDays(500));
        for (int others = 2; others < 40; others++)
        {
            using var other = new TestMachine(_ca, $"127.82.2.{others}");
            Assert.Equal(200, other.Decide(ticket).Status);
            Prune();
        }

        Assert.Contains(serial, Listed());
        _ca.Time.Advance(TimeSpan.FromDays(-500));
        Assert.Equal(rows + 38, Count(kept));
        Assert.Equal([serial], Current());
    }

    /// <summary>One enrolment by such a clock takes all others for over.</summary>
    [Fact]
    public void A_clock_that_was_ahead_for_a_while_frees_no_address_nor_name_for_good()
    {
        using TestMachine machine = new(_ca, "127.82.1.1"), revoked = new(_ca, "127.82.1.2"), other = new(_ca, "127.82.1.3"), late = new(_ca, "127.82.1.4");
        using TestMachine second = new(_ca, "127.82.1.1"), third = new(_ca, "127.82.1.2"), fourth = new(_ca, "127.82.1.4");
        string ticket = _ca.NewTicket(life: Long);
        machine.Decide(ticket, "alpha");
        _ca.Time.Advance(Round);
        machine.Decide(null, "alpha");
        revoked.Decide(ticket, "beta");
        late.Decide(ticket, "gamma");
        Revoker.Revoke("beta", false);

        _ca.Time.Advance(TimeSpan.FromDays(500));
        Assert.Equal((200, 200), (other.Decide(ticket).Status, fourth.Decide(ticket).Status));
        _ca.Time.Advance(TimeSpan.FromDays(-500));

        Assert.Equal((EnrolmentStatus.AddressTaken, EnrolmentStatus.AddressTaken), (second.Decide(ticket).Status, third.Decide(ticket).Status));
        Assert.Equal("alpha", _ca.Ca.Database.Read(transaction => Revocations.Find(transaction, "127.82.1.1").Single(row => row.Status == "valid")).Host);
        using var namesake = new TestMachine(_ca, "127.82.1.5");
        Assert.Equal("w-127-82-1-5", namesake.Read(namesake.Decide(ticket, "alpha").Certificate).HostName);

        // Who has an address by now keeps it.
        Assert.Equal(1, Count("certificates WHERE address = '127.82.1.4' AND status = 'valid'"));
        _ca.Time.Advance(TimeSpan.FromDays(60));
        Assert.Equal((200, 200), (second.Decide(ticket).Status, third.Decide(ticket).Status));
    }

    [Fact]
    public void A_ticket_goes_with_its_uses_a_while_after_its_end_and_one_that_was_ended_early_does_not_come_back()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        using var thief = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long), over = _ca.NewTicket(uses: 1000, life: TimeSpan.FromDays(1)), ended = _ca.NewTicket(life: Long);
        _ca.Ca.Database.Write(transaction =>
        {
            for (int i = 0; i < 700; i++)
            {
                Tickets.Use(transaction, over, i.ToString(CultureInfo.InvariantCulture), _ca.Time.GetUtcNow());
            }

            return Tickets.End(transaction, _ca.Ca.TicketKey, Ticket.IdOf(ended), _ca.Time.GetUtcNow());
        });
        Live(machine, ticket, rounds: 13);
        Assert.Equal((2, 1), (Count("tickets"), Count("ticket_uses")));
        Assert.Equal(EnrolmentStatus.TicketSpent, thief.Decide(ended).Status);
        Assert.Equal(EnrolmentStatus.TicketSpent, thief.Decide(over).Status);
    }

    [Fact]
    public async Task A_revoked_machine_s_ticket_is_named_when_its_first_certificate_is_gone()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        string ticket = _ca.NewTicket(life: Long);
        Live(machine, ticket, rounds: 15);
        Assert.Equal(0, Count("certificates WHERE ticket IS NOT NULL"));
        using var output = new StringWriter();
        using var error = new StringWriter();
        Assert.Equal(0, await Commands.CommandLine.RunAsync(["revoke", "127.82.1.1", "--state", _ca.StateFolder], output, error, _ca.Time));
        Assert.Contains($"Its ticket {Ticket.IdOf(ticket)} still admits", output.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void The_tables_of_a_CA_that_kept_all_shrink_by_so_many_at_once()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        Live(machine, _ca.NewTicket(life: Long), rounds: 20);
        long rows = Count("certificates");
        _ca.Ca.Database.Write(transaction => transaction.Run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
            INSERT INTO certificates SELECT 'OLD' || i, address, key, host, role, not_before - i - 90000000, not_after - i - 90000000, 'replaced', NULL, der
            FROM certificates JOIN n WHERE status = 'valid' AND address = '127.82.1.1'
            """));
        var gone = new List<int>();
        while (Retention.Step(_ca.Ca.Database, _ca.Time.GetUtcNow()) is int some and > 0)
        {
            gone.Add(some);
        }

        Assert.Equal([Retention.MostAtOnce, Retention.MostAtOnce, Retention.MostAtOnce, 1000 - (3 * Retention.MostAtOnce)], gone);
        Assert.Equal(rows, Count("certificates"));
    }

    [Fact]
    public void The_audit_keeps_five_years_and_its_chain_is_whole_from_where_it_begins()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        string ticket = _ca.NewTicket(life: Long);
        _ca.Ca.Database.Write(transaction => Enumerable.Range(0, 3 * Audit.Lot).All(i => Audit.Append(transaction, _ca.Time.GetUtcNow(), "old", $"{i}")));
        Live(machine, ticket, rounds: 8);
        Assert.Equal(3 * Audit.Lot, Count("audit WHERE event = 'old'"));
        _ca.Time.Advance(Audit.Kept);
        Live(machine, ticket, rounds: 8);
        Assert.Equal((0, 1), (Count("audit WHERE id <= 512"), Count("audit_start WHERE id = 768")));
        Assert.Equal(3, Count("audit WHERE event = 'prune'"));
        Assert.Null(_ca.Ca.Database.Read(Audit.FindBreak));
    }

    [Fact]
    public void Of_the_audit_goes_no_line_but_from_its_front_and_a_front_that_somebody_cut_off_shows()
    {
        Fill(Audit.Most + Audit.Lot + 2);
        Assert.Equal(Audit.Lot, Retention.Step(_ca.Ca.Database, _ca.Time.GetUtcNow()));
        Assert.Equal(0, Retention.Step(_ca.Ca.Database, _ca.Time.GetUtcNow()));
        Assert.InRange(Count("audit"), Audit.Most, Audit.Most + Audit.Lot);
        Assert.Throws<SqliteException>(() => Run("DELETE FROM audit WHERE id = 1000"));
        Assert.Throws<SqliteException>(() => Run("INSERT INTO audit_start VALUES (1, 'x')"));
        Assert.Equal(0, Count("audit WHERE id <= 256"));
        Run("INSERT INTO audit_start SELECT id, hash FROM audit WHERE id = 1000");
        Run("DELETE FROM audit WHERE id <= 1000");
        Assert.Equal(1001, _ca.Ca.Database.Read(transaction => (long?)(Audit.FindBreak(transaction) is { } line ? line : null)));
    }

    [Fact]
    public void Power_that_goes_in_a_step_takes_nothing_along()
    {
        using var revoked = new TestMachine(_ca, "127.82.1.1");
        using var machine = new TestMachine(_ca, "127.82.1.2");
        string ticket = _ca.NewTicket(life: Long);
        revoked.Decide(ticket, "revoked");
        Revoker.Revoke("revoked", false);
        Live(machine, ticket, rounds: 20, prune: false);
        long rows = Count("certificates");

        // The step breaks off after the revocation went and before its certificate did.
        Run("CREATE TRIGGER broken BEFORE DELETE ON certificates BEGIN SELECT RAISE(ABORT, 'no power'); END");
        Assert.Throws<SqliteException>(Prune);
        Assert.Equal((rows, 1), (Count("certificates"), Count("revocations")));
        Run("DROP TRIGGER broken");
        Prune();
        Assert.Equal((0, 0), (Rows(revoked), Count("revocations")));
    }

    [Fact]
    public async Task A_step_that_fails_is_told_once_and_the_next_one_goes_on()
    {
        using var machine = new TestMachine(_ca, "127.82.1.1");
        Live(machine, _ca.NewTicket(life: Long), rounds: 20, prune: false);
        var log = new List<string>();
        await using var pruner = new Pruner(_ca.Ca.Database, _ca.Time, log.Add);
        Run("CREATE TRIGGER broken BEFORE DELETE ON certificates BEGIN SELECT RAISE(ABORT, 'broken disk'); END");
        pruner.Step();
        pruner.Step();
        Run("DROP TRIGGER broken");
        pruner.Step();
        pruner.Step();
        Assert.Collection(log, line => Assert.Contains("broken disk", line, StringComparison.Ordinal), line => Assert.Matches("^pruned rows=7$", line));
    }

    private void Live(TestMachine machine, string ticket, int rounds, bool lists = true, bool prune = true)
    {
        for (int i = 0; i < rounds; i++)
        {
            _ca.Time.Advance(Round);
            Assert.Equal(200, machine.Decide(i == 0 ? ticket : null, "machine").Status);
            if (lists)
            {
                Revoker.Current();
            }

            if (prune)
            {
                Prune();
            }
        }
    }

    private void Prune()
    {
        while (Retention.Step(_ca.Ca.Database, _ca.Time.GetUtcNow()) > 0)
        {
        }
    }

    private void Fill(int lines) =>
        _ca.Ca.Database.Write(transaction => Enumerable.Range(0, lines).All(i => Audit.Append(transaction, _ca.Time.GetUtcNow(), "line", $"{i}")));

    private int Count(string what) => (int)_ca.Count($"SELECT count(*) FROM {what}");

    private int Run(string sql) => _ca.Ca.Database.Write(transaction => transaction.Run(sql));

    private int Rows(TestMachine machine) => _ca.Ca.Database.Read(transaction => Revocations.OfKey(transaction, NodeKey.FingerprintOf(machine.PublicKey))).Count;

    private List<string> Current() => [.. _ca.Ca.Database.Read(transaction => Revocations.Current(transaction, _ca.Time.GetUtcNow())).Select(one => one.Serial)];

    /// <summary>What the newest list has, as a machine reads it.</summary>
    private List<string> Listed()
    {
        List<string> due = Current();
        Assert.True(_ca.Ca.Authority.TryReadRevocations(Revoker.Current().Der, out RevocationList? list, out string reason), reason);
        List<string> all = _ca.Ca.Database.Read(transaction => transaction.Query("SELECT serial FROM certificates", row => row.GetString(0)));
        return [.. all.Union(due).Where(list.Contains)];
    }
}
