using System.Text;
using System.Text.Json;
using Brunet.Notices;
using CaService.Est;
using CaService.Layers;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>Publishing a stack in the CA's folder: what is signed, what is kept, and what a failure leaves.</summary>
public sealed class PublishCommandTests : Publishing
{
    // errno(3).
    private const int DiskFull = 28;

    [Fact]
    public async Task The_stack_is_a_notice_that_every_machine_believes_and_its_layers_are_kept()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("tutorial", 70_000), ("storm-surge", 10), ("glue", 1));
        Assert.Contains("is published: tutorial, storm-surge, glue.", (await RunAsync(0, "publish", made.Folder)).Output, StringComparison.Ordinal);
        Notice notice = NoticeFile.Load(Notice)!;
        Assert.Equal(3, notice.Kind);
        Assert.Equal(made.Stack.Write(), notice.Body.ToArray());
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        Assert.True(policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span));
        Assert.Equal(made.BytesOf(0), await File.ReadAllBytesAsync(Path.Combine(Ca.StateFolder, "layers", made.Stack.Layers[0].Digest)));
        Assert.Equal($"number={notice.Number} modules=tutorial,storm-surge,glue", Detail());
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains($"stack {notice.Number} for amd64, over base bbbbbbbbbbbb and node cccccccccccc:\n  tutorial", said, StringComparison.Ordinal);
        Assert.DoesNotContain("lacks", said, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_stack_for_two_architectures_is_kept_whole_and_shown_by_both()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 5)), other = TestStack.MakeSystem(Ca.Folder, [6, 7, 8, 9], ("a", 5));
        string text = Encoding.ASCII.GetString(made.Stack.Write()) + Encoding.ASCII.GetString(other.Stack.Write()).Replace("wow-stack 1", "architecture arm64", StringComparison.Ordinal);
        await File.WriteAllTextAsync(Path.Combine(other.Folder, "stack"), text);
        Assert.Contains("is published: for amd64 a; for arm64 a system with base ", (await RunAsync(0, "publish", other.Folder)).Output, StringComparison.Ordinal);
        Assert.Equal(text, Encoding.ASCII.GetString(NoticeFile.Load(Notice)!.Body.Span));
        Assert.Equal([.. other.Stack.Files.Select(file => file.Digest).Order()], Kept());
        Assert.EndsWith($" modules=a arm64={string.Join(',', other.Stack.System.Select(file => file.Digest[..12]))},a", Detail(), StringComparison.Ordinal);
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains(" for amd64, over base bbbbbbbbbbbb and node", said, StringComparison.Ordinal);
        Assert.Contains(" for arm64, with a system, which", said, StringComparison.Ordinal);
        using var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        JsonElement arm = Assert.Single(found.RootElement.GetProperty("others").EnumerateArray());
        Assert.Equal(("arm64", 4), (arm.GetProperty("architecture").GetString(), arm.GetProperty("system").GetArrayLength()));
    }

    [Fact]
    public async Task The_answer_for_programs_names_all_layers_and_which_are_lacking()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 5), ("b", 6));
        using (var nothing = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output))
        {
            Assert.Equal((0, 0), (nothing.RootElement.GetProperty("number").GetInt32(), nothing.RootElement.GetProperty("layers").GetArrayLength()));
        }

        using var published = JsonDocument.Parse((await RunAsync(0, "publish", made.Folder, "--json")).Output);
        File.Delete(Path.Combine(Ca.StateFolder, "layers", made.Stack.Layers[1].Digest));
        using var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        Assert.Equal(published.RootElement.GetProperty("number").GetUInt64(), found.RootElement.GetProperty("number").GetUInt64());
        Assert.Equal(("a", 5L, made.Stack.Layers[0].Digest), Layer(found.RootElement.GetProperty("layers")[0]));
        Assert.Equal(new string('b', 64), found.RootElement.GetProperty("base").GetString());
        Assert.Equal("b", Assert.Single(found.RootElement.GetProperty("lacks").EnumerateArray()).GetString());
        Assert.Contains("lacks b, which machines can't fetch", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("now", 0)]
    [InlineData("2027-01-31", 1801439999)]
    [InlineData("2027-01-31T12:00:00Z", 1801396800)]
    public async Task A_deadline_is_signed_with_the_modules_and_is_shown(string said, long second)
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 5));
        Ca.Time.Advance(new DateTimeOffset(2026, 11, 26, 0, 0, 0, TimeSpan.Zero) - Ca.Time.GetUtcNow());
        foreach (string[] what in (string[][])[[made.Folder], ["--none"]])
        {
            long before = Ca.Time.GetUtcNow().ToUnixTimeSeconds();
            string output = (await RunAsync(0, ["publish", .. what, "--restart-by", said])).Output;
            using var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
            long signed = found.RootElement.GetProperty("restart_by").GetInt64();
            Assert.InRange(signed, second == 0 ? before : second, second == 0 ? Ca.Time.GetUtcNow().ToUnixTimeSeconds() : second);
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
        Ca.Time.Advance(new DateTimeOffset(2026, 11, 26, 0, 0, 0, TimeSpan.Zero) - Ca.Time.GetUtcNow());
        Assert.Contains(why, (await RunAsync(2, "publish", "--none", "--restart-by", said)).Error, StringComparison.Ordinal);
        Assert.False(File.Exists(Notice));
    }

    [Fact]
    public async Task The_number_grows_whatever_the_clock_says_and_what_no_stack_needs_goes()
    {
        TestStack first = TestStack.Make(Ca.Folder, ("a", 5), ("b", 6)), second = TestStack.Make(Ca.Folder, ("b", 6), ("c", 7));
        await RunAsync(0, "publish", first.Folder);
        ulong number = NoticeFile.Load(Notice)!.Number;
        Assert.InRange(number, 1_700_000_000ul, (ulong)Ca.Time.GetUtcNow().ToUnixTimeSeconds());
        Ca.Time.Advance(TimeSpan.FromDays(-1));
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
        TestStack good = TestStack.Make(Ca.Folder, ("a", 5));
        await RunAsync(0, "publish", good.Folder);
        byte[] before = await File.ReadAllBytesAsync(Notice);
        TestStack made = TestStack.Make(Ca.Folder, ("b", 50), ("c", 60));

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
        TestStack old = TestStack.Make(Ca.Folder, ("a", 5), ("b", 6)), made = TestStack.Make(Ca.Folder, ("b", 6), ("c", 200_000), ("d", 8), ("e", 9));
        await RunAsync(0, "publish", old.Folder);
        ulong number = NoticeFile.Load(Notice)!.Number;
        var folder = new StackFolder(Ca.Ca, Ca.StateFolder);
        for (int cut = 0; cut < 2; cut++)
        {
            var source = new CutSource(new FolderLayers(made.Folder), after: 1);
            await Assert.ThrowsAsync<IOException>(() => new PublishDesk(Ca.Ca, folder, Ca.Time).PublishAsync(made.Stack, source));
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
        TestStack left = TestStack.Make(Ca.Folder, ("c", 8), ("d", 9)), made = TestStack.Make(Ca.Folder, ("e", 9));
        var folder = new StackFolder(Ca.Ca, Ca.StateFolder);
        await Assert.ThrowsAsync<IOException>(() => new PublishDesk(Ca.Ca, folder, Ca.Time).PublishAsync(left.Stack, new CutSource(new FolderLayers(left.Folder), after: 1)));
        await File.WriteAllTextAsync(folder.PathOf(made.Stack.Layers[0]) + ".part", "half");
        await RunAsync(0, "publish", made.Folder);
        Assert.Equal([made.Stack.Layers[0].Digest], Kept());
    }

    [Fact]
    public async Task A_layer_that_rotted_here_comes_anew_with_the_same_stack()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 5), ("b", 6));
        await RunAsync(0, "publish", made.Folder);
        string kept = Path.Combine(Ca.StateFolder, "layers", made.Stack.Layers[1].Digest);
        await File.WriteAllTextAsync(kept, "rotten");
        Assert.Equal(1, await RunAndCountAsync(made));
        Assert.Equal(made.BytesOf(1), await File.ReadAllBytesAsync(kept));
    }

    [Fact]
    public async Task A_disk_that_is_too_full_is_told_before_anything_comes()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 3 << 20), ("b", 2 << 20));
        var folder = new StackFolder(Ca.Ca, Ca.StateFolder) { Room = _ => StackFolder.RoomLeft + (5 << 20) - 1 };
        var source = new CutSource(new FolderLayers(made.Folder), after: 9);
        UserError error = await Assert.ThrowsAsync<UserError>(() => new PublishDesk(Ca.Ca, folder, Ca.Time).PublishAsync(made.Stack, source));
        Assert.Contains("needs 5 MiB there, and 4 MiB are free", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, source.Lacking);
        TestStack system = TestStack.MakeSystem(Ca.Folder, [2 << 20, 1 << 20, 1 << 20, 1 << 20]);
        error = await Assert.ThrowsAsync<UserError>(() => new PublishDesk(Ca.Ca, folder, Ca.Time).PublishAsync(system.Stack, new FolderLayers(system.Folder)));
        Assert.Contains("needs 5 MiB there, and 4 MiB are free", error.Message, StringComparison.Ordinal);
        folder = new StackFolder(Ca.Ca, Ca.StateFolder) { Room = _ => StackFolder.RoomLeft + (5 << 20) };
        error = await Assert.ThrowsAsync<UserError>(() => new PublishDesk(Ca.Ca, folder, Ca.Time).PublishAsync(made.Stack, new CutSource(source, after: 0, DiskFull)));
        Assert.Contains("layers that came whole are kept for that", error.Message, StringComparison.Ordinal);
        await new PublishDesk(Ca.Ca, folder, Ca.Time).PublishAsync(made.Stack, source);
        Assert.Equal(2, source.Lacking);
    }

    [Fact]
    public async Task One_at_a_time_publishes()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 5));
        using (new StackFolder(Ca.Ca, Ca.StateFolder).TakeLock())
        {
            Assert.Contains("Another stack is being published at this moment", (await RunAsync(2, "publish", made.Folder)).Error, StringComparison.Ordinal);
        }

        await RunAsync(0, "publish", made.Folder);
    }

    [Fact]
    public async Task A_notice_that_this_CA_did_not_sign_is_no_stack_and_nothing_is_numbered_after_it()
    {
        TestStack made = TestStack.Make(Ca.Folder, ("a", 5));
        using var thief = System.Security.Cryptography.ECDsa.Create(System.Security.Cryptography.ECCurve.NamedCurves.nistP384);
        await File.WriteAllBytesAsync(Notice, NoticeIssuer.Sign(thief, PoolLayers.NoticeKind, ulong.MaxValue, made.Stack.Write()));
        Assert.Contains("publish it once more", (await RunAsync(1, "stack")).Error, StringComparison.Ordinal);
        await RunAsync(0, "publish", made.Folder);
        using var said = System.Text.Json.JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        Assert.InRange(said.RootElement.GetProperty("number").GetUInt64(), 1ul, (ulong)Ca.Time.GetUtcNow().ToUnixTimeSeconds());
    }

    [Fact]
    public async Task A_clock_that_is_far_ahead_needs_a_person_s_word()
    {
        Ca.Time.Advance(TimeSpan.FromDays(40));
        string today = Ca.Time.GetUtcNow().ToString("yyyy-MM-dd", System.Globalization.CultureInfo.InvariantCulture);
        Assert.Contains($"add --today {today}", (await RunAsync(2, "publish", "--none")).Error, StringComparison.Ordinal);
        await RunAsync(0, "publish", "--none", "--today", today);
    }

    [Fact]
    public async Task A_running_server_hands_each_new_stack_to_ipopd_and_once_more_after_a_start()
    {
        string socket = Path.Combine(Ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        var log = new List<string>();
        await using NoticePublisher publisher = NoticePublisher.OfStack(new StackFolder(Ca.Ca, Ca.StateFolder), socket, Ca.Time, log.Add);
        await publisher.LookAsync();
        Assert.Empty(daemon.Notices);

        await RunAsync(0, "publish", TestStack.Make(Ca.Folder, ("a", 5)).Folder);
        await publisher.LookAsync();
        await publisher.LookAsync();
        Assert.Equal([Notice], daemon.Notices);
        await RunAsync(0, "publish", "--none");
        await publisher.LookAsync();
        Assert.Equal([Notice, Notice], daemon.Notices);

        await using NoticePublisher restarted = NoticePublisher.OfStack(new StackFolder(Ca.Ca, Ca.StateFolder), socket, Ca.Time, log.Add);
        await restarted.LookAsync();
        Assert.Equal(3, daemon.Notices.Count);
        await File.WriteAllTextAsync(Notice, "nothing");
        await restarted.LookAsync();
        Assert.Contains("is no stack that this CA signed", log[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("b", false)]
    [InlineData("b", true)]
    [InlineData(null, false)]
    public async Task Another_stack_takes_the_place_of_one_that_rotted(string? module, bool isSectorBad)
    {
        await RunAsync(0, "publish", TestStack.Make(Ca.Folder, ("a", 5)).Folder);
        byte[] rotten = await File.ReadAllBytesAsync(Notice);
        rotten[^3] ^= 1;
        File.Delete(Notice);
        if (isSectorBad)
        {
            // The kernel's word for its first byte is that of a bad sector (proc_pid_mem(5)).
            File.CreateSymbolicLink(Notice, "/proc/self/mem");
        }
        else
        {
            await File.WriteAllBytesAsync(Notice, rotten);
        }

        Assert.Contains("is no stack that this CA signed: publish it once more", (await RunAsync(1, "stack")).Error, StringComparison.Ordinal);

        await RunAsync(0, "publish", module is null ? "--none" : TestStack.Make(Ca.Folder, (module, 5)).Folder);
        Assert.Contains(module is null ? "no module" : "b  ", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        Assert.Equal(module is null ? 0 : 1, Kept().Count);
    }
}
