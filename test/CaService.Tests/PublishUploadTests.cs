using System.Net.Sockets;
using System.Text;
using CaService.Admin;
using CaService.Commands;
using CaService.Layers;

namespace CaService.Tests;

/// <summary>Publishing through the administrators' socket, over a real one: the CA that serves reads no folder of theirs.</summary>
public sealed class PublishUploadTests : AsyncTests
{
    private readonly TestCa _ca = new();
    private readonly List<string> _sent = [];
    private readonly StackFolder _folder;
    private AdminServer _server;

    public PublishUploadTests()
    {
        _folder = new StackFolder(_ca.Ca, _ca.StateFolder);
        _server = Open();
    }

    private string Path => System.IO.Path.Combine(_ca.Folder, "admin.sock");

    public override async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await _ca.DisposeAsync();
    }

    [Fact]
    public async Task An_administrator_sends_what_the_CA_lacks_and_the_audit_says_who()
    {
        TestStack first = TestStack.Make(_ca.Folder, ("a", 300_000), ("b", 6)), second = TestStack.Make(_ca.Folder, ("b", 6), ("c", 1));
        (int code, string output, string error) = await SendAsync(first);
        Assert.Equal((0, string.Empty), (code, error));
        Assert.Contains("is published: a, b.", output, StringComparison.Ordinal);
        Assert.Equal(first.BytesOf(0), await File.ReadAllBytesAsync(_folder.PathOf(first.Stack.Layers[0])));
        Assert.Equal(0, (await SendAsync(second)).Code);
        Assert.Equal(["a", "b", "c"], _sent);
        Assert.Equal(second.Stack.Write(), _folder.Read().Stack.Write());
        Assert.Equal(0, (await LayerSender.PublishAsync(Path, ["publish", "--none"], PoolLayers.Empty, new FolderLayers(string.Empty), _ => { })).Code);
        Assert.Empty(_folder.Read().Stack.Layers);
        Assert.Contains("no module", (await AdminClient.AskAsync(Path, ["stack"])).Output, StringComparison.Ordinal);
        List<string> asked = _ca.Ca.Database.Read(transaction => transaction.Query("SELECT detail FROM audit WHERE event = 'asked' ORDER BY id", row => row.GetString(0)));
        Assert.Equal([$"by={Environment.UserName} what=publish", $"by={Environment.UserName} what=publish", $"by={Environment.UserName} what=publish --none"], asked);
    }

    [Fact]
    public async Task A_system_as_large_as_they_are_is_sent_before_its_modules()
    {
        TestStack made = TestStack.MakeSystem(_ca.Folder, [90 << 20, 15, 16, 17], ("a", 6)), next = TestStack.MakeSystem(_ca.Folder, [5, 15, 18, 17]);
        (int code, string output, string error) = await SendAsync(made);
        Assert.Equal((0, string.Empty), (code, error));
        Assert.Contains("is published: a system with base", output, StringComparison.Ordinal);
        Assert.Equal(["base", "node", "kernel", "initrd", "a"], _sent);
        foreach (StackLayer file in made.Stack.Files)
        {
            Assert.True(await _folder.IsWholeAsync(file), file.Name);
        }

        Assert.Equal(0, (await SendAsync(next)).Code);
        Assert.Equal(["base", "kernel"], _sent[5..]);
        Assert.Equal(next.Stack.Write(), _folder.Read().Stack.Write());
    }

    [Fact]
    public async Task Deltas_are_sent_last_and_as_many_as_a_stack_may_have()
    {
        Command publish = CommandTable.Find("publish");
        (string, int)[] modules = [.. Enumerable.Range(0, Agreed.MostModules).Select(number => ($"{(char)('a' + number)}{new string('m', 14)}", 10_000 + number)), ("glue", 9)];
        TestStack made = TestStack.MakeSystem(_ca.Folder, [5, 15, 16, 17], modules);
        for (int number = 0; number < Agreed.MostDeltas; number++)
        {
            made = made.WithDelta(number % 17, "01"[number / 17], 100_000 + number);
        }

        Assert.InRange(AdminMessage.Request([publish.Name], made.Stack.Write()).Length, 8193, AdminMessage.LongestRequest);

        using var output = new StringWriter();
        (int code, string said, string error) = await publish.Ask(Path, [], Options.Read(publish, [made.Folder]), output);
        Assert.Equal((0, string.Empty), (code, error));
        Assert.Contains("is published: a system", said, StringComparison.Ordinal);
        string[] lines = output.ToString().Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(["sent glue, 9 bytes", "sent delta of base, 100000 bytes"], lines[16..18]);
        Assert.Equal(17 + 32, lines.Length);
        Assert.Equal(made.Stack.Write(), _folder.Read().Stack.Write());
        foreach (StackLayer file in made.Stack.Files)
        {
            Assert.True(await _folder.IsWholeAsync(file), file.Name);
        }
    }

    [Fact]
    public async Task The_command_sends_the_folder_it_was_given_and_no_word_of_it()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5));
        using var output = new StringWriter();
        Options options = Options.Read(CommandTable.Find("publish"), [made.Folder]);
        (int code, string said, string error) = await CommandTable.Find("publish").Ask(Path, ["publish", made.Folder], options, output);
        Assert.Equal((0, string.Empty, $"sent a, 5 bytes{Environment.NewLine}"), (code, error, output.ToString()));
        Assert.Contains("is published: a.", said, StringComparison.Ordinal);
        Assert.Equal(0, _ca.Count($"SELECT count(*) FROM audit WHERE instr(detail, '{made.Folder}')"));
        Assert.Null(_folder.Read().Stack.RestartBy);

        options = Options.Read(CommandTable.Find("publish"), ["--none", "--restart-by", "now"]);
        Assert.Equal(0, (await CommandTable.Find("publish").Ask(Path, [], options, output)).Code);
        Assert.InRange(_folder.Read().Stack.RestartBy!.Value, 1, _ca.Time.GetUtcNow().ToUnixTimeSeconds());
        Assert.Equal(1, _ca.Count("SELECT count(*) FROM audit WHERE instr(detail, 'what=publish --none --restart-by now')"));
    }

    [Fact]
    public async Task A_layer_that_is_not_what_the_stack_says_is_told_to_who_still_sends()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5), ("b", 30 << 20));
        await File.WriteAllTextAsync(made.FileOf(0), "wrong");
        (int code, _, string error) = await SendAsync(made);
        Assert.Equal(2, code);
        Assert.Contains("a has another SHA-256", error, StringComparison.Ordinal);
        Assert.Equal(0ul, _folder.Read().Number);
    }

    [Fact]
    public async Task A_folder_that_lacks_a_file_is_told_before_anything_is_sent()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 5), ("b", 6));
        File.Delete(made.FileOf(1));
        UserError error = await Assert.ThrowsAsync<UserError>(() => SendAsync(made));
        Assert.Contains("(b) is not there", error.Message, StringComparison.Ordinal);
        Assert.Empty(_sent);
    }

    [Fact]
    public async Task An_upload_that_is_cut_leaves_nothing_that_counts_and_the_next_goes_on()
    {
        TestStack made = TestStack.Make(_ca.Folder, ("a", 70_000), ("b", 70_000));
        using (Socket socket = await BeginAsync(made))
        {
            await socket.SendAsync(made.BytesOf(0));
            await socket.SendAsync(made.BytesOf(1).AsMemory(0, 50_000));
            await WaitForAsync(() => _folder.Has(made.Stack.Layers[0]));
            Assert.Contains("Another stack is being published", (await SendAsync(made)).Error, StringComparison.Ordinal);
        }

        await WaitForAsync(IsFree);
        Assert.Equal(0ul, _folder.Read().Number);
        Assert.Single(Directory.EnumerateFiles(System.IO.Path.Combine(_ca.StateFolder, "layers")));
        Assert.Equal(0, (await SendAsync(made)).Code);
        Assert.Equal(["b"], _sent);
    }

    [Fact]
    public async Task Who_says_nothing_while_he_sends_is_given_up()
    {
        await _server.DisposeAsync();
        _server = Open(silence: TimeSpan.FromMilliseconds(300));
        TestStack made = TestStack.Make(_ca.Folder, ("a", 70_000));
        using Socket socket = await BeginAsync(made);
        await socket.SendAsync(made.BytesOf(0).AsMemory(0, 50_000));
        Assert.Equal(0, await socket.ReceiveAsync(new byte[1]));
        await WaitForAsync(IsFree);
        Assert.Equal(0, (await SendAsync(made)).Code);
    }

    [Theory]
    [InlineData("reads no folder", "{\"words\":[\"publish\",\"/root\"]}\n")]
    [InlineData("reads no folder", "{\"words\":[\"publish\"]}\n")]
    [InlineData("reads no folder", "{\"words\":[\"publish\",\"/root\"],\"stack\":\"wow-stack 1\\n\"}\n")]
    [InlineData("is no stack", "{\"words\":[\"publish\"],\"stack\":\"wow-stack 1\\u0000\"}\n")]
    [InlineData("are root's", "{\"words\":[\"publish\",\"--state\",\"/tmp\"],\"stack\":\"wow-stack 1\\n\"}\n")]
    [InlineData("no request", "{\"words\":[\"publish\"],\"stack\":7}\n")]
    [InlineData("no request", "{\"stack\":\"wow-stack 1\\n\"}\n")]
    [InlineData("no request", "{\"words\":[\"publish\"],\"page\":\"a\",\"stack\":\"wow-stack 1\\n\"}\n")]
    public async Task What_names_a_folder_or_is_no_stack_is_refused(string says, string line)
    {
        using Socket socket = await ConnectAsync();
        using var reader = new StreamReader(new NetworkStream(socket));
        await socket.SendAsync(Encoding.UTF8.GetBytes(line));
        Assert.Contains(says, await reader.ReadToEndAsync(), StringComparison.Ordinal);
        Assert.Equal(0ul, _folder.Read().Number);
    }

    [Fact]
    public async Task The_web_page_s_account_publishes_nothing_whoever_is_logged_in_there()
    {
        var sessions = new PageSessions(_ca.Time, _ => true);
        Assert.True(sessions.TryLogin(sessions.MakeCode("carol"), out string? secret, out _));
        var desk = new AdminDesk(sessions, _ca.StateFolder, _ca.Time);
        var source = new FolderLayers(_ca.Folder);
        Assert.Equal((int)ExitCode.NotAdmitted, (await desk.AnswerAsync(new AdminRequest(["publish"], Stack: "wow-stack 1\n"), Agreed.WebAccount, source)).Code);
        Assert.Contains("not done by the page", (await desk.AnswerAsync(new AdminRequest(["publish"], Page: secret), Agreed.WebAccount, source)).Error, StringComparison.Ordinal);
        Assert.Contains("not done by the page", (await desk.AnswerAsync(new AdminRequest(["stack"], Page: secret), Agreed.WebAccount, source)).Error, StringComparison.Ordinal);
        Assert.Equal(0ul, _folder.Read().Number);
    }

    private bool IsFree()
    {
        try
        {
            using IDisposable one = _folder.TakeLock();
            return true;
        }
        catch (UserError)
        {
            return false;
        }
    }

    private AdminServer Open(TimeSpan? silence = null) => AdminServer.Open(
        Path, new AdminDesk(new PageSessions(_ca.Time, _ => true), _ca.StateFolder, _ca.Time).AnswerAsync, TimeSpan.FromSeconds(20), _ => { }, silence: silence);

    private Task<(int Code, string Output, string Error)> SendAsync(TestStack made) =>
        LayerSender.PublishAsync(Path, ["publish"], made.Stack, new FolderLayers(made.Folder), layer => _sent.Add(layer.Name));

    private async Task<Socket> ConnectAsync()
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(Path));
        return socket;
    }

    /// <summary>A connection whose other end waits for the layers.</summary>
    private async Task<Socket> BeginAsync(TestStack made)
    {
        Socket socket = await ConnectAsync();
        await socket.SendAsync(AdminMessage.Request(["publish"], made.Stack.Write()));
        string line = Encoding.UTF8.GetString((await LineReader.ReadAsync(socket, AdminMessage.LongestRequest, CancellationToken.None)).Span);
        Assert.Equal(made.Stack.Files.Select(layer => layer.Digest), AdminMessage.ReadLacks(line));
        return socket;
    }
}
