using System.Net.Sockets;
using System.Text;
using Ipop.Linux.Polling;
using Ipopd.Control;

namespace Ipopd.Tests.Control;

public sealed class ControlConnectionTests : IDisposable
{
    /// <summary>Their answer is a megabyte.</summary>
    private const int Peers = 4000;

    private const int SmallBuffer = 4096;

    private readonly string _folder = Directory.CreateTempSubdirectory("wow-control-").FullName;
    private readonly PollLoop _loop = new();
    private readonly FakeControlled _daemon = new() { PeerCount = Peers };
    private readonly ControlCommands _commands;
    private readonly Socket _client = new(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
    private readonly ControlConnection _connection;
    private readonly Socket _served;
    private bool _isClosed;

    public ControlConnectionTests()
    {
        _commands = new ControlCommands(_daemon);
        var endpoint = new UnixDomainSocketEndPoint(Path.Combine(_folder, "socket"));
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(endpoint);
        listener.Listen();
        _client.Connect(endpoint);
        _client.Blocking = false;
        _served = listener.Accept();
        _connection = new ControlConnection(_loop, _commands, mayChange: true, _served, _ => _isClosed = true);
        _served.SendBufferSize = SmallBuffer;
    }

    [Fact]
    public void An_answer_that_the_kernel_takes_in_pieces_arrives_whole_when_the_client_reads_later()
    {
        byte[] expected = Answer("""{"command":"peers"}""");
        Ask("""{"command":"peers"}""");
        Assert.True(expected.Length > 100 * SmallBuffer);
        Assert.Equal(expected, Read(expected.Length));
        Assert.False(_isClosed);
    }

    /// <summary>Nobody but the pool's size makes it so long.</summary>
    [Fact]
    public void One_answer_alone_may_be_longer_than_what_else_may_wait()
    {
        _daemon.PeerCount = 5 * Peers;
        byte[] expected = Answer("""{"command":"peers"}""");
        Assert.True(expected.Length > 4 << 20);
        Ask("""{"command":"peers"}""");
        Assert.Equal(expected, Read(expected.Length));
    }

    [Fact]
    public void Answers_behind_one_that_waits_come_after_it()
    {
        byte[] expected = [.. Answer("""{"command":"peers"}"""), .. Answer("""{"command":"metrics"}""")];
        Ask("""{"command":"peers"}""");
        Ask("""{"command":"metrics"}""");
        Assert.Equal(expected, Read(expected.Length));
    }

    [Fact]
    public void Who_asks_on_and_reads_nothing_is_cut_off()
    {
        for (int answers = 0; answers < 10 && !_isClosed; answers++)
        {
            Ask("""{"command":"peers"}""");
        }

        Assert.True(_isClosed);
    }

    [Fact]
    public void Who_takes_nothing_of_an_answer_for_ten_seconds_is_stuck_and_who_has_all_is_not()
    {
        TimeSpan Later() => BootClock.Now + TimeSpan.FromSeconds(11);

        Ask("""{"command":"peers"}""");
        Assert.False(_connection.IsStuck(BootClock.Now));
        Assert.True(_connection.IsStuck(Later()));
        Read(Answer("""{"command":"peers"}""").Length);
        Assert.False(_connection.IsStuck(Later()));
    }

    public void Dispose()
    {
        _connection.Dispose();
        _client.Dispose();
        _loop.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    private byte[] Answer(string line)
    {
        byte[] answer = [];
        _commands.Execute(TimeSpan.Zero, mayChange: true, Encoding.UTF8.GetBytes(line), reply => answer = [.. reply, (byte)'\n']);
        return answer;
    }

    private void Ask(string line)
    {
        _client.Send(Encoding.UTF8.GetBytes(line + "\n"));
        Round();
    }

    /// <summary>Reads so many bytes, or what comes until the other end closes.</summary>
    private byte[] Read(int length)
    {
        var read = new List<byte>();
        byte[] buffer = new byte[SmallBuffer];
        while (read.Count < length)
        {
            int count = _client.Receive(buffer, SocketFlags.None, out SocketError error);
            if (error == SocketError.WouldBlock)
            {
                Round();
                continue;
            }

            if (count == 0 || error != SocketError.Success)
            {
                break;
            }

            read.AddRange(buffer.AsSpan(0, count));
        }

        return [.. read];
    }

    /// <summary>Lets the loop do what is ready.</summary>
    private void Round() => _loop.Run(() => TimeSpan.Zero, _ => _loop.Stop());
}
