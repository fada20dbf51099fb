using Brunet;
using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;

namespace Ipopd.Composition;

/// <summary>Sockets beside the overlay's own, on ports by chance: the node searches with them for a way through a NAT, and keeps what leads through.</summary>
internal sealed class SearchSockets(PollLoop loop) : IDisposable
{
    [Own("the node opens and closes them, and its searcher keeps few")]
    private readonly Dictionary<int, UdpSocket> _open = [];

    [Own("what was open until this round of the loop; closed at its end")]
    private readonly List<UdpSocket> _closing = [];

    // Made with the first socket: most nodes seldom have one.
    private UdpBatches? _shared;
    private UdpSocket? _waiting;
    private int _last;

    /// <summary>Takes what came to one of them, as <see cref="UdpSocket.RunReceiver"/> has it.</summary>
    internal delegate void Receiver(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> datagrams, int size, int number);

    /// <summary>Gets what arrives.</summary>
    internal Receiver? Heard { get; set; }

    /// <summary>Makes a socket with buffers that all have in common; throws an IOException if there is none left.</summary>
    internal Func<UdpBatches, UdpSocket> Make { get; init; } = shared => UdpSocket.OpenAny(0, shared);

    /// <inheritdoc cref="UdpBatches.Refused"/>
    internal long Refused => _shared?.Refused ?? 0;

    /// <summary>Opens one; 0 if the machine has none left.</summary>
    internal int Open()
    {
        UdpSocket? socket = null;
        try
        {
            UdpSocket opened = socket = Make(_shared ??= new UdpBatches());
            int number = ++_last;
            UdpSocket.RunReceiver receiver = (now, source, datagrams, size) => Heard?.Invoke(now, source, datagrams, size, number);
            loop.Add(opened.Descriptor, now => opened.ReceiveRuns(now, receiver));
            _open.Add(number, opened);
            return number;
        }
        catch (IOException)
        {
            // One that can't be watched would never be heard, nor closed.
            socket?.Dispose();
            loop.Shortages.Note(BootClock.Now);
            return 0;
        }
    }

    /// <summary>Queues a datagram until <see cref="EndRound"/>; false if the socket is closed.</summary>
    internal bool Send(int number, TransportAddress destination, ReadOnlySpan<byte> datagram)
    {
        if (!_open.TryGetValue(number, out UdpSocket? socket))
        {
            return false;
        }

        socket.Send(destination, datagram);
        _waiting = socket;
        return true;
    }

    /// <summary>Sends a datagram at once that must not be fragmented; false if it is too long for the machine's own network.</summary>
    internal bool SendWhole(int number, TransportAddress destination, ReadOnlySpan<byte> datagram) =>
        !_open.TryGetValue(number, out UdpSocket? socket) || socket.SendWhole(destination, datagram);

    /// <summary>Listens no more. The socket itself lasts until the end of the round: perhaps it is just handing over what arrived.</summary>
    internal void Close(int number)
    {
        if (_open.Remove(number, out UdpSocket? socket))
        {
            loop.Remove(socket.Descriptor);
            _closing.Add(socket);
        }
    }

    /// <summary>Sends what is queued, and ends what was closed.</summary>
    internal void EndRound()
    {
        _waiting?.Flush();
        _waiting = null;
        _closing.ForEach(socket => socket.Dispose());
        _closing.Clear();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        EndRound();
        foreach (UdpSocket socket in _open.Values)
        {
            socket.Dispose();
        }

        _open.Clear();
        _shared?.Dispose();
    }
}
