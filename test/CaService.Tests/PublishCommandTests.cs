using System.Text;
using System.Text.Json;
using Brunet.Notices;
using CaService.Commands;
using CaService.Est;
using CaService.Layers;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>Publishing a stack in the CA's folder: what is signed, what is kept, and what a failure leaves.</summary>
public sealed class PublishCommandTests : AsyncTests
{
    // errno(3).
    private const int DiskFull = 28;

    private readonly TestCa _ca = new(manager: "127.81.0.1");

    private string Notice => Path.Combine(_ca.StateFolder, "stack.notice");

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task The_stack_is_a_notice_that_every_machine_believes_and_its_layers_are_kept()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("tutorial", 70_000), ("storm-surge", 10), ("glue", 1));
        Assert.Contains("is published: tutorial, storm-surge, glue.", (await RunAsync(0, "publish", made.Folder)).Output, StringComparison.Ordinal);
        Notice notice = NoticeFile.Load(Notice)!;
        Assert.Equal(3, notice.Kind);
        Assert.Equal(made.Stack.Write(), notice.Body.ToArray());
        using var policy = new AuthorityNoticePolicy(_ca.Ca.Authority.Der.Span);
        Assert.True(policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span));
        Assert.Equal(made.BytesOf(0), await File.ReadAllBytesAsync(Path.Combine(_ca.StateFolder, "layers", made.Stack.Layers[0].Digest)));
        Assert.Equal($"number={notice.Number} modules=tutorial,storm-surge,glue", Detail());
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains($"stack {notice.Number}, over base bbbbbbbbbbbb and node cccccccccccc:\n  tutorial", said, StringComparison.Ordinal);
        Assert.DoesNotContain("lacks", said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_answer_for_programs_names_all_layers_and_which_are_lacking()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5), ("b", 6));
        using (var nothing = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output))
        {
            Assert.Equal((0, 0), (nothing.RootElement.GetProperty("number").GetInt32(), nothing.RootElement.GetProperty("layers").GetArrayLength()));
        }

        using var published = JsonDocument.Parse((await RunAsync(0, "publish", made.Folder, "--json")).Output);
        File.Delete(Path.Combine(_ca.StateFolder, "layers", made.Stack.Layers[1].Digest));
        using var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        Assert.Equal(published.RootElement.GetProperty("number").GetUInt64(), found.RootElement.GetProperty("number").GetUInt64());
        Assert.Equal(("a", 5L, made.Stack.Layers[0].Digest), Layer(found.RootElement.GetProperty("layers")[0]));
        Assert.Equal(new string('b', 64), found.RootElement.GetProperty("base").GetString());
        Assert.Equal("b", Assert.Single(found.RootElement.GetProperty("lacks").EnumerateArray()).GetString());
        Assert.Contains("lacks b, which machines can't fetch", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_system_is_published_kept_and_shown_with_its_modules_or_without()
    {
        TestStack made = TestStack.MakeSystem(_ca.Folder, [70_000, 80, 90, 100], ("tutorial", 5), ("glue", 1)), alone = TestStack.MakeSystem(_ca.Folder, [70_000, 80, 90, 101]);
        string[] digests = [.. made.Stack.Files.Select(file => file.Digest)];
        Assert.Contains($"is published: a system with base {digests[0][..12]}, 70270 bytes, and tutorial, glue.", (await RunAsync(0, "publish", made.Folder)).Output, StringComparison.Ordinal);
        Assert.Equal(made.Stack.Write(), NoticeFile.Load(Notice)!.Body.ToArray());
        Assert.Equal([.. digests.Order()], Kept());
        Assert.EndsWith($" modules=tutorial,glue system={string.Join(',', digests[..4].Select(digest => digest[..12]))}", Detail(), StringComparison.Ordinal);
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains(", with a system, which machines that have another one take:\n  base ", said, StringComparison.Ordinal);
        Assert.All(made.Stack.Files, file => Assert.Contains($"  {file.Name,-20} {file.Size,12} bytes  {file.Digest[..12]}\n", said, StringComparison.Ordinal));

        File.Delete(Path.Combine(_ca.StateFolder, "layers", digests[2]));
        using (var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output))
        {
            Assert.Equal(made.Stack.System.Select(file => (file.Name, file.Size, file.Digest)), found.RootElement.GetProperty("system").EnumerateArray().Select(Layer)!);
            Assert.Equal(2, found.RootElement.GetProperty("layers").GetArrayLength());
            Assert.Equal("kernel", Assert.Single(found.RootElement.GetProperty("lacks").EnumerateArray()).GetString());
        }

        string answer = (await RunAsync(0, "publish", alone.Folder, "--restart-by", "now")).Output;
        Assert.Contains($"a system with base {digests[0][..12]}, 70271 bytes, and no module.", answer, StringComparison.Ordinal);
        Assert.Contains("at the latest", answer, StringComparison.Ordinal);
        Assert.Equal([.. alone.Stack.Files.Select(file => file.Digest).Order()], Kept());
        Assert.Contains("\n  initrd ", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        await RunAsync(0, "publish", "--none");
        Assert.Empty(Kept());
        using var none = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        Assert.Equal(0, none.RootElement.GetProperty("system").GetArrayLength());
    }

    [Fact]
    public async Task A_system_that_is_not_whole_is_told_with_the_file_and_changes_nothing()
    {
        TestStack good = TestStack.MakeSystem(_ca.Folder, [50, 60, 70, 80]), made = TestStack.MakeSystem(_ca.Folder, [51, 60, 71, 81], ("a", 5));
        await RunAsync(0, "publish", good.Folder);
        byte[] before = await File.ReadAllBytesAsync(Notice);
        byte[] kernel = made.BytesOf(2);
        await RefusedAsync(kernel[1..], "(kernel) has 70 bytes, and the stack says 71");
        await RefusedAsync([.. kernel, 0], "(kernel) has 72 bytes, and the stack says 71");
        await RefusedAsync([.. kernel[1..], 0], "kernel has another SHA-256 than the stack says");
        File.Delete(made.FileOf(2));
        Assert.Contains($"{made.Stack.System[2].Digest} (kernel) is not there", (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
        string text = await File.ReadAllTextAsync(Path.Combine(made.Folder, "stack"));
        await File.WriteAllTextAsync(Path.Combine(made.Folder, "stack"), text.Replace($"kernel {made.Stack.System[2].Digest} 71\n", string.Empty, StringComparison.Ordinal));
        Assert.Contains("nor are lines 2 to 5 base, node, kernel, initrd", (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);

        Assert.Equal(before, await File.ReadAllBytesAsync(Notice));
        Assert.Equal(0, await RunAndCountAsync(good));
        await File.WriteAllTextAsync(Path.Combine(made.Folder, "stack"), text);
        await File.WriteAllBytesAsync(made.FileOf(2), kernel);
        Assert.Equal(4, await RunAndCountAsync(made));

        async Task RefusedAsync(byte[] bytes, string why)
        {
            await File.WriteAllBytesAsync(made.FileOf(2), bytes);
            Assert.Contains(why, (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Deltas_are_kept_with_their_stack_and_told_by_number_and_size()
    {
        TestStack system = TestStack.MakeSystem(_ca.Folder, [70_000, 80, 90, 100], ("tutorial", 5)), one = system.WithDelta(0, '7', 30), made = one.WithDelta(4, '8', 4);
        await RunAsync(0, "publish", made.Folder);
        Assert.Equal(made.Stack.Write(), NoticeFile.Load(Notice)!.Body.ToArray());
        Assert.Equal([.. made.Stack.Files.Select(file => file.Digest).Order()], Kept());
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains("\n  2 deltas                       34 bytes, ", said, StringComparison.Ordinal);
        Assert.DoesNotContain("delta of", said, StringComparison.Ordinal);
        string kept = Path.Combine(_ca.StateFolder, "layers", made.Stack.Deltas[0].Digest);
        File.Delete(kept);
        Assert.Contains("lacks delta of base, which machines can't fetch", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        using (var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output))
        {
            Assert.Equal(made.Stack.Deltas, found.RootElement.GetProperty("deltas").EnumerateArray().Select(delta => new StackDelta(
                delta.GetProperty("file").GetString()!, delta.GetProperty("from").GetString()!, delta.GetProperty("size").GetInt64(), delta.GetProperty("sha256").GetString()!)));
            Assert.Equal((4, 1), (found.RootElement.GetProperty("system").GetArrayLength(), found.RootElement.GetProperty("layers").GetArrayLength()));
            Assert.Equal("delta of base", Assert.Single(found.RootElement.GetProperty("lacks").EnumerateArray()).GetString());
        }

        Assert.Equal(1, await RunAndCountAsync(made));
        Assert.Equal(made.BytesOf(5), await File.ReadAllBytesAsync(kept));
        await File.WriteAllBytesAsync(Path.Combine(made.Folder, "stack"), one.Stack.Write());
        await RunAsync(0, "publish", made.Folder, "--restart-by", "now");
        Assert.Equal([.. one.Stack.Files.Select(file => file.Digest).Order()], Kept());
        Assert.Contains("\n  1 delta                        30 bytes, ", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        await File.WriteAllBytesAsync(Path.Combine(made.Folder, "stack"), system.Stack.Write());
        await RunAsync(0, "publish", made.Folder);
        Assert.Equal([.. system.Stack.Files.Select(file => file.Digest).Order()], Kept());
        Assert.DoesNotContain("delta", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_delta_that_is_not_whole_is_told_with_its_file_and_changes_nothing()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 50), ("b", 60)).WithDelta(1, '7', 30);
        byte[] bytes = made.BytesOf(2);
        await RefusedAsync(bytes[1..], "(delta of b) has 29 bytes, and the stack says 30");
        await RefusedAsync([.. bytes[1..], 0], "delta of b has another SHA-256 than the stack says");
        File.Delete(made.FileOf(2));
        Assert.Contains($"{made.Stack.Deltas[0].Digest} (delta of b) is not there", (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
        Assert.False(File.Exists(Notice));

        async Task RefusedAsync(byte[] wrong, string why)
        {
            await File.WriteAllBytesAsync(made.FileOf(2), wrong);
            Assert.Contains(why, (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("now", 0)]
    [InlineData("2027-01-31", 1801439999)]
    [InlineData("2027-01-31T12:00:00Z", 1801396800)]
    public async Task A_deadline_is_signed_with_the_modules_and_is_shown(string said, long second)
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5));
        _ca.Time.Advance(new DateTimeOffset(2026, 11, 26, 0, 0, 0, TimeSpan.Zero) - _ca.Time.GetUtcNow());
        foreach (string[] what in (string[][])[[made.Folder], ["--none"]])
        {
            long before = _ca.Time.GetUtcNow().ToUnixTimeSeconds();
            string output = (await RunAsync(0, ["publish", .. what, "--restart-by", said])).Output;
            using var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
            long signed = found.RootElement.GetProperty("restart_by").GetInt64();
            Assert.InRange(signed, second == 0 ? before : second, second == 0 ? _ca.Time.GetUtcNow().ToUnixTimeSeconds() : second);
            string shown = DateTimeOffset.FromUnixTimeSeconds(signed).ToString("u", System.Globalization.CultureInfo.InvariantCulture);
            Assert.Contains($"by {shown} at the latest", output, StringComparison.Ordinal);
            Assert.EndsWith($"\nrestart-by {signed}\n", Encoding.ASCII.GetString(NoticeFile.Load(Notice)!.Body.Span), StringComparison.Ordinal);
            Assert.Contains($"Until {shown} jobs keep a machine", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        }

        Assert.DoesNotContain("at the latest", (await RunAsync(0, "publish", made.Folder)).Output, StringComparison.Ordinal);
        using var without = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        Assert.Equal(JsonValueKind.Null, without.RootElement.GetProperty("restart_by").ValueKind);
    }

    [Theory]
    [InlineData("2026-11-25", "is over already")]
    [InlineData("2026-11-25T23:59:59Z", "is over already")]
    [InlineData("2300-01-01", "is too far away")]
    [InlineData("9999-12-31", "is too far away")]
    [InlineData("tomorrow", "give a day such as")]
    [InlineData("1795707748", "give a day such as")]
    public async Task A_deadline_that_is_none_publishes_nothing(string said, string why)
    {
        _ca.Time.Advance(new DateTimeOffset(2026, 11, 26, 0, 0, 0, TimeSpan.Zero) - _ca.Time.GetUtcNow());
        Assert.Contains(why, (await RunAsync(2, "publish", "--none", "--restart-by", said)).Error, StringComparison.Ordinal);
        Assert.False(File.Exists(Notice));
    }

    [Fact]
    public async Task The_number_grows_whatever_the_clock_says_and_what_no_stack_needs_goes()
    {
        TestStack first = TestStack.Make(_ca.Folder, ("a", 5), ("b", 6)), second = TestStack.Make(_ca.Folder, ("b", 6), ("c", 7));
        await RunAsync(0, "publish", first.Folder);
        ulong number = NoticeFile.Load(Notice)!.Number;
        Assert.InRange(number, 1_700_000_000ul, (ulong)_ca.Time.GetUtcNow().ToUnixTimeSeconds());
        _ca.Time.Advance(TimeSpan.FromDays(-1));
        await RunAsync(0, "publish", second.Folder);
        Assert.Equal(number + 1, NoticeFile.Load(Notice)!.Number);
        Assert.Equal([.. second.Stack.Layers.Select(layer => layer.Digest).Order()], Kept());

        Assert.Contains("no module, machines use what their image has", (await RunAsync(0, "publish", "--none")).Output, StringComparison.Ordinal);
        Assert.Equal((number + 2, "wow-stack 1\n"), (NoticeFile.Load(Notice)!.Number, Encoding.ASCII.GetString(NoticeFile.Load(Notice)!.Body.Span)));
        Assert.Empty(Kept());
        Assert.Contains("no module", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_folder_that_is_not_whole_is_told_with_the_file_and_changes_nothing()
    {
        TestStack good = TestStack.Make(_ca.Folder, ("a", 5));
        await RunAsync(0, "publish", good.Folder);
        byte[] before = await File.ReadAllBytesAsync(Notice);
        TestStack made = TestStack.Make(_ca.Folder, ("b", 50), ("c", 60));

        byte[] bytes = made.BytesOf(1);
        bytes[7] ^= 1;
        await File.WriteAllBytesAsync(made.FileOf(1), bytes);
        await RefusedAsync("c has another SHA-256 than the stack says", made.Folder);
        await File.WriteAllBytesAsync(made.FileOf(1), bytes[1..]);
        await RefusedAsync("has 59 bytes, and the stack says 60", made.Folder);
        File.Delete(made.FileOf(1));
        await RefusedAsync($"{made.Stack.Layers[1].Digest} (c) is not there", made.Folder);
        await File.WriteAllTextAsync(Path.Combine(made.Folder, "stack"), "wow-stack 2\n");
        await RefusedAsync("is no stack", made.Folder);
        await File.WriteAllBytesAsync(Path.Combine(made.Folder, "stack"), new byte[Agreed.LargestStackText + 1]);
        await RefusedAsync("more than 16384 bytes", made.Folder);
        File.Delete(Path.Combine(made.Folder, "stack"));
        await RefusedAsync("can't be read", made.Folder);
        await RefusedAsync("can't be read", "/nonexistent");
        await RefusedAsync("in one way");
        await RefusedAsync("in one way", made.Folder, good.Folder);
        await RefusedAsync("in one way", made.Folder, "--none");

        Assert.Equal(before, await File.ReadAllBytesAsync(Notice));
        Assert.Equal(0, await RunAndCountAsync(good));

        async Task RefusedAsync(string why, params string[] words) => Assert.Contains(why, (await RunAsync(2, ["publish", .. words])).Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Wherever_it_is_cut_the_old_stack_stands_whole_and_the_next_try_goes_on()
    {
        TestStack old = TestStack.Make(_ca.Folder, ("a", 5), ("b", 6)), made = TestStack.Make(_ca.Folder, ("b", 6), ("c", 200_000), ("d", 8), ("e", 9));
        await RunAsync(0, "publish", old.Folder);
        ulong number = NoticeFile.Load(Notice)!.Number;
        var folder = new StackFolder(_ca.Ca, _ca.StateFolder);
        for (int cut = 0; cut < 2; cut++)
        {
            var source = new CutSource(new FolderLayers(made.Folder), after: 1);
            await Assert.ThrowsAsync<IOException>(() => new PublishDesk(_ca.Ca, folder, _ca.Time).PublishAsync(made.Stack, source));
            Assert.Equal(3 - cut, source.Lacking);
            Assert.Equal(number, folder.Read().Number);
            Assert.All(old.Stack.Layers, layer => Assert.True(folder.Has(layer)));
            Assert.DoesNotContain(Kept(), name => name.EndsWith(".part", StringComparison.Ordinal));
        }

        Assert.Equal(1, await RunAndCountAsync(made));
        Assert.Equal([.. made.Stack.Layers.Select(layer => layer.Digest).Order()], Kept());
    }

    [Fact]
    public async Task What_was_begun_and_left_goes_with_the_next_and_so_does_half_a_layer_after_a_power_cut()
    {
        TestStack left = TestStack.Make(_ca.Folder, ("c", 8), ("d", 9)), made = TestStack.Make(_ca.Folder, ("e", 9));
        var folder = new StackFolder(_ca.Ca, _ca.StateFolder);
        await Assert.ThrowsAsync<IOException>(() => new PublishDesk(_ca.Ca, folder, _ca.Time).PublishAsync(left.Stack, new CutSource(new FolderLayers(left.Folder), after: 1)));
        await File.WriteAllTextAsync(folder.PathOf(made.Stack.Layers[0]) + ".part", "half");
        await RunAsync(0, "publish", made.Folder);
        Assert.Equal([made.Stack.Layers[0].Digest], Kept());
    }

    [Fact]
    public async Task A_layer_that_rotted_here_comes_anew_with_the_same_stack()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5), ("b", 6));
        await RunAsync(0, "publish", made.Folder);
        string kept = Path.Combine(_ca.StateFolder, "layers", made.Stack.Layers[1].Digest);
        await File.WriteAllTextAsync(kept, "rotten");
        Assert.Equal(1, await RunAndCountAsync(made));
        Assert.Equal(made.BytesOf(1), await File.ReadAllBytesAsync(kept));
    }

    [Fact]
    public async Task A_disk_that_is_too_full_is_told_before_anything_comes()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 3 << 20), ("b", 2 << 20));
        var folder = new StackFolder(_ca.Ca, _ca.StateFolder) { Room = _ => StackFolder.RoomLeft + (5 << 20) - 1 };
        var source = new CutSource(new FolderLayers(made.Folder), after: 9);
        UserError error = await Assert.ThrowsAsync<UserError>(() => new PublishDesk(_ca.Ca, folder, _ca.Time).PublishAsync(made.Stack, source));
        Assert.Contains("needs 5 MiB there, and 4 MiB are free", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, source.Lacking);
        TestStack system = TestStack.MakeSystem(_ca.Folder, [2 << 20, 1 << 20, 1 << 20, 1 << 20]);
        error = await Assert.ThrowsAsync<UserError>(() => new PublishDesk(_ca.Ca, folder, _ca.Time).PublishAsync(system.Stack, new FolderLayers(system.Folder)));
        Assert.Contains("needs 5 MiB there, and 4 MiB are free", error.Message, StringComparison.Ordinal);
        folder = new StackFolder(_ca.Ca, _ca.StateFolder) { Room = _ => StackFolder.RoomLeft + (5 << 20) };
        error = await Assert.ThrowsAsync<UserError>(() => new PublishDesk(_ca.Ca, folder, _ca.Time).PublishAsync(made.Stack, new CutSource(source, after: 0, DiskFull)));
        Assert.Contains("layers that came whole are kept for that", error.Message, StringComparison.Ordinal);
        await new PublishDesk(_ca.Ca, folder, _ca.Time).PublishAsync(made.Stack, source);
        Assert.Equal(2, source.Lacking);
    }

    [Fact]
    public async Task One_at_a_time_publishes()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5));
        using (new StackFolder(_ca.Ca, _ca.StateFolder).TakeLock())
        {
            Assert.Contains("Another stack is being published at this moment", (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
        }

        await RunAsync(0, "publish", made.Folder);
    }

    [Fact]
    public async Task A_notice_that_this_CA_did_not_sign_is_no_stack_and_nothing_is_numbered_after_it()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5));
        using var thief = System.Security.Cryptography.ECDsa.Create(System.Security.Cryptography.ECCurve.NamedCurves.nistP384);
        await File.WriteAllBytesAsync(Notice, NoticeIssuer.Sign(thief, PoolLayers.NoticeKind, ulong.MaxValue, made.Stack.Write()));
        Assert.Contains("remove it, and publish again", (await RunAsync(1, "publish", made.Folder)).Error, StringComparison.Ordinal);
        Assert.Contains("remove it, and publish again", (await RunAsync(1, "stack")).Error, StringComparison.Ordinal);
        File.Delete(Notice);
        await RunAsync(0, "publish", made.Folder);
    }

    [Fact]
    public async Task A_clock_that_is_far_ahead_needs_a_person_s_word()
    {
        _ca.Time.Advance(TimeSpan.FromDays(40));
        string today = _ca.Time.GetUtcNow().ToString("yyyy-MM-dd", System.Globalization.CultureInfo.InvariantCulture);
        Assert.Contains($"add --today {today}", (await RunAsync(2, "publish", "--none")).Error, StringComparison.Ordinal);
        await RunAsync(0, "publish", "--none", "--today", today);
    }

    [Fact]
    public async Task A_running_server_hands_each_new_stack_to_ipopd_and_once_more_after_a_start()
    {
        string socket = Path.Combine(_ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        var log = new List<string>();
        await using NoticePublisher publisher = NoticePublisher.OfStack(new StackFolder(_ca.Ca, _ca.StateFolder), socket, _ca.Time, log.Add);
        await publisher.LookAsync();
        Assert.Empty(daemon.Notices);

        await RunAsync(0, "publish", TestStack.Make(_ca.Folder, ("a", 5)).Folder);
        await publisher.LookAsync();
        await publisher.LookAsync();
        Assert.Equal([Notice], daemon.Notices);
        await RunAsync(0, "publish", "--none");
        await publisher.LookAsync();
        Assert.Equal([Notice, Notice], daemon.Notices);

        await using NoticePublisher restarted = NoticePublisher.OfStack(new StackFolder(_ca.Ca, _ca.StateFolder), socket, _ca.Time, log.Add);
        await restarted.LookAsync();
        Assert.Equal(3, daemon.Notices.Count);
        await File.WriteAllTextAsync(Notice, "nothing");
        await restarted.LookAsync();
        Assert.Contains("is no stack that this CA signed", log[^1], StringComparison.Ordinal);
    }

    private static (string? Name, long Size, string? Digest) Layer(JsonElement json) =>
        (json.GetProperty("name").GetString(), json.GetProperty("size").GetInt64(), json.GetProperty("sha256").GetString());

    private List<string> Kept() => [.. Directory.EnumerateFiles(Path.Combine(_ca.StateFolder, "layers")).Select(path => Path.GetFileName(path)).Order()];

    private string? Detail() => _ca.Ca.Database.Read(transaction => transaction.First("SELECT detail FROM audit WHERE event = 'publish' ORDER BY id DESC LIMIT 1", row => row.GetString(0)));

    /// <summary>How many layers a publication had to take.</summary>
    private async Task<int> RunAndCountAsync(TestStack made)
    {
        var source = new CutSource(new FolderLayers(made.Folder), after: int.MaxValue);
        await new PublishDesk(_ca.Ca, new StackFolder(_ca.Ca, _ca.StateFolder), _ca.Time).PublishAsync(made.Stack, source);
        return source.Lacking;
    }

    private async Task<(string Output, string Error)> RunAsync(int code, params string[] args)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int actual = await CommandLine.RunAsync([.. args, "--state", _ca.StateFolder], output, error, _ca.Time);
        Assert.True(code == actual, $"{string.Join(' ', args)} ended with {actual}: {error}");
        return (output.ToString(), error.ToString());
    }

    /// <summary>Gives some layers whole, and half of the next.</summary>
    private sealed class CutSource(ILayerSource inner, int after, int error = 0) : ILayerSource
    {
        private int _given;

        public int Lacking { get; private set; }

        public Task BeginAsync(IReadOnlyList<StackLayer> lacking)
        {
            Lacking = lacking.Count;
            return inner.BeginAsync(lacking);
        }

        public async Task CopyAsync(StackLayer layer, Func<ReadOnlyMemory<byte>, ValueTask> take)
        {
            if (_given++ < after)
            {
                await inner.CopyAsync(layer, take);
            }
            else
            {
                await take(new byte[layer.Size / 2]);
                throw new IOException("cut", error);
            }
        }
    }
}
