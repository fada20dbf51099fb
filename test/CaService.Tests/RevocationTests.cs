using System.Net;
using Brunet.Notices;
using CaService.Commands;
using CaService.Est;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

public sealed class RevocationTests : AsyncTests
{
    private readonly TestCa _ca = new(manager: "127.79.0.1");

    private RevocationDesk Revoker => new(_ca.Ca, _ca.Time);

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Theory]
    [InlineData("alpha")]
    [InlineData("ALPHA")]
    [InlineData("127.79.0.2")]
    [InlineData(null)]
    public void A_machine_is_revoked_by_name_address_or_serial_and_a_second_time_changes_nothing(string? target)
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        string serial = machine.Read(machine.Decide(_ca.NewTicket(), "alpha").Certificate).Serial;

        RevocationDesk.Outcome first = Revoker.Revoke(target ?? serial, false);
        RevocationDesk.Outcome second = Revoker.Revoke(target ?? serial, false);

        Assert.Equal(("alpha", 1), (first.Machine.Host, first.Revoked));
        Assert.Equal((0, first.List), (second.Revoked, second.List));
        Assert.True(List(_ca.Ca).Contains(serial));
        Assert.Equal(2, _ca.Count("SELECT count(*) FROM audit WHERE event IN ('revoke', 'list')"));
    }

    [Fact]
    public void A_machine_whose_name_is_another_one_s_serial_does_not_stand_in_its_place()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        using var namesake = new TestMachine(_ca, "127.79.0.3");
        string ticket = _ca.NewTicket();
        string serial = machine.Read(machine.Decide(ticket, "alpha").Certificate).Serial;
        _ca.Time.Advance(TimeSpan.FromHours(1));
        Assert.Equal(serial.ToLowerInvariant(), namesake.Read(namesake.Decide(ticket, serial.ToLowerInvariant()).Certificate).HostName);

        Assert.Equal("alpha", new DrainDesk(_ca.Ca, _ca.StateFolder, _ca.Time).Find(serial).Host);
        Assert.Equal("alpha", Revoker.Look(serial.ToLowerInvariant(), false).Machine.Host);
        Assert.Equal(("alpha", 1), (Revoker.Revoke(serial, false).Machine.Host, List(_ca.Ca).Count));
        Assert.Equal(serial.ToLowerInvariant(), Revoker.Revoke("127.79.0.3", false).Machine.Host);
    }

    [Fact]
    public void All_certificates_of_the_machine_that_have_not_ended_go()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        string ticket = _ca.NewTicket();
        string first = machine.Read(machine.Decide(ticket).Certificate).Serial;
        _ca.Time.Advance(TimeSpan.FromDays(21));
        string second = machine.Read(machine.Decide(ticket).Certificate).Serial;

        Assert.Equal(2, Revoker.Revoke(second, false).Revoked);
        RevocationList list = List(_ca.Ca);
        Assert.True(list.Contains(first) && list.Contains(second));
    }

    [Fact]
    public void Its_key_gets_no_certificate_again_and_nobody_else_its_address_until_the_end()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        using var elsewhere = new TestMachine(_ca, "127.79.0.3");
        using var other = new TestMachine(_ca, "127.79.0.2");
        string ticket = _ca.NewTicket();
        machine.Decide(ticket, "alpha");
        Revoker.Revoke("alpha", false);

        Decision again = machine.Decide(ticket, "alpha");
        Assert.Equal(EnrolmentStatus.TicketSpent, again.Status);
        Assert.Contains("was revoked", again.Text, StringComparison.Ordinal);
        Assert.Equal(EnrolmentStatus.TicketSpent, _ca.Desk.Decide(new Ask(machine.PublicKey, elsewhere.Address, null, ticket)).Status);
        Assert.Equal(EnrolmentStatus.AddressTaken, other.Decide(ticket).Status);
        _ca.Time.Advance(TimeSpan.FromDays(31));
        Assert.Equal(200, other.Decide(ticket).Status);
    }

    [Fact]
    public void Numbers_only_grow_and_entries_leave_when_a_list_after_their_end_had_them()
    {
        using var one = new TestMachine(_ca, "127.79.0.2");
        using var two = new TestMachine(_ca, "127.79.0.3");
        string ticket = _ca.NewTicket();
        one.Decide(ticket, "one");
        two.Decide(ticket, "two");
        ulong first = Revoker.Revoke("one", false).List;
        ulong second = Revoker.Revoke("two", false).List;
        Assert.True(second > first);
        Assert.Equal(2, List(_ca.Ca).Count);
        Assert.Equal(second, Revoker.Current().Number);

        _ca.Time.Advance(RevocationDesk.Life);
        ulong third = Revoker.Current().Number;
        Assert.True(third > second);
        _ca.Time.Advance(TimeSpan.FromDays(40));
        ulong after = Revoker.Current().Number;
        Assert.True(after > third);
        Assert.Equal(2, List(_ca.Ca).Count);
        _ca.Time.Advance(RevocationDesk.Life);
        Assert.True(Revoker.Current().Number > after);
        Assert.Equal(0, List(_ca.Ca).Count);
        Assert.Throws<Microsoft.Data.Sqlite.SqliteException>(() =>
            _ca.Ca.Database.Write(transaction => { Revocations.Keep(transaction, new Revocations.Signed(third, _ca.Time.GetUtcNow(), [1])); return 0; }));
    }

    /// <summary>Machines take its time for one that has come.</summary>
    [Fact]
    public void A_list_that_was_made_by_a_clock_that_was_ahead_is_made_anew_once_it_is_right_again()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        string serial = machine.Read(machine.Decide(_ca.NewTicket()).Certificate).Serial;
        Revoker.Revoke(serial, false);
        _ca.Time.Advance(TimeSpan.FromDays(400));
        Revocations.Signed ahead = Revoker.Current();
        _ca.Time.Advance(TimeSpan.FromDays(-400));

        Revocations.Signed made = Revoker.Current();

        Assert.Equal(ahead.Number + 1, made.Number);
        Assert.InRange(made.MadeAt, _ca.Time.GetUtcNow() - TimeSpan.FromMinutes(5), _ca.Time.GetUtcNow());
        Assert.True(List(_ca.Ca).Contains(serial));
        Assert.Equal(made.Number, Revoker.Current().Number);
    }

    [Fact]
    public void A_manager_is_revoked_only_when_that_is_said()
    {
        _ca.MakeManager();
        Assert.Contains("--manager", Assert.Throws<UserError>(() => Revoker.Revoke("manager", false)).Message, StringComparison.Ordinal);
        Assert.Equal(1, Revoker.Revoke("manager", true).Revoked);
        _ca.Time.Advance(TimeSpan.FromDays(25));
        Assert.Throws<UserError>(() => _ca.Desk.RenewManager(_ca.Ca.Database.Read(Certificates.All)[0].Der));
        Assert.Throws<UserError>(_ca.MakeManager);
    }

    [Fact]
    public async Task A_manager_that_the_CA_knows_nothing_of_is_revoked_by_its_certificate()
    {
        using var second = new TestMachine(_ca, "127.79.0.2");
        byte[] der = second.MadeInCopy("second");
        string file = Path.Combine(_ca.Folder, "second.pem");
        await File.WriteAllTextAsync(file, CertificatePem.Write(der));

        Assert.Contains("add --manager", await CommandAsync(2, "revoke", "--certificate", file, "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM certificates"));
        string said = await CommandAsync(0, "revoke", "--certificate", file, "--manager", "--state", _ca.StateFolder);
        Assert.Contains("second (127.79.0.2) is revoked: one certificate", said, StringComparison.Ordinal);
        Assert.True(List(_ca.Ca).Contains(second.Read(der).Serial));
        Assert.Equal(EnrolmentStatus.TicketSpent, second.Decide(_ca.NewTicket(), null, der).Status);
        Assert.Contains("already", await CommandAsync(0, "revoke", "--certificate", file, "--manager", "--state", _ca.StateFolder), StringComparison.Ordinal);
    }

    [Fact]
    public void A_certificate_names_the_machine_and_all_that_it_has_go()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        byte[] first = machine.Decide(_ca.NewTicket(), "alpha").Certificate!;
        _ca.Time.Advance(TimeSpan.FromDays(21));
        machine.Decide(null);
        byte[] copied = machine.MadeInCopy("alpha", MemberRole.Worker);
        Assert.Equal(3, Revoker.RevokeHolder(copied, false).Revoked);
        Assert.Equal(3, List(_ca.Ca).Count);

        // Also where the one that is shown has ended, and while another key has the address.
        using var later = new TestMachine(_ca, "127.79.0.3");
        byte[] ended = later.Decide(_ca.NewTicket(), "beta").Certificate!;
        _ca.Time.Advance(TimeSpan.FromDays(25));
        later.Decide(null);
        _ca.Time.Advance(TimeSpan.FromDays(10));
        Assert.Equal(1, Revoker.RevokeHolder(ended, false).Revoked);
        using var twin = new TestMachine(_ca, "127.79.0.3");
        Assert.Equal(1, Revoker.RevokeHolder(twin.MadeInCopy("beta", MemberRole.Worker), false).Revoked);
        Assert.Equal((0, false), (Revoker.RevokeHolder(first, false).Revoked, Revoker.RevokeHolder(first, false).IsNew));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_machine_whose_certificates_have_all_ended_does_not_come_back(bool byName)
    {
        using var laptop = new TestMachine(_ca, "127.79.0.2");
        string ticket = _ca.NewTicket();
        byte[] ended = laptop.Decide(ticket, "alpha").Certificate!;
        string file = Path.Combine(_ca.Folder, "alpha.pem");
        await File.WriteAllTextAsync(file, CertificatePem.Write(ended));
        await CommandAsync(0, "approve", laptop.Ask(null).Node, "--state", _ca.StateFolder);
        _ca.Time.Advance(TimeSpan.FromDays(31));

        string[] revoke = ["revoke", .. byName ? ["alpha"] : (string[])["--certificate", file], "--state", _ca.StateFolder];
        string said = await CommandAsync(0, revoke);
        Assert.Contains("alpha (127.79.0.2) is revoked. Its last certificate ended at ", said, StringComparison.Ordinal);
        Assert.Contains("Its key was approved, and is denied now.", said, StringComparison.Ordinal);
        Assert.Contains("already", await CommandAsync(0, revoke), StringComparison.Ordinal);

        Assert.Contains("no approval changes that", await CommandAsync((int)ExitCode.Usage, "approve", laptop.Ask(null).Node, "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Equal(EnrolmentStatus.TicketSpent, laptop.Decide(null).Status);
        Assert.Equal(EnrolmentStatus.TicketSpent, laptop.Decide(ticket).Status);
        Assert.Equal(AdmissionState.Denied, _ca.Ca.Database.Read(transaction => Admissions.Find(transaction, laptop.Ask(null).Node))!.State);
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM audit WHERE event = 'revoke'"));
    }

    [Fact]
    public void A_machine_that_the_CA_forgot_is_banned_by_its_ended_certificate()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        byte[] ended = machine.MadeInCopy("second", MemberRole.Worker);
        _ca.Time.Advance(TimeSpan.FromDays(31));

        Assert.Equal((0, true), (Revoker.RevokeHolder(ended, false).Revoked, Revoker.RevokeHolder(ended, false).Machine.Host == "second"));
        Assert.Equal(EnrolmentStatus.TicketSpent, machine.Decide(_ca.NewTicket()).Status);
    }

    [Fact]
    public async Task What_was_made_anew_in_a_copy_is_known_when_it_is_shown_and_goes_with_the_former()
    {
        await _ca.StartAsync();
        using var second = new TestMachine(_ca, "127.79.0.2");
        byte[] first = second.MadeInCopy("second");
        Assert.Equal(first, (await second.EnrolAsync(null, null, first)).Certificate);
        _ca.Time.Advance(TimeSpan.FromDays(5));
        byte[] stamped = second.MadeInCopy("second");

        Assert.Equal(stamped, (await second.EnrolAsync(null, null, stamped)).Certificate);
        Assert.Equal(stamped, (await second.EnrolAsync(null, null, first)).Certificate);
        Assert.Equal(2, Revoker.Revoke("second", true).Revoked);
    }

    [Fact]
    public async Task What_a_revoked_machine_shows_later_is_revoked_too()
    {
        await _ca.StartAsync();
        using var second = new TestMachine(_ca, "127.79.0.2");
        byte[] first = second.MadeInCopy("second");
        await second.EnrolAsync(null, null, first);
        ulong before = Revoker.Revoke("second", true).List;
        _ca.Time.Advance(TimeSpan.FromDays(1));
        byte[] stamped = second.MadeInCopy("second");

        Assert.Equal(EnrolmentStatus.TicketSpent, (await second.EnrolAsync(null, null, stamped)).Status);
        RevocationList list = List(_ca.Ca);
        Assert.True(list.Number > before && list.Contains(second.Read(stamped).Serial));
        Assert.Contains("role=Manager revoked=yes", _ca.Log, StringComparison.Ordinal);

        // Once.
        await second.EnrolAsync(null, null, stamped);
        Assert.Equal(list.Number, List(_ca.Ca).Number);
    }

    [Fact]
    public async Task What_is_no_certificate_of_this_CA_is_refused_with_a_sentence()
    {
        string file = Path.Combine(_ca.Folder, "one.pem");
        async Task<string> With(string text, params string[] words)
        {
            await File.WriteAllTextAsync(file, text);
            return await CommandAsync(2, ["revoke", "--certificate", file, "--state", _ca.StateFolder, .. words]);
        }

        await using var other = new TestCa(manager: "127.79.0.1");
        other.MakeManager();
        Assert.Contains("did not sign it", await With(await File.ReadAllTextAsync(other.ManagerCertificate)), StringComparison.Ordinal);
        Assert.Contains("no machine's", await With(CertificatePem.Write(_ca.Ca.Authority.Der.Span)), StringComparison.Ordinal);
        Assert.Contains("no machine's", await With(CertificatePem.Write([0x30, 0x80, 1])), StringComparison.Ordinal);
        Assert.Contains("no certificate in PEM", await With(""), StringComparison.Ordinal);
        Assert.Contains("no certificate in PEM", await With(new string('x', 1 << 20)), StringComparison.Ordinal);
        Assert.Contains("in one way", await With(CertificatePem.Write([1]), "alpha"), StringComparison.Ordinal);
        Assert.Contains("is not there", await CommandAsync(2, "revoke", "--certificate", file + "x", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM revocations"));
    }

    [Theory]
    [InlineData("nobody")]
    [InlineData("127.79.9.9")]
    [InlineData("")]
    public void Who_is_not_known_cannot_be_revoked(string target) =>
        Assert.Contains("wow-ca list", Assert.Throws<UserError>(() => Revoker.Revoke(target, false)).Message, StringComparison.Ordinal);

    [Fact]
    public async Task What_the_CA_has_forgotten_is_revoked_by_its_serial_number_or_key()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        using var other = new TestMachine(_ca, "127.79.0.3");
        string ticket = _ca.NewTicket();
        byte[] forgotten = machine.MadeInCopy("alpha", MemberRole.Worker);
        string serial = machine.Read(forgotten).Serial;
        Assert.Contains("--unknown", await CommandAsync(2, "revoke", serial, "--state", _ca.StateFolder), StringComparison.Ordinal);

        Assert.Contains("is revoked", await CommandAsync(0, "revoke", serial.ToLowerInvariant(), "--unknown", "--state", _ca.StateFolder), StringComparison.Ordinal);
        ulong number = List(_ca.Ca).Number;
        string again = await CommandAsync(0, "revoke", serial, "--unknown", "--json", "--state", _ca.StateFolder);
        using (var reply = System.Text.Json.JsonDocument.Parse(again))
        {
            AgreedJson.MustBeReplyOf("revoke", reply.RootElement);
        }

        Assert.Equal((number, 1, true), (List(_ca.Ca).Number, List(_ca.Ca).Count, List(_ca.Ca).Contains(serial)));
        Assert.Contains("revoked=yes", Revoker.Learn(forgotten), StringComparison.Ordinal);
        Assert.Equal(EnrolmentStatus.TicketSpent, machine.Decide(ticket, null, forgotten).Status);
        Assert.Contains("The CA knows", await CommandAsync(2, "revoke", serial, "--unknown", "--state", _ca.StateFolder), StringComparison.Ordinal);

        await CommandAsync(0, "revoke", other.Ask(null).Key.ToUpperInvariant(), "--unknown", "--state", _ca.StateFolder);
        Assert.Equal(EnrolmentStatus.TicketSpent, other.Decide(ticket).Status);
        Assert.Contains("wow-ca deny", await CommandAsync(2, "revoke", other.Ask(null).Node, "--unknown", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Contains("alone", await CommandAsync(2, "revoke", serial, "--unknown", "--dry-run", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Equal(3, _ca.Count("SELECT count(*) FROM audit WHERE event = 'revoke'"));
    }

    [Fact]
    public async Task The_command_tells_what_it_did_and_of_a_ticket_that_is_still_good()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        string ticket = _ca.NewTicket(uses: 3);
        machine.Decide(ticket, "alpha");
        _ca.Time.Advance(DateTimeOffset.UtcNow - _ca.Time.GetUtcNow());

        string said = await CommandAsync(0, "revoke", "alpha", "--state", _ca.StateFolder);
        Assert.Contains("alpha (127.79.0.2) is revoked: one certificate, list ", said, StringComparison.Ordinal);
        Assert.Contains($"ticket --end {ticket.Split(':')[0]}", said, StringComparison.Ordinal);
        Assert.Contains("already", await CommandAsync(0, "revoke", "alpha", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Contains("admits nobody", await CommandAsync(0, "ticket", "--end", ticket.Split(':')[0], "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.DoesNotContain("--end", await CommandAsync(0, "revoke", "alpha", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Contains("no such ticket", await CommandAsync(2, "ticket", "--end", "00000000", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Contains("which machine", await CommandAsync(2, "revoke", "--state", _ca.StateFolder), StringComparison.Ordinal);
        Assert.Contains(" revoked ", await CommandAsync(0, "list", "--state", _ca.StateFolder), StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_list_is_served_over_HTTP()
    {
        await _ca.StartAsync();
        using var handler = new HttpClientHandler { ServerCertificateCustomValidationCallback = (_, _, _, _) => true };
        using var client = new HttpClient(handler);
        byte[] der = await client.GetByteArrayAsync(new Uri($"https://{_ca.Endpoint}/crl"));
        Assert.True(_ca.Ca.Authority.TryReadRevocations(der, out RevocationList? list, out string reason), reason);
        Assert.Equal(0, list.Count);
        Assert.Equal(HttpStatusCode.NotFound, (await client.PostAsync(new Uri($"https://{_ca.Endpoint}/crl"), null)).StatusCode);
    }

    [Fact]
    public async Task A_running_server_hands_each_new_list_to_ipopd_as_a_notice_that_nodes_believe()
    {
        await using var daemon = new FakeDaemon(Path.Combine(_ca.Folder, "control"), "127.79.0.1", "127.79.0.1");
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(), "alpha");
        var log = new List<string>();
        await using NoticePublisher publisher = NoticePublisher.OfRevocations(Revoker, _ca.StateFolder, Path.Combine(_ca.Folder, "control"), _ca.Time, log.Add);
        await publisher.LookAsync();
        Assert.Empty(daemon.Notices);

        ulong number = Revoker.Revoke("alpha", false).List;
        await publisher.LookAsync();
        await publisher.LookAsync();

        Notice notice = NoticeFile.Load(Assert.Single(daemon.Notices))!;
        Assert.Equal((RevocationListIssuer.NoticeKind, number), (notice.Kind, notice.Number));
        using var policy = new AuthorityNoticePolicy(_ca.Ca.Authority.Der.Span);
        Assert.True(policy.IsSigned(Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span));
        Assert.True(_ca.Ca.Authority.TryReadRevocations(notice.Body.Span, out RevocationList? list, out _));
        Assert.Equal((number, 1), (list.Number, list.Count));
        Assert.Contains($"revocations spread={number}", log);
    }

    [Theory]
    [InlineData(ControlCode.NoticeKnown, 1)]
    [InlineData(ControlCode.NoticeOutdated, 2)]
    public async Task What_ipopd_has_already_is_spread_and_what_it_refuses_is_tried_again(string code, int asked)
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(), "alpha");
        Revoker.Revoke("alpha", false);
        var log = new List<string>();
        string socket = Path.Combine(_ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.79.0.1", "127.79.0.1") { NoticeRefusal = code };
        await using NoticePublisher publisher = NoticePublisher.OfRevocations(Revoker, _ca.StateFolder, socket, _ca.Time, log.Add);
        await publisher.LookAsync();
        await publisher.LookAsync();
        Assert.Equal(asked, daemon.Notices.Count);
        Assert.Equal(asked == 1, Assert.Single(log).StartsWith("revocations spread=1", StringComparison.Ordinal));
    }

    [Fact]
    public async Task While_ipopd_is_away_it_is_tried_again_and_told_once()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(), "alpha");
        Revoker.Revoke("alpha", false);
        var log = new List<string>();
        string socket = Path.Combine(_ca.Folder, "control");
        await using NoticePublisher publisher = NoticePublisher.OfRevocations(Revoker, _ca.StateFolder, socket, _ca.Time, log.Add);
        await publisher.LookAsync();
        await publisher.LookAsync();
        Assert.Contains("Is ipopd running?", Assert.Single(log), StringComparison.Ordinal);
        await using var daemon = new FakeDaemon(socket, "127.79.0.1", "127.79.0.1");
        await publisher.LookAsync();
        Assert.Single(daemon.Notices);
    }

    private static RevocationList List(CaFolder ca)
    {
        Assert.True(ca.Authority.TryReadRevocations(ca.Database.Read(Revocations.Newest)!.Der, out RevocationList? list, out string reason), reason);
        return list;
    }

    private async Task<string> CommandAsync(int code, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        Assert.Equal(code, await CommandLine.RunAsync(args, output, error, _ca.Time));
        return output.ToString() + error;
    }
}
