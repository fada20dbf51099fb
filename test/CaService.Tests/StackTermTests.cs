using System.Text.Json;
using Brunet.Notices;
using CaService.Est;
using CaService.Layers;
using CertificateProfile;
using Ipopd.Identity;
using Ipopd.State;

namespace CaService.Tests;

/// <summary>Until when the published stack is the newest: the CA that serves renews that, and people see it.</summary>
public sealed class StackTermTests : Publishing
{
    private TermDesk Desk => new(new StackFolder(Ca.Ca, Ca.StateFolder), Ca.StateFolder, Ca.Time);

    private string File => Path.Combine(Ca.StateFolder, "term.notice");

    [Fact]
    public async Task It_is_a_notice_that_every_machine_believes_and_lasts_two_weeks()
    {
        Assert.Equal(0ul, Desk.Current());
        Assert.False(System.IO.File.Exists(File));
        ulong stack = await PublishAsync("a");
        Assert.Equal(Desk.Current(), NoticeFile.Load(File)!.Number);
        Notice notice = NoticeFile.Load(File)!;
        Assert.Equal(4, notice.Kind);
        using var policy = new AuthorityNoticePolicy(Ca.Ca.Authority.Der.Span);
        Assert.True(policy.IsSigned(Brunet.Notices.Notice.Content(notice.Kind, notice.Number, notice.Body.Span), notice.Signature.Span));
        Assert.True(StackTerm.TryRead(notice.Body.Span, out StackTerm? term));
        Assert.Equal(stack, term.Stack);
        Assert.InRange(Ca.Time.GetUtcNow() + TimeSpan.FromDays(14) - DateTimeOffset.FromUnixTimeSeconds(term.Until), TimeSpan.Zero, TimeSpan.FromSeconds(10));
    }

    [Fact]
    public async Task It_is_renewed_each_day_and_at_once_for_another_stack_each_time_with_a_higher_number()
    {
        await PublishAsync("a");
        ulong first = Desk.Current();
        Ca.Time.Advance(TimeSpan.FromHours(23));
        Assert.Equal(first, Desk.Current());
        Ca.Time.Advance(TimeSpan.FromHours(2));
        ulong second = Desk.Current();
        Assert.InRange(second, first + 1, ulong.MaxValue);
        ulong other = await PublishAsync("b");
        Assert.InRange(Desk.Current(), second + 1, ulong.MaxValue);
        Assert.Equal(other, Desk.Read().Term!.Stack);
    }

    [Fact]
    public async Task A_folder_that_lost_count_goes_on_from_the_number_that_a_machine_names_and_so_does_the_term()
    {
        Ca.Time.Advance(TimeSpan.FromDays(20));
        ulong stack = await PublishAsync("a"), term = Desk.Current();
        Assert.InRange(term, stack + 1, ulong.MaxValue);
        Ca.Time.Advance(TimeSpan.FromDays(-20));
        System.IO.File.Delete(Notice);
        System.IO.File.Delete(File);
        Assert.InRange(await PublishAsync("a"), 1ul, stack - 1);
        Assert.InRange(Desk.Current(), 1ul, term - 1);
        await RunAsync(0, "publish", TestStack.Make(Ca.Folder, ("b", 5)).Folder, "--after", $"{term}");
        Assert.Equal(term + 1, NoticeFile.Load(Notice)!.Number);
        Assert.Equal(term + 2, Desk.Current());
        Assert.Equal(term + 2, NoticeFile.Load(File)!.Number);
        await RunAsync(0, "publish", "--none", "--after", "1", "--json");
        Assert.Equal(term + 2, NoticeFile.Load(Notice)!.Number);
        Assert.Equal(term + 3, Desk.Current());
        byte[] before = await System.IO.File.ReadAllBytesAsync(Notice);
        foreach (string said in (string[])["0", "-1", "soon", "1.5", "18446744073709551615", "99999999999999999999999"])
        {
            Assert.Contains("--after is '", (await RunAsync(2, "publish", "--none", "--after", said)).Error, StringComparison.Ordinal);
        }

        Assert.Equal(before, await System.IO.File.ReadAllBytesAsync(Notice));
    }

    [Fact]
    public async Task A_clock_that_was_ahead_for_a_while_costs_nothing()
    {
        await PublishAsync("a");
        Ca.Time.Advance(TimeSpan.FromDays(365));
        ulong ahead = Desk.Current();
        Ca.Time.Advance(TimeSpan.FromDays(-365));
        Assert.Equal(ahead + 1, Desk.Current());
        Assert.InRange(DateTimeOffset.FromUnixTimeSeconds(Desk.Read().Term!.Until), Ca.Time.GetUtcNow() + TimeSpan.FromDays(13), Ca.Time.GetUtcNow() + TimeSpan.FromDays(14));
        Assert.Equal(ahead + 1, Desk.Current());
    }

    [Fact]
    public async Task A_file_that_is_damaged_or_of_another_CA_is_signed_anew()
    {
        await PublishAsync("a");
        ulong first = Desk.Current();
        await using var other = new TestCa();
        byte[] whole = await System.IO.File.ReadAllBytesAsync(File);
        foreach (byte[] bytes in (byte[][])[[], [1], whole[..^1], new byte[4096], NoticeIssuer.Sign(other.Ca.Key, 4, 9, whole.AsSpan(^20))])
        {
            await System.IO.File.WriteAllBytesAsync(File, bytes);
            Assert.InRange(Desk.Current(), first, ulong.MaxValue);
            Assert.NotNull(Desk.Read().Term);
        }

        // The kernel's word for its first byte is that of a bad sector (proc_pid_mem(5)).
        System.IO.File.Delete(File);
        System.IO.File.CreateSymbolicLink(File, "/proc/self/mem");
        Assert.InRange(Desk.Current(), first, ulong.MaxValue);
        Assert.NotNull(Desk.Read().Term);
    }

    [Fact]
    public async Task A_running_server_hands_each_new_one_to_ipopd()
    {
        string socket = Path.Combine(Ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        var log = new List<string>();
        await using NoticePublisher publisher = NoticePublisher.OfTerm(Desk, socket, Ca.Time, log.Add);
        await publisher.LookAsync();
        Assert.Empty(daemon.Notices);
        await PublishAsync("a");
        await publisher.LookAsync();
        await publisher.LookAsync();
        Assert.Equal([File], daemon.Notices);
        Ca.Time.Advance(TimeSpan.FromDays(2));
        await publisher.LookAsync();
        Assert.Equal([File, File], daemon.Notices);
        Assert.All(log, line => Assert.StartsWith("term spread=1", line, StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_server_renews_it_by_itself()
    {
        string socket = Path.Combine(Ca.Folder, "control");
        await using var daemon = new FakeDaemon(socket, "127.81.0.1", "127.81.0.1");
        await PublishAsync("a");
        await Ca.StartAsync(settings => settings with { Control = socket });
        await WaitForAsync(() => Ca.Log.Contains("term spread=", StringComparison.Ordinal));
        Assert.Equal(Desk.Read().Number, Desk.Current());
    }

    [Fact]
    public async Task People_and_programs_see_until_when_and_what_to_do_when_that_is_over()
    {
        Assert.DoesNotContain("newest", (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        ulong stack = await PublishAsync("a");
        await SaysAsync((long)stack + Agreed.TermLife, "Machines take it for the newest until");
        Ca.Time.Advance(TimeSpan.FromDays(10));
        Desk.Current();
        await SaysAsync(Desk.Read().Term!.Until, "wow-ca serve renews that each day");
        Ca.Time.Advance(TimeSpan.FromDays(15));
        await SaysAsync(Desk.Read().Term!.Until, "Its time ran out at");
    }

    private async Task SaysAsync(long until, string words)
    {
        Assert.Contains(words, (await RunAsync(0, "stack")).Output, StringComparison.Ordinal);
        using var found = JsonDocument.Parse((await RunAsync(0, "stack", "--json")).Output);
        Assert.Equal(until, found.RootElement.GetProperty("until").GetInt64());
    }

    private async Task<ulong> PublishAsync(string module)
    {
        await RunAsync(0, "publish", TestStack.Make(Ca.Folder, (module, 5)).Folder);
        return NoticeFile.Load(Notice)!.Number;
    }
}
