using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipopd.Metrics;

/// <summary>One scrape: a request in, an answer out, the end.</summary>
internal sealed class MetricsConnection : IDisposable
{
    private readonly PollLoop _loop;
    private readonly Func<TimeSpan, string> _text;
    private readonly Socket _socket;
    private readonly int _descriptor;
    private readonly Action<MetricsConnection> _closed;
    private readonly byte[] _request = new byte[HttpAnswer.LongestRequest];
    private int _length;
    private bool _isClosed;

    internal MetricsConnection(PollLoop loop, Func<TimeSpan, string> text, Socket socket, Action<MetricsConnection> closed)
    {
        (_loop, _text, _socket, _closed) = (loop, text, socket, closed);

        // The whole answer fits, so that sending never waits; a client that does not take it is cut off.
        _socket.Blocking = false;
        _socket.SendBufferSize = 1 << 20;
        _descriptor = (int)socket.Handle;
        _loop.Add(_descriptor, Receive);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_isClosed)
        {
            _isClosed = true;
            _loop.Remove(_descriptor);
            _socket.Dispose();
            _closed(this);
        }
    }

    private void Receive(TimeSpan now)
    {
        int count = _socket.Receive(_request.AsSpan(_length), SocketFlags.None, out SocketError error);
        if (error == SocketError.WouldBlock)
        {
            return;
        }

        if (count <= 0 || error != SocketError.Success)
        {
            Dispose();
            return;
        }

        _length += count;
        if (HttpAnswer.To(_request.AsSpan(0, _length), () => _text(now)) is { } answer)
        {
            _socket.Send(answer, SocketFlags.None, out _);
            Shut();
        }
    }

    /// <summary>Ends the answer; what came beside the request is read, because closing over it would reset the connection and lose the answer.</summary>
    private void Shut()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Send);
            _socket.Receive(_request, SocketFlags.None, out _);
        }
        catch (SocketException)
        {
            // The client has gone already.
        }

        Dispose();
    }
}
