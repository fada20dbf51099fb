using System.Text;
using System.Text.Json;
using CaService.Admin;
using CaService.Commands;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>An administrator gives machines no more jobs: what is signed, what is refused, and what the audit has.</summary>
public sealed class DrainCommandTests : Publishing
{
    private string File => Path.Combine(Ca.StateFolder, "drained.notice");

    [Fact]
    public async Task Machines_are_a_notice_that_all_believe_and_come_back_with_a_higher_number()
    {
        await AdmitAsync("beta", "127.81.0.9");
        await AdmitAsync("alpha", "127.81.0.8");
        Assert.Contains("No machine is drained", (await RunAsync(0, "drain")).Output, StringComparison.Ordinal);
        Assert.False(System.IO.File.Exists(File));
        long since = Ca.Time.GetUtcNow().ToUnixTimeSeconds();
        Assert.Contains("  beta, since ", (await RunAsync(0, "drain", "beta")).Output, StringComparison.Ordinal);
        Brunet.Notices.Notice first = NoticeFile.Load(File)!;
        long beta = Since(first, "beta");
        Assert.InRange(beta, since, Ca.Time.GetUtcNow().ToUnixTimeSeconds());
        Assert.Equal((8, $"wow-drained 1\nbeta {beta}\n"), (first.Kind, Encoding.ASCII.GetString(first.Body.Span)));
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        Assert.True(policy.IsSigned(Brunet.Notices.Notice.Content(first.Kind, first.Number, first.Body.Span), first.Signature.Span));

        // By its address, and once more: it stays drained since it was.
        Ca.Time.Advance(TimeSpan.FromHours(1));
        using (JsonDocument both = await JsonAsync("drain", "127.81.0.8", "BETA"))
        {
            Assert.Equal(["alpha", "beta"], Hosts(both));
        }

        Brunet.Notices.Notice second = NoticeFile.Load(File)!;
        long alpha = Since(second, "alpha");
        Assert.InRange(alpha, since + 3600, Ca.Time.GetUtcNow().ToUnixTimeSeconds());
        Assert.Equal($"wow-drained 1\nalpha {alpha}\nbeta {beta}\n", Encoding.ASCII.GetString(second.Body.Span));
        await RunAsync(0, "drain", "beta");
        Assert.Equal(second.Number, NoticeFile.Load(File)!.Number);
        await RunAsync(0, "drain", "--end", "Beta");
        await RunAsync(0, "drain", "--end", "alpha");
        Assert.Equal("wow-drained 1\n", Encoding.ASCII.GetString(NoticeFile.Load(File)!.Body.Span));
        Assert.True(first.Number < second.Number && second.Number < NoticeFile.Load(File)!.Number);
        Assert.Equal(["drain hosts=beta", "drain hosts=alpha", "drain-end hosts=beta", "drain-end hosts=alpha"], Audited());
    }

    [Fact]
    public async Task What_is_no_machine_that_could_have_jobs_changes_nothing_and_says_what_to_do()
    {
        await AdmitAsync("beta", "127.81.0.9");
        await RunAsync(0, "manager", "--out", Path.Combine(Ca.StateFolder, "out", "manager"), "--address", "127.81.0.1");
        Assert.Contains("'gamma' is no machine with a good certificate: wow-ca list", (await RunAsync(2, "drain", "gamma")).Error, StringComparison.Ordinal);
        Assert.Contains("no machine", (await RunAsync(2, "drain", "beta", "<b>beta</b>")).Error, StringComparison.Ordinal);
        Assert.Contains("is a manager, which runs no jobs", (await RunAsync(2, "drain", "127.81.0.1")).Error, StringComparison.Ordinal);
        Assert.Contains("'beta' is no name of a drained machine: wow pool drain", (await RunAsync(2, "drain", "--end", "beta")).Error, StringComparison.Ordinal);
        Assert.Contains("Say which machine", (await RunAsync(2, "drain", "--end")).Error, StringComparison.Ordinal);
        Assert.Contains("not both", (await RunAsync(2, "drain", "beta", "--end", "--dry-run")).Error, StringComparison.Ordinal);
        Assert.Contains("'gamma' is no machine", (await RunAsync(2, "drain", "beta", "gamma", "--dry-run")).Error, StringComparison.Ordinal);
        Assert.StartsWith("beta would get no more jobs", (await RunAsync(0, "drain", "beta", "127.81.0.9", "--dry-run")).Output, StringComparison.Ordinal);
        await RunAsync(0, "revoke", "beta");
        Assert.Contains("no machine with a good certificate", (await RunAsync(2, "drain", "beta")).Error, StringComparison.Ordinal);
        Assert.False(System.IO.File.Exists(File));
        Assert.Empty(Audited());
    }

    [Fact]
    public async Task A_machine_that_is_gone_is_still_ended_by_its_name_and_the_overview_shows_it_until_then()
    {
        await AdmitAsync("beta", "127.81.0.9");
        await RunAsync(0, "drain", "beta");
        await RunAsync(0, "revoke", "beta");
        using (JsonDocument overview = await JsonAsync("overview"))
        {
            Assert.Equal((1, "beta"), (overview.RootElement.GetProperty("drained_in_all").GetInt32(), Assert.Single(Hosts(overview))));
            Assert.Contains("drain", overview.RootElement.GetProperty("decisions").EnumerateArray().Select(one => one.GetProperty("event").GetString()));
        }

        await RunAsync(0, "drain", "--end", "beta");
        using JsonDocument after = await JsonAsync("overview");
        Assert.Empty(Hosts(after));
    }

    [Fact]
    public async Task A_file_that_somebody_else_signed_is_none_and_a_clock_that_is_ahead_signs_nothing()
    {
        await AdmitAsync("beta", "127.81.0.9");
        await using var other = new TestCa(manager: "127.81.0.1");
        System.IO.File.WriteAllBytes(File, CertificateProfile.NoticeIssuer.Sign(other.Ca.Key, DrainedList.NoticeKind, 7, "wow-drained 1\nbeta 5\n"u8));
        Assert.Contains("is damaged", (await RunAsync(2, "drain", "beta")).Error, StringComparison.Ordinal);
        Assert.Contains("is damaged", (await RunAsync(2, "drain")).Error, StringComparison.Ordinal);
        using (JsonDocument overview = await JsonAsync("overview"))
        {
            Assert.Equal(0, overview.RootElement.GetProperty("drained_in_all").GetInt32());
        }

        System.IO.File.Delete(File);
        Ca.Time.Advance(TimeSpan.FromDays(29));
        await RunAsync(2, "drain", "--end", "beta");
        Ca.Time.Advance(TimeSpan.FromDays(40));
        Assert.Contains("--today", (await RunAsync(2, "drain", "--end", "beta")).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_only_looks_leaves_no_line_in_the_audit()
    {
        await AdmitAsync("beta", "127.81.0.9");
        foreach (string[] words in (string[][])[["drain"], ["drain", "--json"], ["drain", "beta", "--dry-run"], ["drain", "beta"]])
        {
            Assert.Equal(0, (await CommandLine.AnswerAsync(new AdminRequest(words), "carol", Ca.StateFolder, Ca.Time)).Code);
        }

        Assert.Equal("by=carol what=drain beta", Ca.Ca.Database.Read(transaction => Assert.Single(transaction.Query("SELECT detail FROM audit WHERE event = 'asked'", row => row.GetString(0)))));
    }

    private static List<string?> Hosts(JsonDocument said) => [.. said.RootElement.GetProperty("drained").EnumerateArray().Select(one => one.GetProperty("host").GetString())];

    private List<string> Audited() => Ca.Ca.Database.Read(transaction => transaction.Query(
        "SELECT event || ' hosts=' || substr(detail, instr(detail, 'hosts=') + 6) FROM audit WHERE event IN ('drain', 'drain-end') ORDER BY id", row => row.GetString(0)));

    private async Task AdmitAsync(string host, string address) => await RunAsync(0, "machine", "--out", Path.Combine(Ca.StateFolder, "out", host), "--address", address, "--host", host);

    private async Task<JsonDocument> JsonAsync(params string[] args) => JsonDocument.Parse((await RunAsync(0, [.. args, "--json"])).Output);

    /// <summary>The Unix second from which a notice names a machine; the clock of the test goes on meanwhile.</summary>
    private static long Since(Brunet.Notices.Notice notice, string host) => long.Parse(
        Encoding.ASCII.GetString(notice.Body.Span).Split('\n').Single(line => line.StartsWith($"{host} ", StringComparison.Ordinal)).Split(' ')[1],
        System.Globalization.CultureInfo.InvariantCulture);
}
