using System.Text.Json;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>Publishing a stack that carries a system, or deltas.</summary>
public sealed class PublishSystemTests : Publishing
{
    [Fact]
    public async Task A_system_is_published_kept_and_shown_with_its_modules_or_without()
    {
        TestStack made = TestStack.MakeSystem(Ca.Folder, [70_000, 80, 90, 100], ("tutorial", 5), ("glue", 1)), alone = TestStack.MakeSystem(Ca.Folder, [70_000, 80, 90, 101]);
        string[] digests = [.. made.Stack.Files.Select(file => file.Digest)];
        Assert.Contains($"is published: a system with base {digests[0][..12]}, 70270 bytes, and tutorial, glue.", (await RunAsync(0, "publish", made.Folder)).Output, StringComparison.Ordinal);
        Assert.Equal(made.Stack.Write(), NoticeFile.Load(Notice)!.Body.ToArray());
        Assert.Equal([.. digests.Order()], Kept());
        Assert.EndsWith($" modules=tutorial,glue system={string.Join(',', digests[..4].Select(digest => digest[..12]))}", Detail(), StringComparison.Ordinal);
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains(", with a system, which machines that have another one take:\n  base ", said, StringComparison.Ordinal);
        Assert.All(made.Stack.Files, file => Assert.Contains($"  {file.Name,-20} {file.Size,12} bytes  {file.Digest[..12]}\n", said, StringComparison.Ordinal));

        File.Delete(Path.Combine(Ca.StateFolder, "layers", digests[2]));
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
    public async Task A_stack_that_drops_the_system_of_the_one_before_is_published_with_a_note()
    {
        TestStack system = TestStack.MakeSystem(Ca.Folder, [50, 60, 70, 80], ("a", 5)), alone = TestStack.Make(Ca.Folder, ("a", 5));
        const string Note = "note: the stack before carried a system for amd64, and this one carries none.";
        foreach ((string[] words, bool isNoted) in new[]
        {
            (new[] { alone.Folder }, false), ([system.Folder], false), ([system.Folder], false), ([alone.Folder], true), ([alone.Folder], false), ([system.Folder], false), (["--none"], false),
        })
        {
            string said = (await RunAsync(0, ["publish", .. words])).Output;
            Assert.Contains("is published: ", said, StringComparison.Ordinal);
            Assert.Equal(isNoted, said.Contains(Note, StringComparison.Ordinal));
        }

        await RunAsync(0, "publish", system.Folder);
        using var answer = JsonDocument.Parse((await RunAsync(0, "publish", alone.Folder, "--json")).Output);
        Assert.True(answer.RootElement.TryGetProperty("number", out _), "programs see the two systems by `wow-ca stack`");
    }

    [Fact]
    public async Task A_system_that_is_not_whole_is_told_with_the_file_and_changes_nothing()
    {
        TestStack good = TestStack.MakeSystem(Ca.Folder, [50, 60, 70, 80]), made = TestStack.MakeSystem(Ca.Folder, [51, 60, 71, 81], ("a", 5));
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
        TestStack system = TestStack.MakeSystem(Ca.Folder, [70_000, 80, 90, 100], ("tutorial", 5)), one = system.WithDelta(0, '7', 30), made = one.WithDelta(4, '8', 4);
        await RunAsync(0, "publish", made.Folder);
        Assert.Equal(made.Stack.Write(), NoticeFile.Load(Notice)!.Body.ToArray());
        Assert.Equal([.. made.Stack.Files.Select(file => file.Digest).Order()], Kept());
        string said = (await RunAsync(0, "stack")).Output;
        Assert.Contains("\n  2 deltas                       34 bytes, ", said, StringComparison.Ordinal);
        Assert.DoesNotContain("delta of", said, StringComparison.Ordinal);
        string kept = Path.Combine(Ca.StateFolder, "layers", made.Stack.Deltas[0].Digest);
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
        TestStack made = TestStack.Make(Ca.Folder, ("a", 50), ("b", 60)).WithDelta(1, '7', 30);
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
}
