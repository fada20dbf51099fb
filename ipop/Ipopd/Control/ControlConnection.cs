using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipopd.Control;

/// <summary>One client of the control socket: lines in, lines out, in order of completion.</summary>
internal sealed class ControlConnection : IDisposable
{
    /// <summary>Longest request in bytes.</summary>
    internal const int LongestLine = 4096;

    private readonly PollLoop _loop;
    private readonly ControlCommands _commands;
    private readonly Socket _socket;
    private readonly int _descriptor;
    private readonly Action<ControlConnection> _closed;
    private readonly byte[] _line = new byte[LongestLine];
    private int _length;
    private bool _isClosed;

    internal ControlConnection(PollLoop loop, ControlCommands commands, Socket socket, Action<ControlConnection> closed)
    {
        (_loop, _commands, _socket, _closed) = (loop, commands, socket, closed);

        // Replies are small. A client that lets 4 MiB pile up is cut off by Send's error rather than waited for.
        _socket.Blocking = false;
        _socket.SendBufferSize = 4 << 20;
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
        int count = _socket.Receive(_line.AsSpan(_length), SocketFlags.None, out SocketError error);
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
        int start = 0;
        while (!_isClosed && _line.AsSpan(start, _length - start).IndexOf((byte)'\n') is >= 0 and int end)
        {
            _commands.Execute(now, _line.AsSpan(start, end), Reply);
            start += end + 1;
        }

        _line.AsSpan(start, _length - start).CopyTo(_line);
        _length -= start;
        if (_length == LongestLine)
        {
            Reply(ControlCommands.Error($"the request is longer than {LongestLine} bytes; send one JSON object a line"));
            Dispose();
        }
    }

    private void Reply(byte[] json)
    {
        if (_isClosed)
        {
            return;
        }

        byte[] line = [.. json, (byte)'\n'];
        if (_socket.Send(line, SocketFlags.None, out SocketError error) != line.Length || error != SocketError.Success)
        {
            Dispose();
        }
    }
}
