using System.Net.Sockets;
using Brunet;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.Connections;

namespace Ipopd.Control;

/// <summary>
/// Listens on the control socket. Who may ask, the file's permissions say: owner and group; who may change anything, the kernel's word about the
/// client (<see cref="ControlRight"/>). All work is done on the loop's thread, without blocking.
/// </summary>
internal sealed class ControlServer : IDisposable
{
    private const int MostConnections = 32;

    /// <summary>What the socket's name ends with until it is ready.</summary>
    private const string Hidden = ".new";

    private readonly PollLoop _loop;
    private readonly ControlCommands _commands;
    private readonly string _path;
    private readonly Socket _listener;
    private readonly ControlCaller _daemon;

    /// <summary>For one client, so that `wow status` can say that there are no descriptors left.</summary>
    private readonly SpareDescriptor _spare = new();

    [Bounded(nameof(MostConnections))]
    private readonly List<ControlConnection> _connections = [];

    private ControlServer(PollLoop loop, ControlCommands commands, string path, Socket listener)
    {
        (_loop, _commands, _path, _listener, _daemon) = (loop, commands, path, listener, ControlCaller.Of(listener));
        _spare.Take();
        _loop.Listen((int)_listener.Handle, Accept);
    }

    /// <summary>Opens the socket. A file that a killed daemon left is replaced; one that somebody answers on is not.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static ControlServer Open(PollLoop loop, ControlCommands commands, DaemonOptions options)
    {
        string path = options.ControlSocket, hidden = path + Hidden;
        var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified) { Blocking = false };
        try
        {
            RemoveStale(options);

            // Bound under another name first: nobody can connect before the permissions are right.
            File.Delete(hidden);
            listener.Bind(new UnixDomainSocketEndPoint(hidden));
            File.SetUnixFileMode(hidden, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite);
            listener.Listen(MostConnections);
            File.Move(hidden, path, overwrite: true);
            return new ControlServer(loop, commands, path, listener);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or SocketException)
        {
            listener.Dispose();
            throw new ConfigurationException(
                $"{options.File}: {OptionKey.ControlSocket} = {path} can't be used ({exception.Message}); its folder must exist and be writable");
        }
        catch
        {
            listener.Dispose();
            throw;
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
        _spare.Dispose();
        File.Delete(_path);
    }

    private static void RemoveStale(DaemonOptions options)
    {
        string path = options.ControlSocket;
        if (!File.Exists(path))
        {
            return;
        }

        if ((File.GetAttributes(path) & FileAttributes.Directory) != 0 || !IsSocket(path))
        {
            throw new ConfigurationException(
                $"{options.File}: {OptionKey.ControlSocket} = {path} is a file of another kind; remove it or name another path");
        }

        using var probe = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            probe.Connect(new UnixDomainSocketEndPoint(path));
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionRefused)
        {
            // Nobody listens: the file of a daemon that was killed. The rename replaces it.
            return;
        }

        throw new ConfigurationException(
            $"{options.File}: {OptionKey.ControlSocket} = {path} is in use by another ipopd; stop that one or name another path");
    }

    private static bool IsSocket(string path)
    {
        // A socket can't be opened as a file; anything else that is no device can, or may not.
        try
        {
            using FileStream file = File.OpenRead(path);
            return false;
        }
        catch (IOException)
        {
            return true;
        }
    }

    private bool Accept(TimeSpan now)
    {
        bool isTaken = _listener.TryAccept(out Socket? socket);
        if (!isTaken && _spare.GiveUp())
        {
            _loop.Shortages.Note(now);
            isTaken = _listener.TryAccept(out socket);
        }

        if (socket is null)
        {
            return isTaken;
        }

        // Who asks and takes no answer keeps the place from nobody, nor megabytes for long.
        _connections.FindAll(connection => connection.IsStuck(now)).ForEach(connection => connection.Dispose());
        if (_connections.Count >= MostConnections)
        {
            // Nor does who asks for nothing.
            _connections.FindAll(connection => connection.IsIdle).MinBy(connection => connection.HeardAt)?.Dispose();
        }

        if (_connections.Count >= MostConnections)
        {
            socket.Dispose();
            _spare.Take();
            return true;
        }

        bool mayChange = ControlCaller.Of(socket).MayChange(_daemon);
        _connections.Add(new ControlConnection(_loop, _commands, mayChange, socket, OnClosed) { HeardAt = now });
        return true;
    }

    private void OnClosed(LoopConnection connection)
    {
        _connections.Remove((ControlConnection)connection);
        _spare.Take();
    }
}
