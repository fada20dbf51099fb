using System.Net.Sockets;
using Brunet;
using Ipop.Linux.Polling;

namespace Ipopd.Connections;

/// <summary>A client of one of the daemon's own servers, on the daemon's loop: what it sends gathers in a buffer of one request.</summary>
internal abstract class LoopConnection : IDisposable
{
    /// <summary>Bytes of answers that wait for a client at most, beside what the kernel took; one answer alone may be longer, as that of 100,000 peers is.</summary>
    private const int MostUnsent = 4 << 20;

    /// <summary>So long who takes nothing of an answer is waited for, if others want the place.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    private readonly PollLoop _loop;
    private readonly Action<LoopConnection> _closed;
    private readonly int _descriptor;

    [Bounded(nameof(MostUnsent))]
    private readonly Queue<ReadOnlyMemory<byte>> _unsent = [];

    private int _unsentBytes, _sentOfFirst;
    private TimeSpan _takenAt;
    private bool _hasAsked;

    /// <param name="loop">Watches the socket.</param>
    /// <param name="socket">Becomes this object's.</param>
    /// <param name="longest">Bytes of the longest request.</param>
    /// <param name="sendBuffer">Bytes that the kernel is asked to take at once; how many it does, net.core.wmem_max bounds.</param>
    /// <param name="closed">Called once, at the end.</param>
    protected LoopConnection(PollLoop loop, Socket socket, int longest, int sendBuffer, Action<LoopConnection> closed)
    {
        (_loop, _closed, Socket, Buffer) = (loop, closed, socket, new byte[longest]);
        Socket.Blocking = false;
        Socket.SendBufferSize = sendBuffer;
        _descriptor = (int)socket.Handle;
        try
        {
            _loop.Add(_descriptor, OnReady);
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

    /// <summary>Whether answers wait of which the client has long taken nothing.</summary>
    internal bool IsStuck(TimeSpan now) => _unsentBytes > 0 && now - _takenAt >= Patience;

    /// <summary>Whether an answer is still to be found, for which a client waits that says no more.</summary>
    protected virtual bool IsOwing => false;

    /// <summary>Whether answers wait.</summary>
    protected bool HasUnsent => _unsentBytes > 0;

    /// <summary>Sends an answer: at once what the kernel takes, and the rest as the client reads. Who lets too much gather is cut off.</summary>
    /// <param name="answer">Becomes this object's.</param>
    protected void Send(ReadOnlyMemory<byte> answer)
    {
        if (IsClosed)
        {
            return;
        }

        bool isFirst = _unsentBytes == 0;
        _unsent.Enqueue(answer);
        _unsentBytes += answer.Length;
        if (isFirst)
        {
            _takenAt = BootClock.Now;
            Flush(_takenAt);
        }

        if (_unsentBytes > MostUnsent && _unsent.Count > 1)
        {
            Dispose();
        }
    }

    /// <summary>More came. Must leave room in the buffer, or close.</summary>
    protected abstract void OnReceived(TimeSpan now);

    /// <summary>Ends the connection of a client that closed its sending side, once it has its answers (RFC 9293 section 3.6 lets it wait for them).</summary>
    protected void CloseIfDone()
    {
        if (_hasAsked && !IsOwing && !HasUnsent)
        {
            Dispose();
        }
    }

    private void OnReady(TimeSpan now)
    {
        if (_unsentBytes > 0)
        {
            Flush(now);
        }
        else if (_hasAsked)
        {
            // Nothing else is waited for: it has gone altogether.
            Dispose();
        }

        if (!IsClosed && !_hasAsked)
        {
            Receive(now);
        }
    }

    private void Flush(TimeSpan now)
    {
        while (_unsent.TryPeek(out ReadOnlyMemory<byte> first))
        {
            int count = Socket.Send(first.Span[_sentOfFirst..], SocketFlags.None, out SocketError error);
            if (error == SocketError.WouldBlock)
            {
                break;
            }

            if (error != SocketError.Success)
            {
                Dispose();
                return;
            }

            (_takenAt, _unsentBytes, _sentOfFirst) = (now, _unsentBytes - count, _sentOfFirst + count);
            if (_sentOfFirst == first.Length)
            {
                _unsent.Dequeue();
                _sentOfFirst = 0;
            }
        }

        _loop.AwaitWritable(_descriptor, _unsentBytes > 0, mayCome: !_hasAsked);
        CloseIfDone();
    }

    private void Receive(TimeSpan now)
    {
        int count = Socket.Receive(Buffer.AsSpan(Length), SocketFlags.None, out SocketError error);
        if (error == SocketError.WouldBlock)
        {
            return;
        }

        if (count < 0 || error != SocketError.Success)
        {
            Dispose();
            return;
        }

        if (count == 0)
        {
            _hasAsked = true;
            _loop.AwaitWritable(_descriptor, _unsentBytes > 0, mayCome: false);
            CloseIfDone();
            return;
        }

        HeardAt = now;
        Length += count;
        OnReceived(now);
    }
}
