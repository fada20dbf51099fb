using Brunet;
using Brunet.Addressing;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tcp;

/// <summary>The ports that the node listens on, and which of them a connection comes from.</summary>
internal sealed class TcpListeners(PollLoop loop)
{
    private const int AcceptedAtOnce = 16;

    [Own("ports of the configuration")]
    private readonly List<(FileDescriptor Fd, int Port)> _listeners = [];

    /// <summary>The ports.</summary>
    internal IReadOnlyList<int> Ports => _listeners.ConvertAll(listener => listener.Port);

    /// <summary>Listens on a port of all addresses.</summary>
    /// <param name="port">The port.</param>
    /// <param name="accept">Takes who calls, and the socket.</param>
    /// <exception cref="IOException">The port is taken, or may not be used.</exception>
    internal void Listen(int port, Action<TimeSpan, TransportAddress, FileDescriptor> accept)
    {
        FileDescriptor listener = TcpSocket.Listen(port);
        _listeners.Add((listener, port));
        loop.Listen(listener.Value, now =>
        {
            bool isShort = false;
            for (int i = 0; i < AcceptedAtOnce && TcpSocket.Accept(listener, out TransportAddress remote, out isShort) is { } fd; i++)
            {
                accept(now, remote, fd);
            }

            return !isShort;
        });
    }

    /// <summary>
    /// From which port we connect: one that is listened on, so that every NAT with one mapping for all destinations has one for all our connections. To 443
    /// from 443, if we listen there: so two nodes can meet of which one gets out to nothing else. 0 if we do not listen.
    /// </summary>
    internal int PortFor(TransportAddress endpoint) =>
        _listeners.Exists(listener => listener.Port == TcpLinks.HttpsPort) && endpoint.Port == TcpLinks.HttpsPort ? TcpLinks.HttpsPort
        : _listeners.Count > 0 ? _listeners[0].Port : 0;

    /// <summary>Listens no more.</summary>
    internal void Close()
    {
        foreach ((FileDescriptor fd, _) in _listeners)
        {
            loop.Remove(fd.Value);
            fd.Dispose();
        }

        _listeners.Clear();
    }
}
