using System.Net.Sockets;
using Ipop.Linux.Polling;
using Ipopd.Connections;

namespace Ipopd.Control;

/// <summary>One client of the control socket: lines in, lines out, in order of completion.</summary>
internal sealed class ControlConnection(PollLoop loop, ControlCommands commands, bool mayChange, Socket socket, Action<LoopConnection> closed)
    : LoopConnection(loop, socket, LongestLine, SendBuffer, closed)
{
    /// <summary>Longest request in bytes.</summary>
    internal const int LongestLine = 4096;

    private const int SendBuffer = 4 << 20;

    private int _owed;

    /// <summary>Whether the client waits for nothing: what it asked for was answered, and it has taken all.</summary>
    internal bool IsIdle => !IsOwing && !HasUnsent;

    /// <inheritdoc/>
    protected override bool IsOwing => _owed > 0;

    /// <inheritdoc/>
    protected override void OnReceived(TimeSpan now)
    {
        int start = 0;
        while (!IsClosed && Buffer.AsSpan(start, Length - start).IndexOf((byte)'\n') is >= 0 and int end)
        {
            _owed++;
            commands.Execute(now, mayChange, Buffer.AsSpan(start, end), Reply);
            start += end + 1;
        }

        Buffer.AsSpan(start, Length - start).CopyTo(Buffer);
        Length -= start;
        if (Length == LongestLine)
        {
            Say(ControlCommands.BadRequest($"the request is longer than {LongestLine} bytes; send one JSON object a line"));
            Dispose();
        }
    }

    private void Reply(byte[] json)
    {
        _owed--;
        Say(json);
    }

    private void Say(byte[] json) => Send((byte[])[.. json, (byte)'\n']);
}
