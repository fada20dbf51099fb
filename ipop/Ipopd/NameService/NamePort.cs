using System.Net.Sockets;
using Brunet.Addressing;
using Ipop.Dns;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;
using Ipopd.Configuration;
using Ipopd.Connections;

namespace Ipopd.NameService;

/// <summary>
/// Where names are answered, over UDP and TCP (RFC 7766), on the daemon's loop. When too many TCP connections are open the oldest gives way, so
/// nobody can hold the port by keeping silent.
/// </summary>
internal sealed class NamePort : IDisposable
{
    private const int MostConnections = 64;

    private readonly PollLoop _loop;
    private readonly UdpSocket _datagrams;
    private readonly Socket _listener;
    private readonly List<LoopConnection> _connections = [];
    private DnsServer? _server;

    private NamePort(PollLoop loop, UdpSocket datagrams, Socket listener) => (_loop, _datagrams, _listener) = (loop, datagrams, listener);

    /// <summary>Opens both ports; they wait for <see cref="Serve"/>.</summary>
    /// <exception cref="ConfigurationException">The address or a port can't be had; says what to do.</exception>
    internal static NamePort Open(PollLoop loop, DaemonOptions options, TransportAddress listen)
    {
        UdpSocket? datagrams = null;
        var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
        try
        {
            datagrams = UdpSocket.Open(listen);

            // A restart shall not wait for what is left of connections of the life before.
            listener.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            listener.Bind(listen.ToIPEndPoint());
            listener.Listen(MostConnections);
            return new NamePort(loop, datagrams, listener);
        }
        catch (Exception exception) when (exception is IOException or SocketException)
        {
            datagrams?.Dispose();
            listener.Dispose();
            throw new ConfigurationException($"{options.File}: {OptionKey.DnsListen} = {listen}: {exception.Message}; take another address or port");
        }
    }

    /// <summary>Begins to answer.</summary>
    internal void Serve(DnsServer server)
    {
        _server = server;
        _loop.Add(_datagrams.Descriptor, now => _datagrams.Receive(now, Answer));
        _loop.Add((int)_listener.Handle, Accept);
    }

    /// <summary>Sends what gathered in a round of the loop.</summary>
    internal void Flush() => _datagrams.Flush();

    /// <inheritdoc/>
    public void Dispose()
    {
        foreach (LoopConnection connection in _connections.ToArray())
        {
            connection.Dispose();
        }

        _loop.Remove((int)_listener.Handle);
        _loop.Remove(_datagrams.Descriptor);
        _listener.Dispose();
        _datagrams.Dispose();
    }

    private void Answer(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> query) =>
        _server!.Answer(now, query, reply => _datagrams.Send(source, reply.Span));

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

        _connections.Add(new NameConnection(_loop, _server!, socket, connection => _connections.Remove(connection)));
    }
}
