using System.Net;
using System.Net.Sockets;
using System.Text;
using CaService.Est;
using CaService.Layers;

namespace CaService.Tests;

/// <summary>What machines fetch of a stack, from the server as it runs.</summary>
public sealed class LayerHandlerTests : AsyncTests
{
    private const int Large = 24 << 20;
    private readonly TestCa _ca = new(manager: "127.82.0.1");
    private readonly TestStack _made;

    public LayerHandlerTests() => _made = TestStack.Make(_ca.Folder, ("a", 5), ("b", 200_000), ("large", Large));

    public override ValueTask DisposeAsync() => _ca.DisposeAsync();

    [Fact]
    public async Task A_layer_that_is_published_is_fetched_whole()
    {
        await StartAsync();
        (string head, byte[] body) = await GetAsync(PathOf(1));
        Assert.StartsWith("HTTP/1.1 200", head, StringComparison.Ordinal);
        Assert.Contains("Content-Length: 200000", head, StringComparison.Ordinal);
        Assert.Equal(_made.BytesOf(1), body);
    }

    [Theory]
    [InlineData("bytes=150000-", 206, 150_000)]
    [InlineData("bytes=199999-", 206, 199_999)]
    [InlineData("bytes=0-", 200, 0)]
    [InlineData("bytes=5-9", 200, 0)]
    [InlineData("bytes=-5", 200, 0)]
    [InlineData("bytes=+5-", 200, 0)]
    [InlineData("bytes=5-,7-", 200, 0)]
    [InlineData("bytes=99999999999999999999-", 200, 0)]
    [InlineData("lines=5-", 200, 0)]
    public async Task The_rest_of_a_layer_is_fetched_by_where_it_begins(string range, int status, int first)
    {
        await StartAsync();
        (string head, byte[] body) = await GetAsync(PathOf(1), $"Range: {range}\r\n");
        Assert.StartsWith($"HTTP/1.1 {status}", head, StringComparison.Ordinal);
        Assert.Equal(status == 206, head.Contains($"Content-Range: bytes {first}-199999/200000", StringComparison.Ordinal));
        Assert.Equal(_made.BytesOf(1)[first..], body);
    }

    [Fact]
    public async Task The_system_that_a_stack_carries_is_fetched_file_by_file_like_its_layers()
    {
        await StartAsync();
        TestStack made = TestStack.MakeSystem(_ca.Folder, [Large, 15, 16, 17], ("z", 9));
        await PublishAsync(made);
        for (int file = 0; file < made.Stack.Files.Count; file++)
        {
            (string head, byte[] body) = await GetAsync($"/layers/{made.Stack.Files[file].Digest}");
            Assert.StartsWith("HTTP/1.1 200", head, StringComparison.Ordinal);
            Assert.Contains($"Content-Length: {made.Stack.Files[file].Size}", head, StringComparison.Ordinal);
            Assert.True(made.BytesOf(file).AsSpan().SequenceEqual(body), made.Stack.Files[file].Name);
        }

        Assert.Equal(made.BytesOf(0)[(20 << 20)..], (await GetAsync($"/layers/{made.Stack.Base}", $"Range: bytes={20 << 20}-\r\n")).Body);
        await PublishAsync(TestStack.MakeSystem(_ca.Folder, [5, 15, 16, 17]));
        Assert.StartsWith("HTTP/1.1 404", (await GetAsync($"/layers/{made.Stack.Base}")).Head, StringComparison.Ordinal);
        Assert.Equal(made.BytesOf(2), (await GetAsync($"/layers/{made.Stack.Files[2].Digest}")).Body);
    }

    [Fact]
    public async Task A_delta_is_fetched_like_a_layer_while_its_stack_is_published()
    {
        await StartAsync();
        TestStack made = TestStack.Make(_ca.Folder, ("y", 70_000)).WithDelta(0, '7', 40_000);
        await PublishAsync(made);
        string path = $"/layers/{made.Stack.Deltas[0].Digest}";
        Assert.Equal(made.BytesOf(1), (await GetAsync(path)).Body);
        Assert.Equal(made.BytesOf(1)[30_000..], (await GetAsync(path, "Range: bytes=30000-\r\n")).Body);
        Assert.StartsWith("HTTP/1.1 404", (await GetAsync($"/layers/{made.Stack.Deltas[0].From}")).Head, StringComparison.Ordinal);
        await PublishAsync(_made);
        Assert.StartsWith("HTTP/1.1 404", (await GetAsync(path)).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_has_all_of_it_is_told_so()
    {
        await StartAsync();
        (string head, _) = await GetAsync(PathOf(0), "Range: bytes=5-\r\n");
        Assert.StartsWith("HTTP/1.1 416", head, StringComparison.Ordinal);
        Assert.Contains("Content-Range: bytes */5", head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_not_published_is_not_there_and_neither_is_anything_else()
    {
        await StartAsync();
        string former = PathOf(0);
        await PublishAsync(TestStack.Make(_ca.Folder, ("z", 9)));
        string[] paths =
        [
            former, "/", "/layers/", "/layers/../ca.key", "/layers/%2e%2e/ca.key", $"/layers/{new string('0', 64)}", "/crl", "/.well-known/est/cacerts", "/.well-known/est/simpleenroll",
        ];
        foreach (string path in paths)
        {
            Assert.StartsWith("HTTP/1.1 404", (await GetAsync(path)).Head, StringComparison.Ordinal);
        }

        await File.WriteAllTextAsync(Path.Combine(_ca.StateFolder, "stack.notice"), "nothing");
        Assert.StartsWith("HTTP/1.1 404", (await GetAsync(former)).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_has_a_file_says_so_and_is_named_to_others_but_not_to_itself_and_never_the_ca()
    {
        await StartAsync();
        string path = PathOf(1).Replace("/layers/", "/seeders/", StringComparison.Ordinal);
        Assert.Empty((await GetAsync(path)).Body);
        foreach (string machine in (string[])["127.82.0.2", "127.82.0.3", "127.82.0.2", "127.82.0.1"])
        {
            Assert.StartsWith("HTTP/1.1 200", (await GetAsync(path, from: machine, method: "POST")).Head, StringComparison.Ordinal);
        }

        Assert.Equal("127.82.0.3\n", Encoding.ASCII.GetString((await GetAsync(path, from: "127.82.0.2")).Body));
        Assert.Equal(["", "127.82.0.2", "127.82.0.3"], Encoding.ASCII.GetString((await GetAsync(path)).Body).Split('\n').Order());
    }

    [Fact]
    public async Task Nobody_has_what_is_not_published_and_nobody_is_named_of_a_former_stack()
    {
        await StartAsync();
        string path = PathOf(1).Replace("/layers/", "/seeders/", StringComparison.Ordinal);
        await GetAsync(path, from: "127.82.0.2", method: "POST");
        foreach (string other in (string[])["/seeders/", "/seeders/../ca.key", $"/seeders/{new string('0', 64)}", PathOf(1)])
        {
            Assert.StartsWith("HTTP/1.1 404", (await GetAsync(other, from: "127.82.0.2", method: "POST")).Head, StringComparison.Ordinal);
        }

        Assert.StartsWith("HTTP/1.1 404", (await GetAsync(path, method: "PUT")).Head, StringComparison.Ordinal);
        await PublishAsync(TestStack.Make(_ca.Folder, ("z", 9)));
        Assert.StartsWith("HTTP/1.1 404", (await GetAsync(path)).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_has_what_is_told_while_all_places_are_taken()
    {
        await StartAsync(settings => settings with { MostDownloads = 0 });
        string path = PathOf(1).Replace("/layers/", "/seeders/", StringComparison.Ordinal);
        await GetAsync(path, from: "127.82.0.2", method: "POST");
        Assert.StartsWith("HTTP/1.1 503", (await GetAsync(PathOf(1))).Head, StringComparison.Ordinal);
        Assert.Equal("127.82.0.2\n", Encoding.ASCII.GetString((await GetAsync(path)).Body));
    }

    [Fact]
    public async Task Who_enrols_reaches_no_layer()
    {
        await StartAsync();
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(_ca.Endpoint);
        await using var stream = new System.Net.Security.SslStream(
            new NetworkStream(socket), false, (_, shown, _, _) => _ca.Ca.Authority.TryVerify(shown!.GetRawCertData(), _ca.Time.GetUtcNow(), out CertificateProfile.MemberInfo? _, out string _));
        await stream.AuthenticateAsClientAsync("manager.lab.internal");
        await stream.WriteAsync(Encoding.ASCII.GetBytes($"GET {PathOf(0)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
        using var reader = new StreamReader(stream);
        Assert.StartsWith("HTTP/1.1 404", await reader.ReadToEndAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task So_many_fetch_at_a_time_others_are_told_when_to_come_again_and_machines_enrol_meanwhile()
    {
        await StartAsync(settings => settings with { MostDownloads = 3 });
        using Socket first = await BeginAsync("127.82.0.2"), second = await BeginAsync("127.82.0.2"), third = await BeginAsync("127.82.0.3");
        (string head, _) = await GetAsync(PathOf(0), from: "127.82.0.4");
        Assert.StartsWith("HTTP/1.1 503", head, StringComparison.Ordinal);
        Assert.Contains("Retry-After: 20", head, StringComparison.Ordinal);
        using var machine = new TestMachine(_ca, "127.82.0.5");
        Assert.Equal(200, (await machine.EnrolAsync(_ca.NewTicket())).Status);

        third.Dispose();
        await WaitForAsync("127.82.0.4", "200");
        Assert.StartsWith("HTTP/1.1 503", (await GetAsync(PathOf(0), from: "127.82.0.2")).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_takes_too_long_is_cut_and_goes_on_behind_the_others()
    {
        await StartAsync(settings => settings with { MostDownloads = 1, LongestDownload = TimeSpan.FromSeconds(1) });
        using Socket slow = await BeginAsync("127.82.0.2");
        await WaitForAsync("127.82.0.3", "200");
        byte[] got = await ReadAllAsync(slow);
        Assert.InRange(got.Length, 0, Large - 1);
    }

    [Fact]
    public async Task A_layer_stays_whole_for_who_fetches_it_while_another_stack_is_published()
    {
        await StartAsync();
        using Socket socket = await BeginAsync("127.82.0.2");
        await PublishAsync(TestStack.Make(_ca.Folder, ("z", 9)));
        byte[] all = await ReadAllAsync(socket);
        Assert.Equal(_made.BytesOf(2), all[^Large..]);
    }

    [Fact]
    public void One_machine_has_two_places_at_most_and_gives_back_its_own()
    {
        var places = new SourcePlaces(3, 2);
        IPAddress one = IPAddress.Parse("10.128.0.1"), other = IPAddress.Parse("10.128.0.2");
        Assert.Equal([true, true, false, true, false], new[] { one, one, one, other, other }.Select(places.TryTake));
        places.Give(one);
        Assert.True(places.TryTake(other));
        Assert.False(places.TryTake(one));
    }

    private string PathOf(int layer) => $"/layers/{_made.Stack.Layers[layer].Digest}";

    private Task<(ulong Number, PoolLayers Before)> PublishAsync(TestStack made) =>
        new PublishDesk(_ca.Ca, new StackFolder(_ca.Ca, _ca.StateFolder), _ca.Time).PublishAsync(made.Stack, new FolderLayers(made.Folder));

    private async Task StartAsync(Func<ServeSettings, ServeSettings>? change = null)
    {
        await PublishAsync(_made);
        await _ca.StartAsync(change);
    }

    /// <summary>Asks for the large layer, and reads no more than that it is given.</summary>
    private async Task<Socket> BeginAsync(string from)
    {
        Socket socket = await AskAsync(PathOf(2), string.Empty, from);
        byte[] begun = new byte[12];
        for (int length = 0; length < begun.Length;)
        {
            length += await socket.ReceiveAsync(begun.AsMemory(length));
        }

        Assert.Equal("HTTP/1.1 200", Encoding.ASCII.GetString(begun));
        return socket;
    }

    private async Task WaitForAsync(string from, string status)
    {
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (!(await GetAsync(PathOf(0), from: from)).Head.StartsWith($"HTTP/1.1 {status}", StringComparison.Ordinal))
        {
            await Task.Delay(20, limit.Token);
        }
    }

    private async Task<(string Head, byte[] Body)> GetAsync(string path, string headers = "", string from = "127.82.0.9", string method = "GET")
    {
        using Socket socket = await AskAsync(path, headers, from, method);
        byte[] all = await ReadAllAsync(socket);
        int end = all.AsSpan().IndexOf("\r\n\r\n"u8);
        return (Encoding.ASCII.GetString(all, 0, end), all[(end + 4)..]);
    }

    private async Task<Socket> AskAsync(string path, string headers, string from, string method = "GET")
    {
        // A small buffer: what is not read stays at the server.
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 1 << 16 };
        socket.Bind(new IPEndPoint(IPAddress.Parse(from), 0));
        await socket.ConnectAsync(_ca.LayersEndpoint);
        await socket.SendAsync(Encoding.ASCII.GetBytes($"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n"));
        return socket;
    }

    private static async Task<byte[]> ReadAllAsync(Socket socket)
    {
        using var all = new MemoryStream();
        byte[] piece = new byte[1 << 16];
        try
        {
            for (int read; (read = await socket.ReceiveAsync(piece)) > 0;)
            {
                all.Write(piece, 0, read);
            }
        }
        catch (SocketException)
        {
            // It was cut.
        }

        return all.ToArray();
    }
}
