using System.Net.Sockets;
using Ipop.Linux.Polling;
using Ipopd.Connections;

namespace Ipopd.Metrics;

/// <summary>One scrape: a request in, an answer out, the end.</summary>
internal sealed class MetricsConnection(PollLoop loop, Func<TimeSpan, string> text, Socket socket, Action<LoopConnection> closed)
    : LoopConnection(loop, socket, HttpAnswer.LongestRequest, SendBuffer, closed)
{
    private const int SendBuffer = 1 << 20;

    /// <inheritdoc/>
    protected override void OnReceived(TimeSpan now)
    {
        if (HttpAnswer.To(Buffer.AsSpan(0, Length), () => text(now)) is { } answer)
        {
            Socket.Send(answer, SocketFlags.None, out _);
            Shut();
        }
    }

    /// <summary>Ends the answer; what came beside the request is read, because closing over it would reset the connection and lose the answer.</summary>
    private void Shut()
    {
        try
        {
            Socket.Shutdown(SocketShutdown.Send);
            Socket.Receive(Buffer, SocketFlags.None, out _);
        }
        catch (SocketException)
        {
            // The client has gone already.
        }

        Dispose();
    }
}
