using System.Net.Sockets;
using System.Text.Json;

namespace CaService.Tests;

/// <summary>The control socket of an ipopd that has an address and takes the next one when told.</summary>
internal sealed class FakeDaemon : IAsyncDisposable
{
    private readonly Socket _listener = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly Queue<string> _addresses;
    private readonly string _manager;
    private readonly Task _loop;
    private int _reloads;

    public FakeDaemon(string path, string manager, params string[] addresses)
    {
        _addresses = new Queue<string>(addresses);
        _manager = manager;
        _listener.Bind(new UnixDomainSocketEndPoint(path));
        _listener.Listen();
        _loop = AcceptAsync();
    }

    /// <summary>Files that it was to spread.</summary>
    public List<string> Notices { get; } = [];

    /// <summary>The code with which it refuses notices; null if it takes them.</summary>
    public string? NoticeRefusal { get; set; }

    /// <summary>Members that it is linked to.</summary>
    public int Connections { get; set; } = 1;

    /// <summary>The address that it has: the next one after each refusal.</summary>
    public string Address => _addresses.Peek();

    public int Reloads => Volatile.Read(ref _reloads);

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        await _loop;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                using Socket client = await _listener.AcceptAsync();
                using var stream = new NetworkStream(client);
                using var reader = new StreamReader(stream);
                string line = await reader.ReadLineAsync() ?? "{}";
                using var request = JsonDocument.Parse(line);
                await stream.WriteAsync(System.Text.Encoding.UTF8.GetBytes(Answer(request.RootElement) + "\n"));
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The test is over.
        }
    }

    private string Answer(JsonElement request)
    {
        switch (request.GetProperty("command").GetString())
        {
            case "status":
                return JsonSerializer.Serialize(new { ok = true, address = _addresses.Peek(), ring = new { connections = Connections } });
            case "resolve" when request.GetProperty("name").GetString() == "ca.lab.internal":
                return $$"""{"ok":true,"address":"{{_manager}}"}""";
            case "refuse-address" when request.GetProperty("address").GetString() == _addresses.Peek():
                _addresses.Dequeue();
                return """{"ok":true}""";
            case "publish-notice":
                Notices.Add(request.GetProperty("file").GetString()!);
                return NoticeRefusal is null ? """{"ok":true}""" : $$"""{"error":"words for people","code":"{{NoticeRefusal}}","ok":false}""";
            case "reload":
                Interlocked.Increment(ref _reloads);
                return """{"ok":true}""";
            default:
                return """{"ok":false,"error":"unknown","code":"unknown-command"}""";
        }
    }
}
