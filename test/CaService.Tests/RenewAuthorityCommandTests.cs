using System.Text.Json;
using Brunet.Notices;
using CaService.Est;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>The CA's own certificate is renewed: when, what is signed from then on, what machines are told, and what a cut leaves.</summary>
public sealed class RenewAuthorityCommandTests : Publishing
{
    private string File => Path.Combine(Ca.StateFolder, "authority.notice");

    private string Pem => Path.Combine(Ca.StateFolder, "ca.pem");

    [Fact]
    public async Task Before_the_middle_of_its_life_nothing_is_done_unless_it_is_asked_for()
    {
        byte[] before = await System.IO.File.ReadAllBytesAsync(Pem);
        Assert.Contains("Nothing was changed.", (await RunAsync(0, "renew-authority")).Output, StringComparison.Ordinal);
        Assert.False(System.IO.File.Exists(File));
        Assert.Equal(before, await System.IO.File.ReadAllBytesAsync(Pem));
        Ca.Time.Advance(TimeSpan.FromDays(1));
        using var said = JsonDocument.Parse((await RunAsync(0, "renew-authority", "--early", "--json")).Output);
        Assert.True(said.RootElement.GetProperty("renewed").GetBoolean());
        Assert.Equal(Ca.Ca.Authority.Fingerprint, said.RootElement.GetProperty("sha256").GetString());
        Assert.NotEqual(before, await System.IO.File.ReadAllBytesAsync(Pem));
    }

    [Fact]
    public async Task A_clock_that_is_behind_makes_none_that_would_end_earlier()
    {
        byte[] before = await System.IO.File.ReadAllBytesAsync(Pem);
        Ca.Time.Advance(TimeSpan.FromDays(-1));
        Assert.Contains("set the clock. Nothing was changed.", (await RunAsync(2, "renew-authority", "--early")).Error, StringComparison.Ordinal);
        Assert.False(System.IO.File.Exists(File));
        Assert.Equal(before, await System.IO.File.ReadAllBytesAsync(Pem));
        Assert.Equal(0, Ca.Count("SELECT count(*) FROM audit WHERE event = 'renew-authority'"));
    }

    [Fact]
    public async Task After_its_end_nothing_is_signed_and_who_asks_is_told_until_it_is_renewed()
    {
        using var machine = new TestMachine(Ca, "127.1.2.3");
        string ticket = Ca.NewTicket(life: PoolProfile.AuthorityLifetime * 2);
        Ca.MakeManager();
        byte[] manager = await System.IO.File.ReadAllBytesAsync(Ca.ManagerCertificate);
        Ca.Time.Advance(PoolProfile.AuthorityLifetime + TimeSpan.FromMinutes(1));
        string today = Ca.Time.GetUtcNow().ToString("yyyy-MM-dd", System.Globalization.CultureInfo.InvariantCulture);
        Decision asked = machine.Decide(ticket);
        Assert.Equal((EnrolmentStatus.Busy, asked), (asked.Status, Ca.Desk.Examine(machine.Ask(ticket))));
        Assert.Contains("wow-ca renew-authority", asked.Text, StringComparison.Ordinal);
        Assert.Contains("wow-ca renew-authority", (await RunAsync(2, "renew", "--out", Ca.Folder)).Error, StringComparison.Ordinal);
        Assert.Contains("wow-ca renew-authority", (await RunAsync(2, "machine", "--out", Path.Combine(Ca.Folder, "files"), "--address", "127.1.2.4")).Error, StringComparison.Ordinal);
        Assert.Equal(manager, await System.IO.File.ReadAllBytesAsync(Ca.ManagerCertificate));

        await RunAsync(0, "renew-authority", "--today", today);
        await RunAsync(0, "renew", "--out", Ca.Folder);
        Assert.Equal(EnrolmentStatus.Granted, machine.Decide(ticket).Status);
    }

    [Fact]
    public async Task From_then_on_certificates_outlive_the_former_end_and_machines_are_told_by_a_notice_that_they_believe()
    {
        PoolAuthority former = Ca.Ca.Authority;
        using var policy = new AuthorityNoticePolicy(former.Der.Span);
        using var machine = new TestMachine(Ca, "127.1.2.3");
        Ca.Time.Advance(PoolProfile.AuthorityLifetime - TimeSpan.FromDays(10));
        string ticket = Ca.NewTicket();
        Assert.Equal(former.NotAfter, machine.Read(machine.Decide(ticket).Certificate).NotAfter);
        await RunAsync(0, "renew-authority", "--today", Ca.Time.GetUtcNow().ToString("yyyy-MM-dd", System.Globalization.CultureInfo.InvariantCulture));

        // The folder that was open before sees it, as a CA that serves does.
        Assert.InRange(Ca.Ca.Authority.NotAfter - former.NotAfter, TimeSpan.FromDays(3600), TimeSpan.FromDays(3652));
        Assert.Equal(former.NotBefore, Ca.Ca.Authority.NotBefore);
        using var other = new TestMachine(Ca, "127.1.2.4");
        byte[] longer = other.Decide(ticket).Certificate!;
        Assert.InRange(other.Read(longer).NotAfter, former.NotAfter.AddDays(1), DateTimeOffset.MaxValue);
        Notice notice = NoticeFile.Load(File)!;
        Assert.True(policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span) && policy.MayCount(notice));
        Assert.Equal((7, Ca.Ca.Authority.NoticeNumber), (notice.Kind, notice.Number));
        Assert.True(PoolAuthority.TryRead(notice.Body.Span, out PoolAuthority? told, out _) && told.IsSameAs(former));
        Ca.Time.Advance(TimeSpan.FromDays(11));
        Assert.True(told.TryVerify(longer, Ca.Time.GetUtcNow(), out _, out string reason), reason);
        Assert.False(former.TryVerify(longer, Ca.Time.GetUtcNow(), out _, out _));
    }

    [Fact]
    public async Task The_server_tells_ipopd_of_it_once_and_of_none_before()
    {
        string socket = Path.Combine(Ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        await using var publisher = NoticePublisher.OfAuthority(Ca.Ca, socket, Ca.Time, _ => { });
        await publisher.LookAsync();
        Assert.Empty(daemon.Notices);
        Ca.Time.Advance(TimeSpan.FromSeconds(30));
        await RunAsync(0, "renew-authority", "--early");
        await publisher.LookAsync();
        await publisher.LookAsync();
        Assert.Equal([File], daemon.Notices);
    }

    [Fact]
    public async Task A_cut_before_ca_pem_was_written_is_set_right_by_the_next_who_opens_the_folder()
    {
        byte[] before = await System.IO.File.ReadAllBytesAsync(Pem);
        Ca.Time.Advance(TimeSpan.FromDays(1));
        await RunAsync(0, "renew-authority", "--early");
        byte[] after = await System.IO.File.ReadAllBytesAsync(Pem);
        await System.IO.File.WriteAllBytesAsync(Pem, before);
        await RunAsync(0, "list");
        Assert.Equal(after, await System.IO.File.ReadAllBytesAsync(Pem));
        Assert.Equal(1, Ca.Count("SELECT count(*) FROM audit WHERE event = 'renew-authority'"));
    }

    [Fact]
    public async Task A_damaged_notice_keeps_the_CA_from_nothing_is_told_and_is_mended_by_another_renewal()
    {
        string socket = Path.Combine(Ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        List<string> log = [];
        await using var publisher = NoticePublisher.OfAuthority(Ca.Ca, socket, Ca.Time, log.Add);
        Ca.Time.Advance(TimeSpan.FromDays(1));
        await RunAsync(0, "renew-authority", "--early");
        byte[] whole = await System.IO.File.ReadAllBytesAsync(File), pem = await System.IO.File.ReadAllBytesAsync(Pem);
        using var thief = System.Security.Cryptography.ECDsa.Create(System.Security.Cryptography.ECCurve.NamedCurves.nistP384);
        foreach (byte[] bytes in (byte[][])[[], [1], whole[..^1], new byte[5000], NoticeIssuer.Sign(Ca.Ca.Key, 7, 5, Ca.Ca.Authority.Der.Span), NoticeIssuer.Sign(thief, 7, 5, [1])])
        {
            await System.IO.File.WriteAllBytesAsync(File, bytes);
            await RunAsync(0, "list");
            Assert.Equal(pem, await System.IO.File.ReadAllBytesAsync(Pem));
            await publisher.LookAsync();
            Assert.Contains("authority spread=no reason=", Assert.Single(log), StringComparison.Ordinal);
        }

        Assert.Empty(daemon.Notices);
        Ca.Time.Advance(TimeSpan.FromDays(1));
        await RunAsync(0, "renew-authority", "--early");
        await publisher.LookAsync();
        Assert.Equal([File], daemon.Notices);
    }

    [Fact]
    public async Task A_disk_that_takes_no_ca_pem_keeps_a_CA_that_serves_from_no_renewal()
    {
        PoolAuthority former = Ca.Ca.Authority;
        Ca.Time.Advance(TimeSpan.FromDays(1));
        await RunAsync(0, "renew-authority", "--early");

        // A folder in its place: nothing can be renamed over it.
        System.IO.File.Delete(Pem);
        Directory.CreateDirectory(Path.Combine(Pem, "full"));
        for (int i = 0; i < 2; i++)
        {
            Assert.InRange(Ca.Ca.Authority.NotAfter, former.NotAfter.AddHours(1), DateTimeOffset.MaxValue);
        }
    }
}
