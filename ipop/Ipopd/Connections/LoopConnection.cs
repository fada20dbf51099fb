using System.Net.Sockets;
using Ipop.Linux.Polling;

namespace Ipopd.Connections;

/// <summary>A client of one of the daemon's own servers, on the daemon's loop: what it sends gathers in a buffer of one request.</summary>
internal abstract class LoopConnection : IDisposable
{
    private readonly PollLoop _loop;
    private readonly Action<LoopConnection> _closed;
    private readonly int _descriptor;

    /// <param name="loop">Watches the socket.</param>
    /// <param name="socket">Becomes this object's.</param>
    /// <param name="longest">Bytes of the longest request.</param>
    /// <param name="sendBuffer">Bytes that the kernel takes at once: whole answers, so that sending never waits. A client that does not take them is cut off.</param>
    /// <param name="closed">Called once, at the end.</param>
    protected LoopConnection(PollLoop loop, Socket socket, int longest, int sendBuffer, Action<LoopConnection> closed)
    {
        (_loop, _closed, Socket, Buffer) = (loop, closed, socket, new byte[longest]);
        Socket.Blocking = false;
        Socket.SendBufferSize = sendBuffer;
        _descriptor = (int)socket.Handle;
        try
        {
            _loop.Add(_descriptor, Receive);
        }
        catch (IOException)
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>When the client last sent something, or connected.</summary>
    internal TimeSpan HeardAt { get; set; }

    protected Socket Socket { get; }

    protected byte[] Buffer { get; }

    /// <summary>Bytes in the buffer.</summary>
    protected int Length { get; set; }

    protected bool IsClosed { get; private set; }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!IsClosed)
        {
            IsClosed = true;
            _loop.Remove(_descriptor);
            Socket.Dispose();
            _closed(this);
        }
    }

    /// <summary>More came. Must leave room in the buffer, or close.</summary>
    protected abstract void OnReceived(TimeSpan now);

    private void Receive(TimeSpan now)
    {
        int count = Socket.Receive(Buffer.AsSpan(Length), SocketFlags.None, out SocketError error);
        if (error == SocketError.WouldBlock)
        {
            return;
        }

        if (count <= 0 || error != SocketError.Success)
        {
            Dispose();
            return;
        }

        HeardAt = now;
        Length += count;
        OnReceived(now);
    }
}
