using System.Net;
using System.Net.Sockets;
using Brunet;
using Ipop.Linux.Polling;
using static Brunet.Moment;

namespace Ipopd.Connections;

/// <summary>
/// A TCP port of one of the daemon's own servers, on the daemon's loop. When too many connections are open the oldest gives way, so nobody can hold the
/// port by keeping silent.
/// </summary>
internal sealed class LoopListener : IDisposable
{
    private readonly PollLoop _loop;
    private readonly Socket _listener;
    private readonly int _most;
    private readonly TimeSpan _patience;

    [Own("as many as its maker says with `most`; the oldest gives way")]
    private readonly List<LoopConnection> _connections = [];

    private Func<Socket, Action<LoopConnection>, LoopConnection>? _serve;

    /// <summary>Opens the port; it waits for <see cref="Serve"/>.</summary>
    /// <param name="loop">Watches it.</param>
    /// <param name="listen">Address and port.</param>
    /// <param name="most">Connections at a time.</param>
    /// <param name="patience">How long a connection may be silent, if <see cref="CloseSilent"/> is called.</param>
    /// <exception cref="SocketException">The port can't be had.</exception>
    internal LoopListener(PollLoop loop, IPEndPoint listen, int most, TimeSpan patience)
    {
        (_loop, _most, _patience) = (loop, most, patience);
        _listener = new Socket(listen.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
        try
        {
            // A restart shall not wait for what is left of connections of the life before.
            _listener.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            _listener.Bind(listen);
            _listener.Listen(most);
        }
        catch
        {
            _listener.Dispose();
            throw;
        }
    }

    /// <summary>When <see cref="CloseSilent"/> has something to do.</summary>
    internal TimeSpan NextTick
    {
        get
        {
            TimeSpan next = TimeSpan.MaxValue;
            foreach (LoopConnection connection in _connections)
            {
                next = Earlier(connection.HeardAt + _patience, next);
            }

            return next;
        }
    }

    /// <summary>Begins to accept.</summary>
    /// <param name="serve">Makes the connection of a socket; it calls its second argument at its end.</param>
    internal void Serve(Func<Socket, Action<LoopConnection>, LoopConnection> serve)
    {
        _serve = serve;
        _loop.Listen((int)_listener.Handle, Accept);
    }

    /// <summary>Closes connections that have been silent for too long.</summary>
    internal void CloseSilent(TimeSpan now)
    {
        for (int index = _connections.Count - 1; index >= 0; index--)
        {
            if (now >= _connections[index].HeardAt + _patience)
            {
                _connections[index].Dispose();
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (LoopConnection connection in _connections.ToArray())
        {
            connection.Dispose();
        }

        _loop.Remove((int)_listener.Handle);
        _listener.Dispose();
    }

    private bool Accept(TimeSpan now)
    {
        bool isTaken = _listener.TryAccept(out Socket? socket);
        if (socket is null)
        {
            return isTaken;
        }

        if (_connections.Count >= _most)
        {
            _connections[0].Dispose();
        }

        LoopConnection connection = _serve!(socket, ended => _connections.Remove(ended));
        connection.HeardAt = now;
        _connections.Add(connection);
        return true;
    }
}
