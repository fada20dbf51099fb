using System.Net.Sockets;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.Connections;

namespace Ipopd.Metrics;

/// <summary>
/// Serves the metrics over HTTP/1.0 (RFC 1945) on a loopback address, on the daemon's loop: one request a connection. When too many are open the oldest
/// gives way, so nobody can hold the port by keeping silent.
/// </summary>
internal sealed class MetricsServer : IDisposable
{
    private const int MostConnections = 8;

    private readonly PollLoop _loop;
    private readonly Func<TimeSpan, string> _text;
    private readonly Socket _listener;
    private readonly List<LoopConnection> _connections = [];

    private MetricsServer(PollLoop loop, Func<TimeSpan, string> text, Socket listener)
    {
        (_loop, _text, _listener) = (loop, text, listener);
        _loop.Add((int)_listener.Handle, Accept);
    }

    /// <summary>Opens the port.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static MetricsServer Open(PollLoop loop, Func<TimeSpan, string> text, DaemonOptions options)
    {
        var listener = new Socket(options.MetricsListen!.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
        try
        {
            // A restart shall not wait for what is left of connections of the life before.
            listener.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            listener.Bind(options.MetricsListen);
            listener.Listen(MostConnections);
            return new MetricsServer(loop, text, listener);
        }
        catch (SocketException exception)
        {
            listener.Dispose();
            throw new ConfigurationException(
                $"{options.File}: {OptionKey.MetricsListen} = {options.MetricsListen} can't be used ({exception.Message}); take another port");
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

    private void Accept(TimeSpan now)
    {
        Socket socket;
        try
        {
            socket = _listener.Accept();
        }
        catch (SocketException)
        {
            // The client went away, or there are no descriptors left: the next one may have more luck.
            return;
        }

        if (_connections.Count >= MostConnections)
        {
            _connections[0].Dispose();
        }

        _connections.Add(new MetricsConnection(_loop, _text, socket, connection => _connections.Remove(connection)));
    }
}
