using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using CaService.Admin;
using CaService.Commands;

namespace CaService.Tests;

/// <summary>The socket by which administrators ask, over a real one.</summary>
public sealed class AdminServerTests : AsyncTests
{
    private const string Key = "00112233445566778899aabbccddeeff00112233";
    private readonly TestCa _ca = new();
    private readonly List<string> _log = [];
    private AdminServer _server;

    public AdminServerTests() => _server = Open(TimeSpan.FromSeconds(20));

    private string Path => System.IO.Path.Combine(_ca.Folder, "admin.sock");

    public override async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        await _ca.DisposeAsync();
    }

    [Fact]
    public async Task What_is_asked_is_done_and_the_audit_says_by_whom()
    {
        (int code, string output, string error) = await AdminClient.AskAsync(Path, ["approve", Key]);
        Assert.Equal((0, $"{Key} is approved\n", string.Empty), (code, output, error));
        Assert.Contains(Key, (await AdminClient.AskAsync(Path, ["requests", "--all"])).Output, StringComparison.Ordinal);
        string ticket = (await AdminClient.AskAsync(Path, ["ticket", "--uses", "3", "--until", "2999-01-01"])).Output;
        await AdminClient.AskAsync(Path, ["deny", Key, "--json"]);
        Assert.Matches("^[^:]+:[^:]+\n$", ticket);
        List<string> asked = _ca.Ca.Database.Read(transaction => transaction.Query("SELECT detail FROM audit WHERE event = 'asked' ORDER BY id", row => row.GetString(0)));
        Assert.Equal([$"by={Environment.UserName} what=approve {Key}", $"by={Environment.UserName} what=ticket --uses 3 --until 2999-01-01", $"by={Environment.UserName} what=deny {Key}"], asked);
        Assert.DoesNotContain(ticket.Split(':')[1].Trim(), string.Join('\n', asked), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_answer_may_be_for_programs_and_long()
    {
        for (int i = 0; i < 60; i++)
        {
            Assert.Equal(0, (await AdminClient.AskAsync(Path, ["approve", .. Enumerable.Range(0, 100).Select(j => $"{(i * 100) + j:x40}")])).Code);
        }

        using var told = JsonDocument.Parse((await AdminClient.AskAsync(Path, ["requests", "--all", "--json"])).Output);
        Assert.Equal(6000, told.RootElement.GetProperty("requests").GetArrayLength());
    }

    [Theory]
    [InlineData("is not done for administrators", "serve")]
    [InlineData("is not done for administrators", "manager", "--state", "/tmp", "--out", "/tmp")]
    [InlineData("is not done for administrators", "help")]
    [InlineData("are root's", "list", "--state", "/tmp")]
    [InlineData("are root's", "revoke", "--certificate", "/etc/shadow")]
    [InlineData("There is no command", "shell")]
    [InlineData("There is no command")]
    [InlineData("no option of this command", "requests", "--out", "/tmp")]
    [InlineData("is no key", "approve", "alpha")]
    public async Task What_is_not_for_administrators_is_refused_and_changes_nothing(string says, params string[] words)
    {
        (int code, string output, string error) = await AdminClient.AskAsync(Path, words);
        Assert.Equal((2, string.Empty), (code, output));
        Assert.Contains(says, error, StringComparison.Ordinal);
        Assert.Equal(0, _ca.Count("SELECT count(*) FROM admissions"));
    }

    [Theory]
    [InlineData("{\"page\":\"a\",\"words\":[\"overview\"]}\n")]
    [InlineData("{\"code\":\"a\"}\n")]
    [InlineData("{\"end\":\"a\"}\n")]
    public async Task What_the_page_s_account_alone_may_ask_nobody_else_is_answered(string line) =>
        Assert.Contains("by the web page's account alone", await SayAsync(Encoding.UTF8.GetBytes(line)), StringComparison.Ordinal);

    [Theory]
    [InlineData("hello\n")]
    [InlineData("[]\n")]
    [InlineData("{}\n")]
    [InlineData("{\"words\":[1]}\n")]
    [InlineData("{\"words\":\"list\"}\n")]
    [InlineData("{\"words\":[\"list\"],\"page\":7}\n")]
    [InlineData("{\"words\":[\"list\"],\"words\":[\"list\"]}\n")]
    [InlineData("{\"words\":[\"list\"],\"code\":\"a\"}\n")]
    [InlineData("{\"words\":[\"list\"],\"who\":\"root\"}\n")]
    [InlineData("{\"page\":\"a\"}\n")]
    [InlineData("{\"code\":\"a\",\"end\":\"a\"}\n")]
    [InlineData("{\"words\":[\"list\"]}")]
    public async Task A_line_that_is_no_request_is_told_so(string line) => Assert.Contains("no request", await SayAsync(Encoding.UTF8.GetBytes(line)), StringComparison.Ordinal);

    [Fact]
    public async Task A_line_without_end_is_not_kept()
    {
        Assert.Contains("no request", await SayAsync(new byte[AdminMessage.LongestRequest + 1]), StringComparison.Ordinal);
        await Assert.ThrowsAsync<UserError>(() => AdminClient.AskAsync(Path, ["approve", new string('a', AdminMessage.LongestRequest)]));
    }

    [Fact]
    public async Task Those_who_say_nothing_give_way_and_the_next_is_heard()
    {
        await _server.DisposeAsync();
        _server = Open(TimeSpan.FromMilliseconds(200));
        List<Socket> silent = [];
        for (int i = 0; i < 2 * AdminServer.MostClients; i++)
        {
            silent.Add(await ConnectAsync());
        }

        Assert.Equal(0, (await AdminClient.AskAsync(Path, ["policy"])).Code);
        silent.ForEach(socket => socket.Dispose());
        Assert.Contains(_log, line => line.Contains("said nothing in time", StringComparison.Ordinal));
    }

    [Fact]
    public async Task The_page_s_account_fills_half_of_the_places_and_no_more()
    {
        await _server.DisposeAsync();
        _server = Open(TimeSpan.FromSeconds(20), page: Environment.UserName);
        List<Socket> silent = [];
        for (int i = 0; i < AdminServer.MostClients; i++)
        {
            silent.Add(await ConnectAsync());
        }

        byte[] nothing = new byte[1];
        foreach (Socket refused in silent[AdminServer.MostOfPage..])
        {
            Assert.Equal(0, await refused.ReceiveAsync(nothing));
        }

        Assert.All(silent[..AdminServer.MostOfPage], socket => Assert.False(socket.Poll(0, SelectMode.SelectRead)));
        silent.ForEach(socket => socket.Dispose());
    }

    [Fact]
    public async Task The_socket_is_its_owner_s_and_its_group_s_and_a_new_server_replaces_it()
    {
        const UnixFileMode OwnerAndGroup = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite;
        Assert.Equal(OwnerAndGroup, File.GetUnixFileMode(Path));
        await using AdminServer second = Open(TimeSpan.FromSeconds(20));
        Assert.Equal(0, (await AdminClient.AskAsync(Path, ["policy"])).Code);
    }

    [Fact]
    public async Task Before_it_serves_the_command_says_where_to_type_it_and_when()
    {
        await _server.DisposeAsync();
        Assert.False(File.Exists(Path));
        UserError error = await Assert.ThrowsAsync<UserError>(() => AdminClient.AskAsync(Path, ["policy", "manual"]));
        SaysWhen(error);
        SaysWhen(await Assert.ThrowsAsync<UserError>(() => AdminClient.AskAsync($"{Path}/none/admin.sock", ["policy", "manual"])));
        _server = Open(TimeSpan.FromSeconds(20));
    }

    [Fact]
    public async Task Where_serve_ended_with_an_error_the_command_says_that_one_until_it_serves_again()
    {
        await _server.DisposeAsync();
        File.Delete(System.IO.Path.Combine(_ca.StateFolder, "ca.key"));
        using var said = new StringWriter();
        string[] serve = ["serve", "--state", _ca.StateFolder, "--listen", "127.77.0.1:8443", "--certificate", _ca.ManagerCertificate, "--key", _ca.ManagerKey, "--admin", Path];
        Assert.Equal(2, await CommandLine.RunAsync(serve, TextWriter.Null, said, _ca.Time));
        UserError error = await Assert.ThrowsAsync<UserError>(() => AdminClient.AskAsync(Path, ["list"]));
        Assert.Contains("ca.key is not there: copy the CA's key back", error.Message, StringComparison.Ordinal);
        Assert.Equal(said.ToString().Trim(), $"wow-ca: {error.Message.Replace("The CA is on this machine and does not serve: ", string.Empty, StringComparison.Ordinal)}");

        string left = System.IO.Path.Combine(_ca.Folder, FileNames.Trouble);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead, File.GetUnixFileMode(left));
        _server = Open(TimeSpan.FromSeconds(20));
        Assert.False(File.Exists(left));
    }

    [Fact]
    public async Task Where_one_that_was_killed_left_its_socket_the_command_says_the_same()
    {
        await _server.DisposeAsync();
        using (var left = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            left.Bind(new UnixDomainSocketEndPoint(Path + ".left"));
            File.Move(Path + ".left", Path);
        }

        Assert.True(File.Exists(Path));
        SaysWhen(await Assert.ThrowsAsync<UserError>(() => AdminClient.AskAsync(Path, ["requests"])));
        _server = Open(TimeSpan.FromSeconds(20));
    }

    [Fact]
    public void A_folder_that_is_not_there_is_named() =>
        Assert.Contains("--admin /nonexistent/admin.sock", Assert.Throws<UserError>(() => Open(TimeSpan.Zero, "/nonexistent/admin.sock")).Message, StringComparison.Ordinal);

    private AdminServer Open(TimeSpan patience, string? path = null, string page = Agreed.WebAccount) => AdminServer.Open(
        path ?? Path,
        new AdminDesk(new PageSessions(_ca.Time, _ => true), _ca.StateFolder, _ca.Time).AnswerAsync,
        patience,
        line =>
        {
            lock (_log)
            {
                _log.Add(line);
            }
        },
        page);

    private static void SaysWhen(UserError error)
    {
        foreach (string part in (ReadOnlySpan<string>)["No wow-ca serves on this machine now", "on the manager that has the CA", "wow doctor there says so", "--state"])
        {
            Assert.Contains(part, error.Message, StringComparison.Ordinal);
        }
    }

    private async Task<Socket> ConnectAsync()
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(Path));
        return socket;
    }

    private async Task<string> SayAsync(byte[] bytes)
    {
        using Socket socket = await ConnectAsync();
        using var reader = new StreamReader(new NetworkStream(socket));
        await socket.SendAsync(bytes);
        socket.Shutdown(SocketShutdown.Send);
        return await reader.ReadToEndAsync();
    }
}
