using System.Net.Sockets;
using Ipop.Linux.Polling;
using Ipopd.Configuration;
using Ipopd.Connections;

namespace Ipopd.Metrics;

/// <summary>Serves the metrics over HTTP/1.0 (RFC 1945) on a loopback address, on the daemon's loop: one request a connection.</summary>
internal static class MetricsServer
{
    private const int MostConnections = 8;

    /// <summary>Opens the port; what is returned serves until it is disposed of.</summary>
    /// <exception cref="ConfigurationException">Says what to do.</exception>
    internal static LoopListener Open(PollLoop loop, Func<TimeSpan, string> text, DaemonOptions options)
    {
        try
        {
            var listener = new LoopListener(loop, options.MetricsListen!, MostConnections, TimeSpan.MaxValue);
            listener.Serve((socket, closed) => new MetricsConnection(loop, text, socket, closed));
            return listener;
        }
        catch (SocketException exception)
        {
            throw new ConfigurationException(
                $"{options.File}: {OptionKey.MetricsListen} = {options.MetricsListen} can't be used ({exception.Message}); take another port");
        }
    }
}
