using System.Security.Cryptography;
using System.Text.Json;
using Brunet.Notices;
using CaService.Est;
using CaService.Layers;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>Another key signs the pool's stack: what an administrator types, what a copy of the CA's folder can do after it, and what a cut leaves.</summary>
public sealed class RekeyCommandTests : Publishing
{
    private StackFolder Folder => new(Ca.Ca, Ca.StateFolder);

    private string Keys => Path.Combine(Ca.StateFolder, "keys.notice");

    [Fact]
    public async Task From_then_on_another_key_signs_the_stack_and_its_term_and_machines_believe_it()
    {
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        ulong first = await PublishAsync("a");
        Assert.True(IsBelieved(policy, Notice));
        Assert.Contains("Key 1 of 8 signs the pool's stack from now on.", (await RunAsync(0, "rekey")).Output, StringComparison.Ordinal);
        Notice stack = NoticeFile.Load(Notice)!, keys = NoticeFile.Load(Keys)!;
        Assert.InRange(stack.Number, first + 1, ulong.MaxValue);
        Assert.Equal((5, 1ul), (keys.Kind, keys.Number));
        Assert.True(policy.MayCount(keys) && IsBelieved(policy, Keys));
        Assert.False(IsBelieved(policy, Notice));
        policy.Learn(keys);
        Assert.True(IsBelieved(policy, Notice));
        new TermDesk(Folder, Ca.StateFolder, Ca.Time).Current();
        Assert.True(IsBelieved(policy, Path.Combine(Ca.StateFolder, "term.notice")));
        await PublishAsync("b");
        Assert.True(IsBelieved(policy, Notice));
        Assert.Contains("b  ", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Each_key_takes_the_place_of_the_one_before_whose_file_goes()
    {
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        await PublishAsync("a");
        for (int count = 1; count <= StackKeys.Most; count++)
        {
            using var said = JsonDocument.Parse((await RunAsync(0, "rekey", "--json")).Output);
            Assert.Equal((count, Path.Combine(Ca.StateFolder, $"stack-{count}.key")), (said.RootElement.GetProperty("key").GetInt32(), said.RootElement.GetProperty("file").GetString()));
            Assert.Equal([$"stack-{count}.key"], Directory.EnumerateFiles(Ca.StateFolder, "stack-*").Select(path => Path.GetFileName(path)));
            Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Path.Combine(Ca.StateFolder, $"stack-{count}.key")));
            Assert.True(policy.MayCount(NoticeFile.Load(Keys)!));
            policy.Learn(NoticeFile.Load(Keys)!);
            Assert.True(IsBelieved(policy, Notice));
        }

        Assert.Contains("had 8 keys, its most", (await RunAsync(2, "rekey")).Error, StringComparison.Ordinal);
        Assert.Equal(StackKeys.Most, Ca.Count("SELECT count(*) FROM audit WHERE event = 'rekey'"));
    }

    [Fact]
    public async Task Before_anything_is_published_it_is_done_too()
    {
        await RunAsync(0, "rekey");
        Assert.False(File.Exists(Notice));
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        policy.Learn(NoticeFile.Load(Keys)!);
        await PublishAsync("a");
        Assert.True(IsBelieved(policy, Notice));
    }

    [Fact]
    public async Task Without_the_key_nothing_is_published_nor_changed_and_people_are_told_what_lacks()
    {
        await PublishAsync("a");
        await RunAsync(0, "rekey");
        string path = Path.Combine(Ca.StateFolder, "stack-1.key");
        string pem = await File.ReadAllTextAsync(path);
        byte[] before = await File.ReadAllBytesAsync(Notice);
        using var other = ECDsa.Create(ECCurve.NamedCurves.nistP384);
        foreach (string? text in (string?[])[null, "nothing", "", other.ExportPkcs8PrivateKeyPem()])
        {
            File.Delete(path);
            if (text is not null)
            {
                await File.WriteAllTextAsync(path, text);
            }

            TestStack made = TestStack.Make(Ca.Folder, ("b", 5));
            Assert.Contains("Without it nothing can be published", (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
            Assert.Contains("Without it nothing can be published", (await RunAsync(2, "rekey")).Error, StringComparison.Ordinal);
            Assert.Equal(before, await File.ReadAllBytesAsync(Notice));
            Assert.Single(Kept());
        }

        await File.WriteAllTextAsync(path, pem);
        await PublishAsync("b");
    }

    [Fact]
    public async Task A_cut_between_the_new_key_and_what_it_signs_is_set_right_by_the_server()
    {
        ulong first = await PublishAsync("a");
        new TermDesk(Folder, Ca.StateFolder, Ca.Time).Current();
        Folder.Keys.Renew(Ca.Time.GetUtcNow());
        Assert.Contains("stack", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        string socket = Path.Combine(Ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        var log = new List<string>();
        await using NoticePublisher keys = NoticePublisher.OfKeys(Folder.Keys, socket, Ca.Time, log.Add), stack = NoticePublisher.OfStack(Folder, socket, Ca.Time, log.Add),
            term = NoticePublisher.OfTerm(new TermDesk(Folder, Ca.StateFolder, Ca.Time), socket, Ca.Time, log.Add);
        foreach (NoticePublisher publisher in (NoticePublisher[])[keys, stack, term, keys, stack, term])
        {
            await publisher.LookAsync();
        }

        Assert.Equal([Keys, Notice, Path.Combine(Ca.StateFolder, "term.notice")], daemon.Notices);
        Assert.InRange(NoticeFile.Load(Notice)!.Number, first + 1, ulong.MaxValue);
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        policy.Learn(NoticeFile.Load(Keys)!);
        Assert.All(daemon.Notices, path => Assert.True(IsBelieved(policy, path), path));
    }

    /// <summary>The rename of a file may be lost with the power, though machines have heard of what stands in it.</summary>
    [Fact]
    public async Task A_cut_that_loses_the_notice_of_a_key_is_set_right_by_the_next_rekey()
    {
        string former = Path.Combine(Ca.StateFolder, "stack-1.key");
        await PublishAsync("a");
        await RunAsync(0, "rekey");
        byte[] notice = await File.ReadAllBytesAsync(Keys), key = await File.ReadAllBytesAsync(former);
        await RunAsync(0, "rekey");
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        policy.Learn(NoticeFile.Load(Keys)!);

        await File.WriteAllBytesAsync(Keys, notice);
        await File.WriteAllBytesAsync(former, key);
        await RunAsync(0, "rekey");

        Assert.True(IsBelieved(policy, Notice));
        Assert.False(File.Exists(former));
    }

    [Fact]
    public async Task Damaged_keys_are_told_and_nothing_is_signed_by_the_CA_s_own()
    {
        await PublishAsync("a");
        await RunAsync(0, "rekey");
        byte[] whole = await File.ReadAllBytesAsync(Keys);
        foreach (byte[] bytes in (byte[][])[[], [1], whole[..^1], new byte[5000], NoticeIssuer.Sign(Ca.Ca.Key, 5, 2, whole)])
        {
            await File.WriteAllBytesAsync(Keys, bytes);
            foreach (string command in (string[])["stack", "rekey"])
            {
                Assert.Contains("from a backup of the CA's folder", (await RunAsync(1, command)).Error, StringComparison.Ordinal);
            }
        }
    }

    [Fact]
    public async Task Words_and_a_clock_that_is_ahead_are_refused()
    {
        Assert.Contains("'now' is no option", (await RunAsync(2, "rekey", "now")).Error, StringComparison.Ordinal);
        Ca.Time.Advance(TimeSpan.FromDays(40));
        Assert.Contains("add --today", (await RunAsync(2, "rekey")).Error, StringComparison.Ordinal);
        Assert.False(File.Exists(Keys));
    }

    private static bool IsBelieved(AuthorityNoticePolicy policy, string path)
    {
        Notice notice = NoticeFile.Load(path)!;
        return policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span);
    }

    private async Task<ulong> PublishAsync(string module)
    {
        await RunAsync(0, "publish", TestStack.Make(Ca.Folder, (module, 5)).Folder);
        return NoticeFile.Load(Notice)!.Number;
    }
}
