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
    private readonly HashSet<TcpConnection> _dirty = [];

    private readonly TcpListeners _listeners;
    private readonly TcpRoom _room;
    private readonly TcpEndings _endings;
    private readonly TcpRefusals _refused = new();
    private readonly TlsContexts _tls = new();

    /// <summary>Makes no connection yet.</summary>
    /// <param name="loop">Waits for the sockets.</param>
    /// <param name="owner">Gets the frames.</param>
    /// <param name="clock">The loop's time, for connections that are begun between its rounds.</param>
    public TcpLinks(PollLoop loop, ITcpOwner owner, Func<TimeSpan> clock)
    {
        (_loop, _owner, _clock, _listeners) = (loop, owner, clock, new TcpListeners(loop));
        (_room, _endings) = (new TcpRoom(_connections, _successors), new TcpEndings(loop, _connections));
    }

    /// <summary>The ports that are listened on.</summary>
    public IReadOnlyList<int> Ports => _listeners.Ports;

    /// <summary>Connections that frames pass over.</summary>
    public int Count => _connections.Values.Count(connection => connection.IsOpen);

    /// <summary>Frames that found the queue of their connection full.</summary>
    public long Overflowed { get; private set; }

    /// <summary>When <see cref="Pass"/> wants to be called next.</summary>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Begins a call to an endpoint from a port, 0 for any; null if that can't be done.</summary>
    internal Func<TransportAddress, int, FileDescriptor?> Call { get; init; } = TcpSocket.Connect;

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

        if (!_room.IsFull && _listeners.PortFor(endpoint) is > 0 and int port && Call(endpoint, port) is { } fd)
        {
            TcpSocket.SetPatience(fd, TcpRoom.HeldFor);
            Add(new TcpConnection(fd, endpoint, _tls, isClient, _clock()) { IsFromListener = true });
        }
        else
        {
            _endings.AddLost(endpoint);
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
        FlushQueued();
        if (now >= NextTick)
        {
            Sweep(now);
        }

        // What the owner sends as a connection ends goes at once. It comes to an end: flushing ends connections that stand, and what is made anew meanwhile does not yet.
        do
        {
            while (_endings.TryTake(out TransportAddress lost))
            {
                _owner.ConnectionLost(now, lost);
            }

            FlushQueued();
        }
        while (!_endings.IsEmpty);

        NextTick = _connections.Count == 0 ? TimeSpan.MaxValue : NextTick;
    }

    /// <summary>Sends what was queued since <see cref="Pass"/>, which is wanted soon if a connection ends at that.</summary>
    public void Flush()
    {
        FlushQueued();
        NextTick = _endings.IsEmpty ? NextTick : TimeSpan.Zero;
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
        _endings.Close();
        _listeners.Close();
        _tls.Dispose();
    }

    private void FlushQueued()
    {
        foreach (TcpConnection connection in _dirty)
        {
            connection.Flush();
            Review(connection);
        }

        _dirty.Clear();
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
        if ((Call(destination, port) ?? (port != 0 ? Call(destination, port = 0) : null)) is not { } fd)
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
            _endings.AddLost(endpoint);
            connection.AwaitTheOther();
            _connections.Add(connection.Endpoint, connection);
        }
        else if (connection is not null)
        {
            // Where a NAT has forgotten it nobody hears that it ends, and the kernel would wait for an answer with our ports.
            End(connection);
        }
    }

    private void End(TcpConnection connection)
    {
        connection.Abort();
        Review(connection);
    }

    /// <summary>Ends connections at once, so that others can have their ports.</summary>
    private void Free(List<TcpConnection> connections) => connections.ForEach(connection =>
    {
        connection.Disconnect();
        Review(connection);
    });

    /// <summary>
    /// Whoever connects from a port that is listed already may have lost the former connection, or connects to our other port, too. What it sends is heard; but
    /// the former one goes on until its own end, as anybody behind the same NAT may have drawn that port.
    /// </summary>
    private void Accept(TimeSpan now, TransportAddress remote, FileDescriptor fd)
    {
        if (!_room.TryAccept(remote, out TcpConnection? givesWay))
        {
            fd.Dispose();
            return;
        }

        GiveWay(givesWay);
        var connection = new TcpConnection(fd, remote, _tls, isClient: false, now);
        (_connections.ContainsKey(remote) ? _successors : _connections).Add(remote, connection);
        Watch(connection);
    }

    private void Succeed(TcpConnection old, int port)
    {
        Free(port == 0 ? [] : _room.AtHome(old.Endpoint, _owner.IsUsed));
        if (!_room.IsFull && !_successors.ContainsKey(old.Endpoint) && Call(old.Endpoint, port) is { } fd)
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
            _endings.Add(old);
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
        try
        {
            _loop.Add(connection.Descriptor, now => OnReady(now, connection));
        }
        catch (IOException)
        {
            // The kernel lacks memory to watch it, so it would never be heard. Whose call was taken then, the loop is told.
            End(connection);
            if (connection.IsAccepted)
            {
                throw;
            }

            _loop.Shortages.Note(_clock());
            return;
        }

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

        // At once and not at the next sweep: until then strangers could push it out.
        connection.IsProven |= connection is { IsAccepted: true, IsOpen: true, IsProven: false } && IsListed(connection) && _owner.IsUsed(connection.Endpoint);
        Review(connection);
    }

    private bool IsListed(TcpConnection connection) => _connections.GetValueOrDefault(connection.Endpoint) == connection;

    /// <summary>Notes what a connection waits for, or that it is over.</summary>
    private void Review(TcpConnection connection)
    {
        if (!connection.IsEnded)
        {
            _loop.AwaitWritable(connection.Descriptor, connection.AwaitsWritable);
        }
        else if (IsListed(connection))
        {
            _connections.Remove(connection.Endpoint);
            _endings.Add(connection);
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
            _endings.Add(connection);
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

        _room.Overdue(now, _owner.IsUsed).ForEach(End);
    }
}
