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
    public const int HttpsPort = 443;

    private const int MaxConnections = 512;
    private const int MaxUnproven = 64;
    private const int MaxUnprovenOfOne = 16;
    private const int MaxUnderWay = 16;
    private const int AcceptedAtOnce = 16;
    private const int MaxReturns = 20;

    private static readonly TimeSpan SweepInterval = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan OpenWithin = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan UsedWithin = TimeSpan.FromSeconds(15);

    /// <summary>
    /// After a NAT forgot a connection, how long the next one stands before one from a port that is listened on is tried in its place, each time twice as long as
    /// before. The far end may know the former one still, which has the same ports, and refuse it: so that takes a second or more, and is not waited for.
    /// </summary>
    private static readonly TimeSpan HomeAfter = TimeSpan.FromSeconds(3);

    private readonly PollLoop _loop;
    private readonly ITcpOwner _owner;
    private readonly Func<TimeSpan> _clock;
    private readonly List<(FileDescriptor Fd, int Port)> _listeners = [];
    private readonly Dictionary<TransportAddress, TcpConnection> _connections = [];

    /// <summary>What is to take the place of a connection, under its endpoint: one that we make once it stands, one that was accepted once the former has ended.</summary>
    private readonly Dictionary<TransportAddress, TcpConnection> _successors = [];
    private readonly List<TcpConnection> _ended = [];
    private readonly HashSet<TcpConnection> _dirty = [];

    private readonly TcpRefusals _refused = new();
    private readonly TlsContexts _tls = new();

    /// <summary>Makes no connection yet.</summary>
    /// <param name="loop">Waits for the sockets.</param>
    /// <param name="owner">Gets the frames.</param>
    /// <param name="clock">The loop's time, for connections that are begun between its rounds.</param>
    public TcpLinks(PollLoop loop, ITcpOwner owner, Func<TimeSpan> clock) => (_loop, _owner, _clock) = (loop, owner, clock);

    /// <summary>The ports that are listened on.</summary>
    public IReadOnlyList<int> Ports => _listeners.ConvertAll(listener => listener.Port);

    /// <summary>Connections that frames pass over.</summary>
    public int Count => _connections.Values.Count(connection => connection.IsOpen);

    /// <summary>Frames that found the queue of their connection full.</summary>
    public long Overflowed { get; private set; }

    /// <summary>When <see cref="Pass"/> wants to be called next.</summary>
    public TimeSpan NextTick { get; private set; } = TimeSpan.MaxValue;

    /// <summary>Listens on a port of all addresses.</summary>
    /// <exception cref="IOException">The port is taken, or may not be used.</exception>
    public void Listen(int port)
    {
        FileDescriptor listener = TcpSocket.Listen(port);
        _listeners.Add((listener, port));
        _loop.Listen(listener.Value, now => Accept(now, listener));
    }

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
        if (_connections.TryGetValue(endpoint, out TcpConnection? former) && former.IsInVain(_clock()))
        {
            // The kernel would repeat an old call ever more rarely, and the ports of what a NAT forgot are needed.
            former.Disconnect();
            Review(former);
        }

        if (!IsFull && PortFor(endpoint) is > 0 and int port && !_connections.ContainsKey(endpoint) && TcpSocket.Connect(endpoint, port) is { } fd)
        {
            Add(new TcpConnection(fd, endpoint, isClient ? _tls.Client : _tls.Server, isClient, _clock()) { IsFromListener = true });
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

        // Only now, so that no descriptor gets a new meaning while a round still knows the old one.
        while (_ended.Count > 0)
        {
            TcpConnection connection = _ended[^1];
            _ended.RemoveAt(_ended.Count - 1);
            connection.Dispose();
            if (!_connections.ContainsKey(connection.Endpoint))
            {
                _owner.ConnectionLost(now, connection.Endpoint);
            }
        }

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
        foreach ((FileDescriptor fd, _) in _listeners)
        {
            _loop.Remove(fd.Value);
            fd.Dispose();
        }

        _listeners.Clear();
        _tls.Dispose();
    }

    private TcpConnection? Connect(TransportAddress destination)
    {
        TimeSpan now = _clock();
        if (IsFull || _refused.Holds(now, destination))
        {
            return null;
        }

        // A former connection may still hold the port, here, in a NAT on the way or at the far end. Any other does as well, but that nobody can meet us there.
        bool mayBePorts = _refused.MayBePorts(destination);
        int port = mayBePorts ? 0 : PortFor(destination);
        FileDescriptor? fd = TcpSocket.Connect(destination, port);
        if (fd is null && port != 0)
        {
            fd = TcpSocket.Connect(destination, port = 0);
        }

        if (fd is null)
        {
            _refused.Add(now, destination, wasFromListener: false, TcpRefusals.Kept);
            return null;
        }

        return Add(new TcpConnection(fd, destination, _tls.Client, isClient: true, now) { IsFromListener = port != 0, IsRenewal = mayBePorts });
    }

    private bool IsFull => _connections.Count + _successors.Count >= MaxConnections
        || _connections.Values.Count(other => !other.IsOpen && !other.IsAccepted) + _successors.Values.Count(other => !other.IsAccepted) >= MaxUnderWay;

    /// <summary>
    /// From which port we connect: one that is listened on, so that every NAT with one mapping for all destinations has one for all our connections. To 443
    /// from 443, if we listen there: so two nodes can meet of which one gets out to nothing else. 0 if we do not listen.
    /// </summary>
    private int PortFor(TransportAddress endpoint) =>
        _listeners.Exists(listener => listener.Port == HttpsPort) && endpoint.Port == HttpsPort ? HttpsPort
        : _listeners.Count > 0 ? _listeners[0].Port : 0;

    private bool Accept(TimeSpan now, FileDescriptor listener)
    {
        bool isShort = false;
        for (int i = 0; i < AcceptedAtOnce && TcpSocket.Accept(listener, out TransportAddress remote, out isShort) is { } fd; i++)
        {
            if (!MakeRoom(remote))
            {
                fd.Dispose();
                continue;
            }

            AddAccepted(new TcpConnection(fd, remote, _tls.Server, isClient: false, now));
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

    /// <summary>Whoever connects has proven nothing: such connections are few, a few for each address, and the oldest gives way.</summary>
    private bool MakeRoom(TransportAddress remote)
    {
        TcpConnection? oldest = null;
        int unproven = 0, ofOne = 0;
        foreach (TcpConnection connection in _connections.Values.Concat(_successors.Values))
        {
            if (connection is { IsAccepted: true, IsProven: false, IsEnded: false })
            {
                unproven++;
                ofOne += connection.Endpoint with { Port = 0 } == remote with { Port = 0 } ? 1 : 0;
                oldest = oldest is null || connection.OpenedAt < oldest.OpenedAt ? connection : oldest;
            }
        }

        if (ofOne >= MaxUnprovenOfOne || _connections.Count + _successors.Count >= MaxConnections || _successors.ContainsKey(remote))
        {
            return false;
        }

        if (unproven >= MaxUnproven)
        {
            oldest!.End();
            Review(oldest);
        }

        return true;
    }

    private void Succeed(TcpConnection old, int port)
    {
        if (!IsFull && !_successors.ContainsKey(old.Endpoint) && TcpSocket.Connect(old.Endpoint, port) is { } fd)
        {
            var successor = new TcpConnection(fd, old.Endpoint, _tls.Client, isClient: true, _clock()) { IsFromListener = port != 0, IsRenewal = true };
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
        connection.OnReady(frame => _owner.Receive(now, connection.Endpoint, frame));
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
            else if (connection.Endpoint.Protocol == TransportProtocol.Tcp && !(connection.IsProven && !connection.IsFromListener))
            {
                // What served well is made again at once.
                _refused.Add(_clock(), connection.Endpoint, connection.IsFromListener, connection.IsProven ? default : TcpRefusals.Kept);
            }
        }
        else if (_successors.GetValueOrDefault(connection.Endpoint) == connection)
        {
            _successors.Remove(connection.Endpoint);
            _loop.Remove(connection.Descriptor);
            _ended.Add(connection);
        }
    }

    private bool IsOverdue(TimeSpan now, TcpConnection successor) => successor is { IsAccepted: true, IsOpen: true }
        ? now - successor.OpenedAt > UsedWithin && !_owner.IsUsed(successor.Endpoint)
        : now - successor.OpenedAt > OpenWithin;

    private void Sweep(TimeSpan now)
    {
        NextTick = now + SweepInterval;
        foreach (TcpConnection connection in _connections.Values.ToList())
        {
            TimeSpan age = now - connection.OpenedAt;
            bool isUsed = connection.IsOpen && _owner.IsUsed(connection.Endpoint);
            connection.IsProven |= isUsed;
            if ((!connection.IsOpen && age > OpenWithin) || (!isUsed && age > UsedWithin))
            {
                connection.End();
            }
            else if (connection.IsStalled())
            {
                connection.TakeLead(_tls.Client);
            }
            else if (connection is { IsRenewal: true, IsOpen: true, IsFromListener: false } && age > HomeAfter * (1 << connection.Returns)
                && PortFor(connection.Endpoint) is > 0 and int home)
            {
                connection.Returns = Math.Min(connection.Returns + 1, MaxReturns);
                Succeed(connection, home);
            }

            Review(connection);
        }

        foreach (TcpConnection successor in _successors.Values.Where(successor => IsOverdue(now, successor)).ToList())
        {
            successor.End();
            Review(successor);
        }
    }
}
