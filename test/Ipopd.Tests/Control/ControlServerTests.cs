using System.Net.Sockets;
using System.Text;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.Control;

namespace Ipopd.Tests.Control;

public sealed class ControlServerTests : IDisposable
{
    private const int Most = 32;

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-server-").FullName;
    private readonly PollLoop _loop = new();
    private readonly FakeControlled _daemon = new();
    private readonly ControlServer _server;
    private readonly List<Socket> _clients = [];

    public ControlServerTests()
    {
        string path = Path.Combine(_folder, "ipopd.conf");
        File.WriteAllText(
            path, $"[node]\nstate = {_folder}\n[pool]\nname = lab\nopen = yes\nsubnet = 10.128.0.0/16\nsecret = {new string('0', 64)}\n[control]\nsocket = {_folder}/socket\n");
        _server = ControlServer.Open(_loop, new ControlCommands(_daemon), DaemonOptionsReader.Load(path));
    }

    [Fact]
    public void Who_connects_and_asks_nothing_keeps_nobody_out()
    {
        for (int number = 0; number < Most; number++)
        {
            Connect();
        }

        Connect();
        Assert.Contains("\"pool\":\"demo\"", Ask(_clients[Most], """{"command":"status"}"""), StringComparison.Ordinal);
        Assert.True(IsClosed(_clients[0]));
        Assert.False(IsClosed(_clients[1]));
    }

    [Fact]
    public void Who_was_heard_longest_ago_gives_way_but_who_waits_for_an_answer()
    {
        Connect();
        _daemon.IsSilent = true;
        Ask(_clients[0], """{"command":"ping","target":"alpha"}""");
        for (int number = 1; number < Most; number++)
        {
            Connect();
        }

        Ask(_clients[1], """{"command":"status"}""");
        Connect();
        Assert.False(IsClosed(_clients[0]));
        Assert.False(IsClosed(_clients[1]));
        Assert.True(IsClosed(_clients[2]));
    }

    public void Dispose()
    {
        _clients.ForEach(client => client.Dispose());
        _server.Dispose();
        _loop.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private static bool IsClosed(Socket client) => client.Receive(new byte[1], SocketFlags.Peek, out SocketError error) == 0 && error != SocketError.WouldBlock;

    private void Connect()
    {
        var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        _clients.Add(client);
        client.Connect(new UnixDomainSocketEndPoint(Path.Combine(_folder, "socket")));
        client.Blocking = false;
        Round();
    }

    /// <summary>Asks, and takes what of the answer is there at once.</summary>
    private string Ask(Socket client, string line)
    {
        client.Send(Encoding.UTF8.GetBytes(line + "\n"));
        Round();
        byte[] buffer = new byte[1 << 16];
        return Encoding.UTF8.GetString(buffer, 0, client.Receive(buffer, SocketFlags.None, out _));
    }

    /// <summary>Lets the loop do what is ready.</summary>
    private void Round() => _loop.Run(() => TimeSpan.Zero, _ => _loop.Stop());
}
