using System.Text;
using CaService.Est;
using CertificateProfile;

namespace CaService.Tests;

/// <summary>A CA whose folder came back from a copy: what the pool knows of revoked and drained machines is not lost.</summary>
public sealed class HeardNoticesTests : AsyncTests
{
    private const string Lost = "4A00000000000000000000000000000A";
    private readonly TestCa _ca = new(manager: "127.79.0.1");
    private readonly List<string> _log = [];

    private RevocationDesk Revoker => new(_ca.Ca, _ca.Time);

    private DrainDesk Drained => new(_ca.Ca, _ca.StateFolder, _ca.Time);

    private string Control => Path.Combine(_ca.Folder, "control");

    private RevocationList Newest
    {
        get
        {
            Assert.True(_ca.Ca.Authority.TryReadRevocations(_ca.Ca.Database.Read(Revocations.Newest)!.Der, out RevocationList? list, out string reason), reason);
            return list;
        }
    }

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public void Whom_the_pool_knows_to_be_revoked_is_revoked_again_before_the_first_list()
    {
        using var before = new TestMachine(_ca, "127.79.0.2");
        using var after = new TestMachine(_ca, "127.79.0.3");
        string ticket = _ca.NewTicket();
        string known = before.Read(before.Decide(ticket, "alpha").Certificate).Serial;
        byte[] unknown = after.MadeInCopy("beta", MemberRole.Worker);
        ulong number = Number + 1000;
        Put(number, known, after.Read(unknown).Serial);

        HeardNotices heard = Heard();
        heard.LookForRevoked();
        heard.LookForRevoked();

        Assert.True(Newest.Number > number && Newest.Contains(known) && Newest.Contains(after.Read(unknown).Serial));
        Assert.Equal(EnrolmentStatus.TicketSpent, before.Decide(ticket, "alpha").Status);
        Assert.StartsWith($"heard revoked=2 list={number}", Assert.Single(_log), StringComparison.Ordinal);
        Assert.Equal($"number={number} certificates=2 machines=1", Audited());

        // It shows its certificate: from then on its key is known.
        Assert.Contains("revoked=yes", Revoker.Learn(unknown), StringComparison.Ordinal);
        Assert.Equal(EnrolmentStatus.TicketSpent, after.Decide(ticket, "beta", unknown).Status);
        Assert.Equal(2, Newest.Count);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM heard"));
    }

    [Fact]
    public void What_the_CA_itself_signed_is_no_news_and_a_serial_number_leaves_when_it_cannot_be_good_any_more()
    {
        Put(Number + 1, Lost);
        Heard().LookForRevoked();
        ulong own = Newest.Number;
        File.WriteAllBytes(ListFile, Revoker.Notice(0)!.Value.File);
        Heard().LookForRevoked();
        Assert.Equal((own, true), (Newest.Number, Newest.Contains(Lost)));

        _ca.Time.Advance(PoolProfile.LeafLifetime - TimeSpan.FromDays(1));
        Assert.True(Revoker.Current().Number > own && Newest.Contains(Lost));
        _ca.Time.Advance(RevocationDesk.Life);
        Assert.True(Revoker.Current().Number > own && Newest.Contains(Lost));
        _ca.Time.Advance(RevocationDesk.Life);
        Assert.True(Revoker.Current().Number > own && !Newest.Contains(Lost));
    }

    [Fact]
    public async Task A_list_that_another_CA_signed_revokes_nobody()
    {
        await using var other = new TestCa(manager: "127.79.0.1");
        byte[] body = RevocationListIssuer.Create(other.Ca.Authority, other.Ca.Key, 5, _ca.Time.GetUtcNow(), _ca.Time.GetUtcNow() + RevocationDesk.Life, [(Lost, _ca.Time.GetUtcNow())]);
        await File.WriteAllBytesAsync(ListFile, NoticeIssuer.Sign(other.Ca.Key, RevocationListIssuer.NoticeKind, 5, body));
        Heard().LookForRevoked();
        await File.WriteAllBytesAsync(ListFile, NoticeIssuer.Sign(_ca.Ca.Key, RevocationListIssuer.NoticeKind, 5, body));
        Heard().LookForRevoked();
        await File.WriteAllBytesAsync(ListFile, new byte[1 << 18]);
        Heard().LookForRevoked();

        Assert.Equal(0, _ca.Count("SELECT count(*) FROM heard"));
        Assert.Empty(_log);
    }

    [Fact]
    public async Task The_certificate_that_the_pool_has_of_this_CA_counts_again_where_it_is_later_and_nobody_else_s()
    {
        await using var other = new TestCa(manager: "127.79.0.1");
        DateTimeOffset former = _ca.Ca.Authority.NotAfter;
        _ca.Time.Advance(TimeSpan.FromDays(400));
        string heardFile = Path.Combine(_ca.Folder, FileNames.RenewedAuthority);
        await File.WriteAllBytesAsync(heardFile, Renewed(other));
        Heard().LookForAuthority();
        byte[] damaged = Renewed(_ca);
        damaged[^1] ^= 1;
        await File.WriteAllBytesAsync(heardFile, damaged);
        Heard().LookForAuthority();
        Assert.Equal((former, 0), (_ca.Ca.Authority.NotAfter, _log.Count));

        await File.WriteAllBytesAsync(heardFile, Renewed(_ca));
        HeardNotices heard = Heard();
        heard.LookForAuthority();
        heard.LookForAuthority();
        DateTimeOffset later = _ca.Ca.Authority.NotAfter;
        Assert.True(later > former + TimeSpan.FromDays(300));
        Assert.Equal($"heard authority until={later:yyyy-MM-dd}", Assert.Single(_log));
        using CaFolder again = CaFolder.Open(_ca.StateFolder);
        Assert.Equal(later, again.Authority.NotAfter);
        Assert.NotEqual(0ul, again.AuthorityNotice().Number);
    }

    [Fact]
    public async Task A_server_takes_the_list_up_as_it_starts()
    {
        Put(Number, Lost);
        await _ca.StartAsync(settings => settings with { Notices = _ca.Folder });
        Assert.True(Newest.Contains(Lost));
        Assert.Contains("heard revoked=1", _ca.Log, StringComparison.Ordinal);
    }

    [Fact]
    public async Task No_list_is_spread_before_neighbours_had_time_to_hand_theirs_over()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(), "alpha");
        Revoker.Revoke("alpha", false);
        await using var daemon = new FakeDaemon(Control, "127.79.0.1", "127.79.0.1") { Connections = 0 };
        await using NoticePublisher publisher = NoticePublisher.OfRevocations(Revoker, _ca.StateFolder, Control, _ca.Time, _log.Add, Heard());
        await publisher.LookAsync();
        _ca.Time.Advance(RingWait.Long);
        await publisher.LookAsync();
        daemon.Connections = 1;
        await publisher.LookAsync();
        Assert.Empty(daemon.Notices);

        // What comes meanwhile is in the first list that is spread.
        Put(Number + 1000, Lost);
        _ca.Time.Advance(RingWait.Long);
        await publisher.LookAsync();
        Assert.Single(daemon.Notices);
        Assert.True(Newest.Count == 2 && Newest.Contains(Lost));
        Assert.Contains($"revocations spread={Newest.Number}", _log);
    }

    [Fact]
    public void A_damaged_list_of_drained_machines_is_not_an_empty_one_and_comes_back_from_what_machines_have()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(), "alpha");
        byte[] notice = NoticeIssuer.Sign(_ca.Ca.Key, DrainedList.NoticeKind, 7, Encoding.ASCII.GetBytes("wow-drained 1\nbeta 5\n"));
        File.WriteAllBytes(Drained.NoticePath, notice[..^1]);
        Assert.Contains("is damaged", Assert.Throws<UserError>(() => Drained.Drain(["alpha"])).Message, StringComparison.Ordinal);
        Assert.Contains("is damaged", Assert.Throws<UserError>(() => Drained.Read()).Message, StringComparison.Ordinal);

        File.WriteAllBytes(Path.Combine(_ca.Folder, FileNames.Drained), notice);
        Heard().LookForDrained();
        Drained.Drain(["alpha"]);
        Assert.Equal(["alpha", "beta"], Drained.Read().List.Machines.Select(one => one.Host));
        Assert.Equal("heard drained=1 list=7", Assert.Single(_log));

        // An older one changes nothing.
        Heard().LookForDrained();
        Assert.Equal(2, Drained.Read().List.Machines.Count);
        Assert.Equal("number=7 drained=1", Audited());
    }

    private string ListFile => Path.Combine(_ca.Folder, FileNames.Revocations);

    private ulong Number => (ulong)_ca.Time.GetUtcNow().ToUnixTimeSeconds();

    private HeardNotices Heard() => new(_ca.Ca, Revoker, Drained, _ca.Folder, _log.Add);

    /// <summary>The notice of a CA's certificate as made anew now; its folder stays as it is.</summary>
    private byte[] Renewed(TestCa ca)
    {
        byte[] der = CertificateIssuer.RenewAuthority(ca.Ca.Authority, ca.Ca.Key, _ca.Time.GetUtcNow());
        Assert.True(PoolAuthority.TryRead(der, out PoolAuthority? made, out string reason), reason);
        return NoticeIssuer.Sign(ca.Ca.Key, PoolAuthority.NoticeKind, made.NoticeNumber, der);
    }

    /// <summary>A list of this CA, where ipopd keeps what it heard.</summary>
    private void Put(ulong number, params string[] serials)
    {
        DateTimeOffset now = _ca.Time.GetUtcNow();
        byte[] body = RevocationListIssuer.Create(_ca.Ca.Authority, _ca.Ca.Key, number, now, now + RevocationDesk.Life, [.. serials.Select(serial => (serial, now))]);
        File.WriteAllBytes(ListFile, NoticeIssuer.Sign(_ca.Ca.Key, RevocationListIssuer.NoticeKind, number, body));
    }

    private string Audited() => _ca.Ca.Database.Read(transaction => Assert.Single(transaction.Query("SELECT detail FROM audit WHERE event = 'heard'", row => row.GetString(0))));
}
