using Brunet;
using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tcp;

/// <summary>
/// The node's TCP connections: made when a frame is sent to a listening endpoint, accepted from whoever connects, closed when nobody uses
/// them. Everything runs on the loop's thread.
/// </summary>
public sealed class TcpLinks : IDisposable
{
    /// <summary>The port that looks like the web to whoever stands between, and that the fewest networks block.</summary>
    public const int HttpsPort = Agreed.HttpsPort;

    private const int AcceptedAtOnce = 16;

    private static readonly TimeSpan SweepInterval = TimeSpan.FromSeconds(1);

    private readonly PollLoop _loop;
    private readonly ITcpOwner _owner;
    private readonly Func<TimeSpan> _clock;

    [Bounded(nameof(TcpRoom.MaxConnections), On = typeof(TcpRoom))]
    private readonly Dictionary<TransportAddress, TcpConnection> _connections = [];

    /// <summary>What is to take the place of a connection, under its endpoint: one that we make once it stands, one that was accepted once the former has ended.</summary>
    [Bounded(nameof(TcpRoom.MaxConnections), On = typeof(TcpRoom))]
    private readonly Dictionary<TransportAddress, TcpConnection> _successors = [];

    [Bounded(nameof(_connections))]
    private readonly List<TcpConnection> _ended = [];

    [Own("where connections ended or could not be begun, until the owner is told at the end of the round")]
    private readonly Queue<TransportAddress> _lost = [];

    [Bounded(nameof(_connections))]
    private readonly HashSet<TcpConnection> _dirty = [];

    private readonly TcpListeners _listeners;
    private readonly TcpRoom _room;
    private readonly TcpRefusals _refused = new();
    private readonly TlsContexts _tls = new();

    /// <summary>Makes no connection yet.</summary>
    /// <param name="loop">Waits for the sockets.</param>
    /// <param name="owner">Gets the frames.</param>
    /// <param name="clock">The loop's time, for connections that are begun between its rounds.</param>
    public TcpLinks(PollLoop loop, ITcpOwner owner, Func<TimeSpan> clock) =>
        (_loop, _owner, _clock, _listeners, _room) = (loop, owner, clock, new TcpListeners(loop), new TcpRoom(_connections, _successors));

    /// <summary>The ports that are listened on.</summary>
    public IReadOnlyList<int> Ports => _listeners.Ports;

    /// <summary>Connections that frames pass over.</summary>
    public int Count => _connections.Values.Count(connection => connection.IsOpen);

    /// <summary>Frames that found the queue of their connection full.</summary>
    public long Overflowed { get; private set; }

    /// <summary>When <see cref="Pass"/> wants to be called next.</summary>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Listens on a port of all addresses.</summary>
    /// <exception cref="IOException">The port is taken, or may not be used.</exception>
    public void Listen(int port) => _listeners.Listen(port, Accept);

    /// <summary>Sends a frame, over a new connection if there is none and one can be made. What can't go is lost.</summary>
    public void Send(TransportAddress destination, ReadOnlySpan<byte> frame)
    {
        if (_connections.TryGetValue(destination, out TcpConnection? connection)
            || (destination.Protocol == TransportProtocol.Tcp && (connection = Connect(destination)) is not null))
        {
            Overflowed += connection.Send(frame) ? 0 : 1;
            _dirty.Add(connection);
        }
    }

    /// <summary>
    /// Connects to an endpoint of <see cref="TransportProtocol.TcpMet"/> from a port that is listened on, while its owner connects to us. The other side says
    /// who begins the TLS handshake; one that does not, because it accepted a plain connection, is spoken to a second or two later.
    /// </summary>
    public void Meet(TransportAddress endpoint, bool isClient)
    {
        Free(_room.InTheWay(_clock(), endpoint, _owner.IsUsed(endpoint)));
        if (_connections.TryGetValue(endpoint, out TcpConnection? known))
        {
            if (isClient && known.IsLeaderless)
            {
                known.TakeLead();
                Review(known);
            }

            return;
        }

        if (!_room.IsFull && _listeners.PortFor(endpoint) is > 0 and int port && TcpSocket.Connect(endpoint, port) is { } fd)
        {
            TcpSocket.SetPatience(fd, TcpRoom.HeldFor);
            Add(new TcpConnection(fd, endpoint, _tls, isClient, _clock()) { IsFromListener = true });
        }
        else
        {
            _lost.Enqueue(endpoint);
        }
    }

    /// <summary>Makes a new connection to where one leads whose bytes do not arrive any more; from another port, as the far end may know the former one still.</summary>
    public void Redial(TransportAddress destination)
    {
        if (_connections.TryGetValue(destination, out TcpConnection? old) && old.IsOpen && old.IsDoubtful)
        {
            Succeed(old, port: 0);
        }
    }

    /// <summary>Ends a connection whose bytes have not arrived for a second, so that the other end can connect from the same port again.</summary>
    public void HangUp(TransportAddress endpoint)
    {
        if (_connections.TryGetValue(endpoint, out TcpConnection? connection) && connection.IsDead)
        {
            connection.Abort();
            _dirty.Add(connection);
        }
    }

    /// <summary>Whether the connection to an endpoint comes from a port that is listened on.</summary>
    public bool ComesFromListener(TransportAddress endpoint) => _connections.TryGetValue(endpoint, out TcpConnection? connection) && connection.IsFromListener;

    /// <summary>Ends a round of the loop: sends what is queued, closes what is over. Never call it from within the owner.</summary>
    public void Pass(TimeSpan now)
    {
        foreach (TcpConnection connection in _dirty)
        {
            connection.Flush();
            Review(connection);
        }

        _dirty.Clear();
        if (now >= NextTick)
        {
            Sweep(now);
        }

        do
        {
            DisposeEnded();
            if (_lost.TryDequeue(out TransportAddress endpoint))
            {
                _owner.ConnectionLost(now, endpoint);
            }
        }
        while (_lost.Count + _ended.Count > 0);

        NextTick = _connections.Count == 0 ? TimeSpan.MaxValue : NextTick;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (TcpConnection connection in _connections.Values.Concat(_successors.Values))
        {
            connection.Flush();
            _loop.Remove(connection.Descriptor);
            connection.Dispose();
        }

        _connections.Clear();
        _successors.Clear();
        _ended.ForEach(connection => connection.Dispose());
        _ended.Clear();
        _listeners.Close();
        _tls.Dispose();
    }

    /// <summary>Only at the end of a round, so that no descriptor gets a new meaning while the round still knows the old one.</summary>
    private void DisposeEnded()
    {
        foreach (TcpConnection connection in _ended)
        {
            connection.Dispose();
            if (_connections.GetValueOrDefault(connection.Endpoint) is null or { IsOpen: false, IsRenewal: false, IsAccepted: false })
            {
                // There is none, or one that is only being made and knows nothing of the former.
                _lost.Enqueue(connection.Endpoint);
            }
        }

        _ended.Clear();
    }

    private TcpConnection? Connect(TransportAddress destination)
    {
        TimeSpan now = _clock();
        bool isGuess = !_refused.HasServed(destination);
        TcpConnection? givesWay = null;
        if (_refused.Holds(now, destination) || !(isGuess ? _room.TryGuess(now, out givesWay) : !_room.IsFull))
        {
            return null;
        }

        GiveWay(givesWay);

        // A former connection may still hold the port, here, in a NAT on the way or at the far end. Any other does as well, but that nobody can meet us there.
        bool mayBePorts = _refused.MayBePorts(destination);
        int port = mayBePorts ? 0 : _listeners.PortFor(destination);
        FileDescriptor? fd = TcpSocket.Connect(destination, port);
        if (fd is null && port != 0)
        {
            fd = TcpSocket.Connect(destination, port = 0);
        }

        if (fd is null)
        {
            _refused.Add(now, destination, wasFromListener: false, hasServed: false);
            return null;
        }

        return Add(new TcpConnection(fd, destination, _tls, isClient: true, now) { IsFromListener = port != 0, IsRenewal = mayBePorts, IsGuess = isGuess });
    }

    /// <summary>
    /// Ends a connection. A call that nobody took, from a port that is listened on, stands on as one to meet who is there (<see cref="TcpRoom.HeldFor"/>): the NAT
    /// remembers it.
    /// </summary>
    private void GiveWay(TcpConnection? connection)
    {
        if (connection is { IsConnecting: true, IsFromListener: true, Endpoint: { Protocol: TransportProtocol.Tcp } endpoint }
            && !_connections.ContainsKey(endpoint with { Protocol = TransportProtocol.TcpMet }))
        {
            _connections.Remove(endpoint);
            _refused.Add(_clock(), endpoint, wasFromListener: true, hasServed: false);
            _lost.Enqueue(endpoint);
            connection.AwaitTheOther();
            _connections.Add(connection.Endpoint, connection);
        }
        else if (connection is not null)
        {
            // Where a NAT has forgotten it nobody hears that it ends, and the kernel would wait for an answer with our ports.
            connection.Abort();
            Review(connection);
        }
    }

    /// <summary>Ends connections at once, so that others can have their ports.</summary>
    private void Free(List<TcpConnection> connections) => connections.ForEach(connection =>
    {
        connection.Disconnect();
        Review(connection);
    });

    private bool Accept(TimeSpan now, FileDescriptor listener)
    {
        bool isShort = false;
        for (int i = 0; i < AcceptedAtOnce && TcpSocket.Accept(listener, out TransportAddress remote, out isShort) is { } fd; i++)
        {
            if (!_room.TryAccept(remote, out TcpConnection? givesWay))
            {
                fd.Dispose();
                continue;
            }

            GiveWay(givesWay);
            AddAccepted(new TcpConnection(fd, remote, _tls, isClient: false, now));
        }

        return !isShort;
    }

    /// <summary>
    /// Whoever connects from a port that is listed already may have lost the former connection, or connects to our other port, too. What it sends is heard; but
    /// the former one goes on until its own end, as anybody behind the same NAT may have drawn that port.
    /// </summary>
    private void AddAccepted(TcpConnection connection)
    {
        (_connections.ContainsKey(connection.Endpoint) ? _successors : _connections).Add(connection.Endpoint, connection);
        Watch(connection);
    }

    private void Succeed(TcpConnection old, int port)
    {
        Free(port == 0 ? [] : _room.AtHome(old.Endpoint, _owner.IsUsed));
        if (!_room.IsFull && !_successors.ContainsKey(old.Endpoint) && TcpSocket.Connect(old.Endpoint, port) is { } fd)
        {
            var successor = new TcpConnection(fd, old.Endpoint, _tls, isClient: true, _clock()) { IsFromListener = port != 0, IsRenewal = true };
            _successors.Add(old.Endpoint, successor);
            Watch(successor);
        }
    }

    /// <summary>A successor stands, or what it was to succeed has ended.</summary>
    private void Promote(TcpConnection successor)
    {
        _successors.Remove(successor.Endpoint);
        if (_connections.TryGetValue(successor.Endpoint, out TcpConnection? old))
        {
            successor.IsProven = old.IsProven;
            old.Abort();
            _loop.Remove(old.Descriptor);
            _ended.Add(old);
        }

        _connections[successor.Endpoint] = successor;
    }

    private TcpConnection Add(TcpConnection connection)
    {
        _connections.Add(connection.Endpoint, connection);
        Watch(connection);
        return connection;
    }

    private void Watch(TcpConnection connection)
    {
        _loop.Add(connection.Descriptor, now => OnReady(now, connection));
        _loop.AwaitWritable(connection.Descriptor, connection.AwaitsWritable);
        NextTick = NextTick == TimeSpan.MaxValue ? connection.OpenedAt + SweepInterval : NextTick;
    }

    private void OnReady(TimeSpan now, TcpConnection connection)
    {
        bool wasOpen = connection.IsOpen;
        connection.OnReady(_clock(), frame => _owner.Receive(now, connection.Endpoint, frame));
        if (!wasOpen && connection is { IsOpen: true, Endpoint.Protocol: TransportProtocol.TcpMet })
        {
            _owner.ConnectionMade(now, connection.Endpoint);
        }
        else if (!wasOpen && connection is { IsOpen: true, IsRenewal: true })
        {
            if (_successors.GetValueOrDefault(connection.Endpoint) == connection)
            {
                Promote(connection);
            }

            _owner.ConnectionRenewed(now, connection.Endpoint);
        }

        Review(connection);
    }

    /// <summary>Notes what a connection waits for, or that it is over.</summary>
    private void Review(TcpConnection connection)
    {
        if (!connection.IsEnded)
        {
            _loop.AwaitWritable(connection.Descriptor, connection.AwaitsWritable);
        }
        else if (_connections.GetValueOrDefault(connection.Endpoint) == connection)
        {
            _connections.Remove(connection.Endpoint);
            _loop.Remove(connection.Descriptor);
            _ended.Add(connection);
            if (_successors.TryGetValue(connection.Endpoint, out TcpConnection? successor))
            {
                Promote(successor);
            }
            else if (connection.Endpoint.Protocol == TransportProtocol.Tcp)
            {
                bool wasFromListener = connection.IsFromListener || (connection.IsProven && _refused.MayBePorts(connection.Endpoint));
                _refused.Add(_clock(), connection.Endpoint, wasFromListener, hasServed: connection.IsProven, connection.IsRefused);
            }
        }
        else if (_successors.GetValueOrDefault(connection.Endpoint) == connection)
        {
            _successors.Remove(connection.Endpoint);
            _loop.Remove(connection.Descriptor);
            _ended.Add(connection);
        }
    }

    private void Sweep(TimeSpan now)
    {
        NextTick = now + SweepInterval;
        foreach (TcpConnection connection in _connections.Values.ToList())
        {
            bool isUsed = connection.IsOpen && _owner.IsUsed(connection.Endpoint);
            connection.IsProven |= isUsed;
            if (_room.IsOver(now, connection, isUsed))
            {
                GiveWay(connection);
            }
            else if (connection.IsStalled())
            {
                connection.TakeLead();
            }
            else if (_listeners.PortFor(connection.Endpoint) is > 0 and int home && connection.ComesHome(now))
            {
                Succeed(connection, home);
            }

            Review(connection);
        }

        foreach (TcpConnection successor in _successors.Values.Where(successor => TcpRoom.IsOverdue(now, successor, _owner.IsUsed(successor.Endpoint))).ToList())
        {
            successor.Abort();
            Review(successor);
        }
    }
}
