using System.Text.Json;
using CaService.Admin;
using CaService.Commands;

namespace CaService.Tests;

/// <summary>Whose word counts for what at the administrators' socket: above all, what the web page's account can do.</summary>
public sealed class AdminDeskTests : AsyncTests
{
    private const string Page = Agreed.WebAccount;
    private const string Key = "00112233445566778899aabbccddeeff00112233";
    private readonly TestCa _ca = new();
    private readonly HashSet<string> _administrators = ["carol", "dave"];
    private readonly AdminDesk _desk;

    public AdminDeskTests() => _desk = new AdminDesk(new PageSessions(_ca.Time, _administrators.Contains), _ca.StateFolder, _ca.Time);

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task An_administrator_s_code_lets_one_browser_in_and_the_audit_names_the_administrator()
    {
        string secret = await LoginAsync("carol");
        Assert.Equal((0, $"{Key} is approved\n", string.Empty), await HandAsync(secret, "approve", Key));
        List<string> asked = _ca.Ca.Database.Read(transaction => transaction.Query("SELECT detail FROM audit WHERE event = 'asked' ORDER BY id", row => row.GetString(0)));
        Assert.Equal(["by=carol what=page", $"by=carol/page what=approve {Key}"], [.. asked]);
    }

    [Theory]
    [InlineData("overview")]
    [InlineData("approve", Key)]
    [InlineData("page")]
    public async Task The_page_s_account_alone_has_nothing_done(params string[] words)
    {
        Assert.Equal(4, (await _desk.AnswerAsync(new AdminRequest(words), Page)).Code);
        Assert.Equal(4, (await HandAsync(string.Empty, words)).Code);
        Assert.Equal(4, (await HandAsync(new string('0', PageSessions.Digits), words)).Code);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM admissions"));
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM audit WHERE event = 'asked'"));
    }

    [Theory]
    [InlineData("page")]
    [InlineData("policy", "list")]
    [InlineData("list")]
    [InlineData("init")]
    [InlineData("serve")]
    [InlineData("revoke", "manager", "--manager")]
    [InlineData]
    public async Task What_a_page_does_not_need_it_does_not_get_though_somebody_is_in(params string[] words)
    {
        string secret = await LoginAsync("carol");
        (int code, string output, string error) = await HandAsync(secret, words);
        Assert.Equal((2, string.Empty), (code, output));
        Assert.Contains("not done by the page", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--state", "/tmp")]
    [InlineData("--certificate", "/etc/shadow")]
    public async Task No_file_is_named_by_the_page(params string[] option) =>
        Assert.Contains("are root's", (await HandAsync(await LoginAsync("carol"), ["revoke", .. option])).Error, StringComparison.Ordinal);

    [Fact]
    public async Task A_code_that_is_wrong_used_old_or_not_the_newest_lets_nobody_in()
    {
        Assert.Equal(4, (await BringAsync(string.Empty)).Code);
        Assert.Equal(4, (await BringAsync(new string('f', PageSessions.Digits))).Code);
        string older = await CodeAsync("carol"), newest = await CodeAsync("carol");
        Assert.Equal(4, (await BringAsync(older)).Code);
        Assert.Equal(0, (await BringAsync(newest)).Code);
        Assert.Equal(4, (await BringAsync(newest)).Code);
        string old = await CodeAsync("carol");
        _ca.Time.Advance(PageSessions.CodeLife);
        Assert.Equal(4, (await BringAsync(old)).Code);
        Assert.Contains("wow-ca page", (await BringAsync(old)).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_login_ends_by_its_time_by_its_end_and_with_the_right()
    {
        string secret = await LoginAsync("carol"), other = await LoginAsync("carol"), daves = await LoginAsync("dave");
        Assert.Equal(0, (await _desk.AnswerAsync(new AdminRequest([], End: secret), Page)).Code);
        Assert.Equal((4, 0), ((await HandAsync(secret, "overview")).Code, (await HandAsync(other, "overview")).Code));

        _administrators.Remove("carol");
        Assert.Equal((4, 0), ((await HandAsync(other, "overview")).Code, (await HandAsync(daves, "overview")).Code));
        _administrators.Add("carol");
        Assert.Equal(4, (await HandAsync(other, "overview")).Code);

        _ca.Time.Advance(PageSessions.Life - TimeSpan.FromSeconds(1));
        Assert.Equal(0, (await HandAsync(daves, "overview")).Code);
        _ca.Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(4, (await HandAsync(daves, "overview")).Code);
    }

    [Fact]
    public async Task A_code_of_who_is_no_administrator_any_more_is_not_good()
    {
        string code = await CodeAsync("carol");
        _administrators.Remove("carol");
        Assert.Equal(4, (await BringAsync(code)).Code);
    }

    [Fact]
    public async Task So_many_browsers_are_in_the_first_gives_way()
    {
        List<string> secrets = [];
        for (int i = 0; i <= PageSessions.MostOfOne; i++)
        {
            secrets.Add(await LoginAsync("carol"));
        }

        Assert.Equal(4, (await HandAsync(secrets[0], "overview")).Code);
        foreach (string secret in secrets[1..])
        {
            Assert.Equal(0, (await HandAsync(secret, "overview")).Code);
        }
    }

    [Fact]
    public void So_many_administrators_are_known()
    {
        var sessions = new PageSessions(_ca.Time, _ => true);
        string[] codes = [.. Enumerable.Range(0, PageSessions.Most + 1).Select(number => sessions.MakeCode($"p{number}"))];
        Assert.False(sessions.TryLogin(codes[0], out _, out _));
        Assert.True(sessions.TryLogin(codes[^1], out _, out string? who));
        Assert.Equal($"p{PageSessions.Most}", who);
    }

    [Fact]
    public async Task An_account_without_a_name_is_nobody() =>
        Assert.Contains("has no name", (await _desk.AnswerAsync(new AdminRequest(["overview"]), "988")).Error, StringComparison.Ordinal);

    [Theory]
    [InlineData("wow-admin:x:987:bob,carol", true)]
    [InlineData("wow-admin:x:987:carol", true)]
    [InlineData("wow-admin:x:987:", false)]
    [InlineData("wow-admin:x:987:caroline", false)]
    [InlineData("wow:x:990:carol", false)]
    [InlineData("wow-admin", false)]
    [InlineData("", false)]
    public void The_group_s_line_says_who_is_an_administrator(string line, bool isOne)
    {
        Assert.Equal(isOne, AdminGroup.IsOf(line, "carol"));
        Assert.False(AdminGroup.IsOf(line, string.Empty));
    }

    [Fact]
    public void Root_is_one_and_nobody_unknown() => Assert.Equal((true, false), (AdminGroup.Has("root"), AdminGroup.Has("no-such-person")));

    [Fact]
    public async Task The_link_is_of_the_loopback_and_is_printed_with_the_line_that_leads_there()
    {
        (int code, string output, _) = await _desk.AnswerAsync(new AdminRequest(["page"]), "carol");
        Assert.Equal(0, code);
        Assert.Matches($"^http://localhost:4481/ca\\?code=[0-9a-f]{{{PageSessions.Digits}}}\n", output);
        Assert.Contains("ssh -L 4481:localhost:80 carol@", output, StringComparison.Ordinal);
        Assert.Contains("are root's", (await _desk.AnswerAsync(new AdminRequest(["page", "--state", "/tmp"]), "carol")).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_look_at_a_revocation_changes_nothing_and_says_what_would_happen()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(uses: 3), "alpha");
        string secret = await LoginAsync("carol");
        long lines = _ca.Count("SELECT count(*) FROM audit");
        using var looked = JsonDocument.Parse((await HandAsync(secret, "revoke", "alpha", "--dry-run", "--json")).Output);
        AgreedJson.MustBeReplyOf("revoke", looked.RootElement);
        Assert.Equal(("alpha", 1, 2), (looked.RootElement.GetProperty("host").GetString(), looked.RootElement.GetProperty("would_revoke").GetInt32(), looked.RootElement.GetProperty("open_ticket").GetProperty("left").GetInt32()));
        Assert.Equal((lines, 0), (_ca.Count("SELECT count(*) FROM audit"), _ca.Count("SELECT count(*) FROM revocations")));
        Assert.Contains("Nothing was done", (await HandAsync(secret, "revoke", "alpha", "--dry-run")).Output, StringComparison.Ordinal);
        Assert.Equal(0, (await HandAsync(secret, "revoke", "alpha")).Code);
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM revocations"));
    }

    [Fact]
    public async Task Of_a_machine_whose_certificates_have_ended_a_look_tells_whether_it_was_revoked()
    {
        using var machine = new TestMachine(_ca, "127.79.0.2");
        machine.Decide(_ca.NewTicket(), "alpha");
        _ca.Time.Advance(CertificateProfile.PoolProfile.LeafLifetime + TimeSpan.FromDays(1));
        string secret = await LoginAsync("carol");
        foreach (bool isRevoked in (bool[])[false, true])
        {
            using var looked = JsonDocument.Parse((await HandAsync(secret, "revoke", "alpha", "--dry-run", "--json")).Output);
            AgreedJson.MustBeReplyOf("revoke", looked.RootElement);
            Assert.Equal((0, isRevoked), (looked.RootElement.GetProperty("would_revoke").GetInt32(), looked.RootElement.GetProperty("since").ValueKind == JsonValueKind.String));
            string said = (await HandAsync(secret, "revoke", "alpha", "--dry-run")).Output;
            Assert.Contains(isRevoked ? "was revoked at" : "would be revoked: no certificate that is good", said, StringComparison.Ordinal);
            Assert.Equal(0, (await HandAsync(secret, "revoke", "alpha")).Code);
        }
    }

    [Fact]
    public async Task The_overview_counts_all_and_shows_the_first_of_each()
    {
        using var first = new TestMachine(_ca, "127.79.0.2");
        using var second = new TestMachine(_ca, "127.79.0.3");
        first.Decide(_ca.NewTicket(), "alpha");
        _ca.Time.Advance(TimeSpan.FromDays(15));
        second.Decide(_ca.NewTicket(), "beta");
        _ca.Time.Advance(TimeSpan.FromDays(6));
        for (int i = 0; i < Overview.Most + 5; i++)
        {
            _ca.Ca.Database.Write(transaction => Admissions.Wait(transaction, $"{i:x40}", System.Net.IPAddress.Parse($"127.80.0.{i}"), $"m{i}", null, _ca.Time.GetUtcNow()));
        }

        using var said = JsonDocument.Parse((await HandAsync(await LoginAsync("carol"), "overview", "--json")).Output);
        JsonElement found = said.RootElement;
        AgreedJson.MustBeReplyOf("overview", found);
        Assert.Equal((2, 1), (found.GetProperty("certificates").GetProperty("valid").GetInt32(), found.GetProperty("certificates").GetProperty("late").GetInt32()));
        Assert.Equal("alpha", found.GetProperty("soon")[0].GetProperty("host").GetString());
        Assert.Equal(2, found.GetProperty("ends").EnumerateArray().Sum(day => day.GetInt32()));
        Assert.Equal((Overview.Days, Overview.Most + 5, Overview.Most), (found.GetProperty("ends").GetArrayLength(), found.GetProperty("waiting").GetInt32(), found.GetProperty("requests").GetArrayLength()));
        Assert.Equal("asked", found.GetProperty("decisions")[0].GetProperty("event").GetString());
        string shown = (await _desk.AnswerAsync(new AdminRequest(["overview"]), "carol")).Output;
        Assert.Contains("not renewed: alpha", shown, StringComparison.Ordinal);
        Assert.Contains($"{Overview.Most + 5} machines wait", shown, StringComparison.Ordinal);
    }

    private async Task<string> CodeAsync(string who)
    {
        using var said = JsonDocument.Parse((await _desk.AnswerAsync(new AdminRequest(["page", "--json"]), who)).Output);
        AgreedJson.MustBeReplyOf("page", said.RootElement);
        return said.RootElement.GetProperty("code").GetString()!;
    }

    private Task<(int Code, string Output, string Error)> BringAsync(string code) => _desk.AnswerAsync(new AdminRequest([], Code: code), Page);

    private async Task<string> LoginAsync(string who) => (await BringAsync(await CodeAsync(who))).Output.Trim();

    private Task<(int Code, string Output, string Error)> HandAsync(string secret, params string[] words) => _desk.AnswerAsync(new AdminRequest(words, Page: secret), Page);
}
