using System.Security.Cryptography;
using System.Text;
using Brunet.Notices;
using CaService.Commands;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

public sealed class ManagersCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("wow-ca").FullName;
    private readonly TestTime _time = new();

    private string State => Path.Combine(_folder, "ca");

    private string List => Path.Combine(_folder, "managers.notice");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task The_list_is_a_notice_that_every_machine_believes()
    {
        await MakeTwo();
        string said = await Run(0, "managers", "manager", "second", "--state", State, "--out", List);
        Assert.Contains("manager 10.128.0.1, second 10.128.0.2; the CA is on manager", said, StringComparison.Ordinal);
        Notice notice = NoticeFile.Load(List)!;
        Assert.Equal(ManagerList.NoticeKind, notice.Kind);
        Assert.Equal("wow-managers 1\nmanager 10.128.0.1 ca\nsecond 10.128.0.2\n", Encoding.ASCII.GetString(notice.Body.Span));
        using var policy = new AuthorityNoticePolicy(PoolAuthority.Load(Path.Combine(State, "ca.pem")).Der.Span);
        Assert.True(policy.IsSigned(Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span));
    }

    [Fact]
    public async Task Its_number_grows_whatever_the_clock_says()
    {
        await MakeTwo();
        await Run(0, "managers", "manager", "--state", State, "--out", List);
        ulong first = NoticeFile.Load(List)!.Number;
        Assert.InRange(first, 1_700_000_000ul, (ulong)_time.GetUtcNow().ToUnixTimeSeconds());
        _time.Advance(TimeSpan.FromDays(-1));
        await Run(0, "managers", "manager", "second", "--ca", "second", "--state", State, "--out", List);
        Notice second = NoticeFile.Load(List)!;
        Assert.Equal(first + 1, second.Number);
        Assert.Equal("wow-managers 1\nmanager 10.128.0.1\nsecond 10.128.0.2 ca\n", Encoding.ASCII.GetString(second.Body.Span));
        _time.Advance(TimeSpan.FromDays(2));
        await Run(0, "managers", "manager", "--state", State, "--out", List);
        Assert.InRange(NoticeFile.Load(List)!.Number, first + 86400, ulong.MaxValue);
    }

    [Fact]
    public async Task A_list_that_another_key_signed_is_not_counted_on_from()
    {
        await MakeTwo();
        using var thief = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        byte[] strange = NoticeIssuer.Sign(thief, ManagerList.NoticeKind, ulong.MaxValue, "x"u8);
        string other = Path.Combine(_folder, "other.notice");
        foreach (string path in new[] { List, other })
        {
            await File.WriteAllBytesAsync(path, strange);
        }

        Assert.Contains("name another --out", await Run(2, "managers", "manager", "--state", State, "--out", List), StringComparison.Ordinal);
        Assert.Equal(strange, await File.ReadAllBytesAsync(List));
        File.Delete(List);
        Assert.Contains("name another --after", await Run(2, "managers", "manager", "--state", State, "--out", List, "--after", other), StringComparison.Ordinal);
        Assert.Contains("name another --after", await Run(2, "managers", "manager", "--state", State, "--out", List, "--after", _folder), StringComparison.Ordinal);
        Assert.False(File.Exists(List));
    }

    [Fact]
    public async Task A_list_that_was_signed_under_a_clock_ahead_is_followed_by_what_counts_on_from_it()
    {
        await MakeTwo();
        _time.Advance(TimeSpan.FromDays(400));
        await Run(0, "managers", "manager", "--state", State, "--out", List, "--today", $"{_time.GetUtcNow():yyyy-MM-dd}");
        string known = Path.Combine(_folder, "notice-2");
        File.Move(List, known);
        ulong ahead = NoticeFile.Load(known)!.Number;
        _time.Advance(TimeSpan.FromDays(-400));
        await Run(0, "managers", "manager", "second", "--state", State, "--out", List);
        Assert.True(NoticeFile.Load(List)!.Number < ahead, "the list of another copy of the folder is not known here");
        await Run(0, "managers", "manager", "second", "--state", State, "--out", List, "--after", known);
        Assert.Equal(ahead + 1, NoticeFile.Load(List)!.Number);
    }

    [Fact]
    public async Task A_clock_that_is_far_ahead_of_all_that_the_CA_did_signs_nothing_before_a_person_says_the_day()
    {
        await MakeTwo();
        _time.Advance(ProvenClock.Leeway + TimeSpan.FromMinutes(1));
        string today = $"{_time.GetUtcNow():yyyy-MM-dd}";
        foreach (string[] words in new string[][]
        {
            ["managers", "manager", "--state", State, "--out", List],
            ["manager", "--state", State, "--out", Path.Combine(_folder, "three"), "--host", "third", "--address", "10.128.0.3"],
        })
        {
            Assert.Contains($"add --today {today}", await Run(2, words), StringComparison.Ordinal);
            Assert.Contains("set the clock", await Run(2, [.. words, "--today", "2020-01-01"]), StringComparison.Ordinal);
        }

        Assert.False(File.Exists(List));
        Assert.False(Directory.Exists(Path.Combine(_folder, "three")));
        await Run(0, "manager", "--state", State, "--out", Path.Combine(_folder, "three"), "--host", "third", "--address", "10.128.0.3", "--today", today);
        await Run(0, "managers", "manager", "third", "--state", State, "--out", List);
    }

    [Fact]
    public async Task Who_is_no_manager_is_told_and_nothing_is_written()
    {
        await MakeTwo();
        await Run(0, "machine", "--state", State, "--out", Path.Combine(_folder, "files"), "--address", "10.128.0.5", "--host", "files");
        await Run(0, "manager", "--state", State, "--out", Path.Combine(_folder, "three"), "--host", "boss", "--address", "10.128.0.3");
        await Run(0, "revoke", "second", "--state", State, "--manager");
        foreach ((string[] words, string why) in new (string[], string)[]
        {
            (["files"], "'files' is no manager's name"),
            (["10.128.0.1"], "'10.128.0.1' is no manager's name"),
            (["manager", "second"], "was revoked"),
            (["manager", "manager"], "named twice"),
            (["boss", "manager"], "is not the first"),
            (["manager", "--ca", "second"], "none of the managers"),
        })
        {
            Assert.Contains(why, await Run(2, ["managers", .. words, "--state", State, "--out", List]), StringComparison.Ordinal);
            Assert.False(File.Exists(List));
        }
    }

    [Fact]
    public async Task A_list_that_has_no_place_is_not_signed()
    {
        await MakeTwo();
        foreach (string path in (string[])[_folder, Path.Combine(_folder, "none", "list")])
        {
            Assert.Contains($"--out is '{path}': name a file", await Run(2, "managers", "manager", "--state", State, "--out", path), StringComparison.Ordinal);
        }

        using CaFolder ca = CaFolder.Open(State);
        Assert.Equal(0, ca.Database.Read(transaction => transaction.First("SELECT count(*) FROM audit WHERE event = 'managers'", row => row.GetInt64(0))));
    }

    private async Task MakeTwo()
    {
        await Run(0, "init", "--state", State, "--pool", "lab", "--subnet", "10.128.0.0/16");
        await Run(0, "manager", "--state", State, "--out", Path.Combine(_folder, "one"));
        await Run(0, "manager", "--state", State, "--out", Path.Combine(_folder, "two"), "--host", "second", "--address", "10.128.0.2");
    }

    private async Task<string> Run(int code, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int actual = await CommandLine.RunAsync(args, output, error, _time);
        Assert.True(code == actual, $"{string.Join(' ', args)} ended with {actual}: {error}");
        return output.ToString() + error;
    }
}
