using System.Net.Sockets;
using Brunet.Addressing;
using Ipop.Dns;
using Ipop.Linux.Polling;
using Ipop.Linux.Udp;
using Ipopd.Configuration;
using Ipopd.Connections;

namespace Ipopd.NameService;

/// <summary>Where names are answered, over UDP and TCP (RFC 7766), on the daemon's loop.</summary>
internal sealed class NamePort : IDisposable
{
    /// <summary>TCP connections at a time.</summary>
    internal const int MostConnections = 64;

    /// <summary>A TCP connection that is silent for so long is closed (RFC 7766 section 6.2.3): longer than any answer of the DHT takes.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private readonly PollLoop _loop;
    private readonly UdpSocket _datagrams;
    private readonly LoopListener _listener;
    private DnsServer? _server;

    private NamePort(PollLoop loop, UdpSocket datagrams, LoopListener listener) => (_loop, _datagrams, _listener) = (loop, datagrams, listener);

    /// <summary>When <see cref="EndRound"/> has something to do although nothing came.</summary>
    internal TimeSpan NextTick => _listener.NextTick;

    /// <summary>Opens both ports; they wait for <see cref="Serve"/>.</summary>
    /// <exception cref="ConfigurationException">The address or a port can't be had; says what to do.</exception>
    internal static NamePort Open(PollLoop loop, DaemonOptions options, TransportAddress listen)
    {
        UdpSocket? datagrams = null;
        try
        {
            datagrams = UdpSocket.Open(listen);
            return new NamePort(loop, datagrams, new LoopListener(loop, listen.ToIPEndPoint(), MostConnections, Patience));
        }
        catch (Exception exception) when (exception is IOException or SocketException)
        {
            datagrams?.Dispose();
            throw new ConfigurationException($"{options.File}: {OptionKey.DnsListen} = {listen}: {exception.Message}; take another address or port");
        }
    }

    /// <summary>Begins to answer.</summary>
    internal void Serve(DnsServer server)
    {
        _server = server;
        _loop.Add(_datagrams.Descriptor, now => _datagrams.Receive(now, Answer));
        _listener.Serve((socket, closed) => new NameConnection(_loop, server, socket, closed));
    }

    /// <summary>Sends what gathered in a round of the loop, and closes connections that have been silent for too long.</summary>
    internal void EndRound(TimeSpan now)
    {
        _datagrams.Flush();
        _listener.CloseSilent(now);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _listener.Dispose();
        _loop.Remove(_datagrams.Descriptor);
        _datagrams.Dispose();
    }

    private void Answer(TimeSpan now, TransportAddress source, ReadOnlySpan<byte> query) =>
        _server!.Answer(now, query, reply => _datagrams.Send(source, reply.Span));
}
