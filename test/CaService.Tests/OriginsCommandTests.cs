using System.Text.Json;
using Brunet.Notices;
using CaService.Layers;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>An administrator names web servers that have the stack's files: what is signed, by which key, and what people see.</summary>
public sealed class OriginsCommandTests : Publishing
{
    private const string A = "https://a.example/wow", B = "https://b.example:8443";

    private string File => Path.Combine(Ca.StateFolder, "origins.notice");

    [Fact]
    public async Task They_are_a_notice_that_machines_believe_in_the_order_that_was_typed()
    {
        Assert.Contains("No web server is named", (await RunAsync(0, "origins")).Output, StringComparison.Ordinal);
        Assert.False(System.IO.File.Exists(File));
        Assert.Equal(0ul, Desk().Current());
        Assert.Contains($"  {B}\n  {A}\n", (await RunAsync(0, "origins", B, A)).Output, StringComparison.Ordinal);
        Notice notice = NoticeFile.Load(File)!;
        Assert.Equal((6, Desk().Current()), (notice.Kind, notice.Number));
        Assert.Equal(System.Text.Encoding.ASCII.GetBytes($"wow-origins 1\norigin {B}\norigin {A}\n"), notice.Body.ToArray());
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        Assert.True(IsBelieved(policy));
        Assert.Contains($"Machines ask {B}, {A} first.", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        Assert.Equal($"number={notice.Number} origins={B},{A}", Ca.Ca.Database.Read(transaction => transaction.First("SELECT detail FROM audit WHERE event = 'origins'", row => row.GetString(0))));
    }

    [Fact]
    public async Task They_are_changed_and_taken_back_each_time_with_a_higher_number_and_no_file_of_the_stack()
    {
        ulong first = Number(await RunAsync(0, "origins", A, "--json"));
        ulong second = Number(await RunAsync(0, "origins", B, "--json"));
        ulong last = Number(await RunAsync(0, "origins", "--none", "--json"));
        Assert.True(first < second && second < last);
        Assert.Empty(Desk().Read().List.Origins);
        Assert.Equal(last, Number(await RunAsync(0, "origins", "--json")));
        Assert.DoesNotContain("Machines ask", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_no_origin_changes_nothing_and_says_what_to_do()
    {
        await RunAsync(0, "origins", A);
        byte[] before = await System.IO.File.ReadAllBytesAsync(File);
        Assert.Contains("'http://b.example' is not https://", (await RunAsync(2, "origins", A, "http://b.example")).Error, StringComparison.Ordinal);
        Assert.Contains("4 at most, and 5", (await RunAsync(2, "origins", "https://a", "https://b", "https://c", "https://d", "https://e")).Error, StringComparison.Ordinal);
        Assert.Contains("twice", (await RunAsync(2, "origins", A, A)).Error, StringComparison.Ordinal);
        Assert.Contains("not both", (await RunAsync(2, "origins", A, "--none")).Error, StringComparison.Ordinal);
        Ca.Time.Advance(TimeSpan.FromDays(40));
        Assert.Contains("--today", (await RunAsync(2, "origins", B)).Error, StringComparison.Ordinal);
        Assert.Equal(before, await System.IO.File.ReadAllBytesAsync(File));
    }

    [Fact]
    public async Task The_key_that_signs_the_stack_signs_them_and_another_one_signs_them_anew()
    {
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        ulong first = Number(await RunAsync(0, "origins", A, "--json"));
        await RunAsync(0, "rekey");
        policy.Learn(NoticeFile.Load(Path.Combine(Ca.StateFolder, "keys.notice"))!);
        Assert.True(IsBelieved(policy));
        Assert.InRange(NoticeFile.Load(File)!.Number, first + 1, ulong.MaxValue);
        Assert.Equal([A], Desk().Read().List.Origins);
        await RunAsync(0, "origins", B);
        Assert.True(IsBelieved(policy));
    }

    private static ulong Number((string Output, string Error) said)
    {
        using var json = JsonDocument.Parse(said.Output);
        return json.RootElement.GetProperty("number").GetUInt64();
    }

    private OriginsDesk Desk() => new(Ca.Ca, new StackFolder(Ca.Ca, Ca.StateFolder), Ca.StateFolder, Ca.Time);

    private bool IsBelieved(AuthorityNoticePolicy policy)
    {
        Notice notice = NoticeFile.Load(File)!;
        return policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span);
    }
}
