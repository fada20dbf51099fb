using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Brunet;
using Brunet.Addressing;
using Brunet.Wire;
using Ipop.Linux.Polling;

namespace Ipop.Linux.Tcp;

/// <summary>Frames over TLS over one TCP connection. What does not fit into its queue is lost, as on any wire.</summary>
internal sealed class TcpConnection : IDisposable
{
    /// <summary>Bytes that wait for the kernel at most: a queue that is longer only makes everything late.</summary>
    private const int MaxQueued = 128 * 1024;

    /// <summary>
    /// Bytes that wait for the kernel at most, with what TLS itself has to say: OpenSSL answers each KeyUpdate (RFC 8446 section 4.6.3). Who asks for so many
    /// answers and takes none is no peer.
    /// </summary>
    private const int MaxWaiting = 2 * MaxQueued;

    /// <summary>Bytes of frames that wait for the connection to stand.</summary>
    private const int MaxEarly = 16 * 1024;

    /// <summary>Sent data that was not acknowledged for so long may have been lost on the way, or certainly was.</summary>
    private static readonly TimeSpan DoubtfulAfter = TimeSpan.FromMilliseconds(150), DeadAfter = TimeSpan.FromSeconds(1);

    /// <summary>A call that nobody took may be made anew when both are to call, not sooner.</summary>
    private static readonly TimeSpan CallAgainAfter = TimeSpan.FromSeconds(1);

    /// <summary>So long others wait for a call at most: of a peer's addresses most have no answer, and one has it mostly within a round trip.</summary>
    private static readonly TimeSpan GivesWayAfter = TimeSpan.FromMilliseconds(250);

    /// <summary>
    /// After a NAT forgot a connection, how long the next one stands before one from a port that is listened on is tried in its place, each time twice as long as
    /// before. The far end may know the former one still, which has the same ports, and refuse it: so that takes a second or more, and is not waited for.
    /// </summary>
    private static readonly TimeSpan HomeAfter = TimeSpan.FromSeconds(3);

    private const int MaxReturns = 20;
    private const int ReadSize = 32 * 1024;
    private const int ReadsAtOnce = 8;

    private readonly FileDescriptor _fd;
    private readonly StreamFraming _framing = new();

    [Bounded(nameof(MaxEarly))]
    private readonly ArrayBufferWriter<byte> _early = new();

    [Own("one frame")]
    private readonly ArrayBufferWriter<byte> _frame = new();

    [Bounded(nameof(MaxWaiting))]
    private readonly ArrayBufferWriter<byte> _queue = new();

    private readonly TlsContexts _tls;
    private TlsPipe _pipe;
    private TlsCrossing? _crossing;
    private int _sent;
    private bool _isConnecting;
    private bool _isHeard;
    private int _stalled;
    private int _returns;

    /// <param name="fd">The socket, which becomes this object's.</param>
    /// <param name="endpoint">The other end.</param>
    /// <param name="tls">What either side of a TLS connection is made of.</param>
    /// <param name="isClient">Whether this end begins the TLS handshake.</param>
    /// <param name="now">The time.</param>
    internal TcpConnection(FileDescriptor fd, TransportAddress endpoint, TlsContexts tls, bool isClient, TimeSpan now)
    {
        (_fd, Endpoint, OpenedAt, _tls) = (fd, endpoint, now, tls);
        IsAccepted = endpoint.Protocol == TransportProtocol.TcpAccepted;
        _isConnecting = !IsAccepted;
        TakeSide(isClient);
    }

    /// <summary>The other end.</summary>
    internal TransportAddress Endpoint { get; private set; }

    /// <summary>Whether the other end made the connection.</summary>
    internal bool IsAccepted { get; }

    /// <summary>Whether this end began the TLS handshake, or will.</summary>
    internal bool IsClient { get; private set; }

    /// <summary>Whether it comes from a port that is listened on.</summary>
    internal bool IsFromListener { get; init; }

    /// <summary>Whether it was made in the place of another one to the same endpoint.</summary>
    internal bool IsRenewal { get; init; }

    /// <summary>Whether it calls where no peer was found yet.</summary>
    internal bool IsGuess { get; init; }

    /// <summary>Whether it stands, but neither end has begun the TLS handshake: as far as this one knows, the other one is to.</summary>
    internal bool IsLeaderless => !IsClient && !IsAccepted && !_isConnecting && !_isHeard && !IsEnded;

    /// <summary>Whether nothing of what was sent seems to arrive, as far as the kernel knows: perhaps it was lost on the way.</summary>
    internal bool IsDoubtful => TcpSocket.IsUnheard(_fd, DoubtfulAfter);

    /// <summary>Whether it stood and nothing of what was sent arrives. Of a call that nobody took the kernel says that it never heard an acknowledgement.</summary>
    internal bool IsDead => !_isConnecting && TcpSocket.IsUnheard(_fd, DeadAfter);

    /// <summary>Whether it does not stand though it had time, or stands and is doubtful.</summary>
    internal bool IsInVain(TimeSpan now) => IsOpen ? IsDoubtful : now - OpenedAt >= CallAgainAfter;

    /// <summary>Whether nobody has taken the call though he had time.</summary>
    internal bool IsUnanswered(TimeSpan now) => _isConnecting && now - OpenedAt >= GivesWayAfter;

    /// <summary>Whether nobody has taken the call yet.</summary>
    internal bool IsConnecting => _isConnecting && !IsEnded;

    /// <summary>Whether it stands so long that a peer that wants it would use it.</summary>
    internal bool IsSettled(TimeSpan now) => IsOpen && now - OpenedAt >= CallAgainAfter;

    /// <summary>Whether it is a call to meet somebody, and nobody has taken it.</summary>
    internal bool IsCall => _isConnecting && Endpoint.Protocol == TransportProtocol.TcpMet;

    /// <summary>When it was begun, or taken by the other end.</summary>
    internal TimeSpan OpenedAt { get; private set; }

    /// <summary>
    /// Whether it stood when this was asked last and the other end, which should begin, has not said a word: it accepted a plain connection, and waits, too.
    /// </summary>
    internal bool IsStalled() => IsLeaderless && _stalled++ > 0;

    /// <summary>Whether it is time to try one from a port that is listened on in its place. Each time that is said it counts as tried.</summary>
    internal bool ComesHome(TimeSpan now)
    {
        bool isTime = this is { IsRenewal: true, IsFromListener: false, IsOpen: true } && now - OpenedAt > HomeAfter * (1 << _returns);
        _returns = isTime ? Math.Min(_returns + 1, MaxReturns) : _returns;
        return isTime;
    }

    /// <summary>Whether a peer that proved itself was seen to use it.</summary>
    internal bool IsProven { get; set; }

    /// <summary>Whether frames pass.</summary>
    internal bool IsOpen => _pipe.IsOpen && !IsEnded;

    /// <summary>Whether somebody said no to the call: the other end, or who stands between and does not like its ports.</summary>
    internal bool IsRefused { get; private set; }

    /// <summary>Whether it is of no use any more and shall be closed.</summary>
    internal bool IsEnded { get; private set; }

    /// <summary>Whether it must be told when the kernel takes bytes again.</summary>
    internal bool AwaitsWritable => _isConnecting || _sent < _queue.WrittenCount;

    internal int Descriptor => _fd.Value;

    internal void End() => IsEnded = true;

    /// <summary>Ends without waiting for what is unsent: another connection has taken its place.</summary>
    internal void Abort()
    {
        TcpSocket.ResetAtEnd(_fd);
        End();
    }

    /// <summary>Ends at once, so that another connection can have its ports.</summary>
    internal void Disconnect()
    {
        TcpSocket.Disconnect(_fd);
        End();
    }

    /// <summary>The call waits for the other end's from now on, who begins the TLS handshake then.</summary>
    internal void AwaitTheOther()
    {
        TakeSide(isClient: false);
        _early.Clear();
        Endpoint = Endpoint with { Protocol = TransportProtocol.TcpMet };
        TcpSocket.SetPatience(_fd, TcpRoom.HeldFor);
    }

    /// <summary>Begins the TLS handshake in the other end's place.</summary>
    internal void TakeLead()
    {
        TakeSide(isClient: true);
        if (_pipe.Shake())
        {
            Flush();
        }
        else
        {
            End();
        }
    }

    /// <summary>Queues a frame; false if the queue is full.</summary>
    internal bool Send(ReadOnlySpan<byte> frame)
    {
        if (IsEnded || frame.Length is 0 or > StreamFraming.MaxFrameSize)
        {
            return true;
        }

        bool fits = _pipe.IsOpen ? _queue.WrittenCount - _sent + frame.Length <= MaxQueued : _early.WrittenCount + frame.Length <= MaxEarly;
        if (fits && _pipe.IsOpen)
        {
            _frame.ResetWrittenCount();
            StreamFraming.Write(frame, _frame);
            Seal(_frame.WrittenSpan);
        }
        else if (fits)
        {
            StreamFraming.Write(frame, _early);
        }

        return fits;
    }

    /// <summary>The kernel has something to say; whole frames are handed out.</summary>
    internal void OnReady(TimeSpan now, StreamFraming.Receiver receiver)
    {
        if (IsEnded)
        {
            return;
        }

        if (_isConnecting)
        {
            (_isConnecting, OpenedAt) = (false, now);
            TcpSocket.SetPatience(_fd, TcpSocket.Patience);
            IsRefused = !TcpSocket.IsConnected(_fd);
            if (IsRefused || !_pipe.Shake())
            {
                End();
                return;
            }
        }

        Read(receiver);
        if (_pipe.IsOpen && _early.WrittenCount > 0)
        {
            Seal(_early.WrittenSpan);
            _early.Clear();
        }

        Flush();
    }

    /// <summary>Gives the kernel what it takes; ends if far too much is left. One that has ended may be closed already.</summary>
    internal void Flush()
    {
        if (IsEnded)
        {
            return;
        }

        _pipe.Drain(_queue);
        while (!_isConnecting && !IsEnded && _sent < _queue.WrittenCount)
        {
            TcpSocket.Outcome outcome = TcpSocket.Write(_fd, _queue.WrittenSpan[_sent..], out int count);
            _sent += count;
            if (outcome == TcpSocket.Outcome.Ended)
            {
                End();
            }
            else if (outcome == TcpSocket.Outcome.Later)
            {
                break;
            }
        }

        if (_queue.WrittenCount - _sent > MaxWaiting)
        {
            Abort();
        }

        Compact();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _pipe.Dispose();
        _fd.Dispose();
    }

    private void Read(StreamFraming.Receiver receiver)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(ReadSize);
        try
        {
            for (int round = 0; round < ReadsAtOnce && !IsEnded; round++)
            {
                TcpSocket.Outcome outcome = TcpSocket.Read(_fd, buffer, out int count);
                if (outcome == TcpSocket.Outcome.Later)
                {
                    return;
                }

                _isHeard = true;
                if (outcome == TcpSocket.Outcome.Ended || !Receive(buffer.AsSpan(0, count), receiver))
                {
                    End();
                }
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private bool Receive(ReadOnlySpan<byte> received, StreamFraming.Receiver receiver)
    {
        bool ToFrames(ReadOnlySpan<byte> plain) => _framing.TryRead(plain, receiver);

        if (_crossing is not { } crossing)
        {
            return _pipe.Receive(received, ToFrames);
        }

        TlsCrossing.Side side = crossing.Take(ref received, _pipe.Random());
        if (side == TlsCrossing.Side.Unknown)
        {
            return true;
        }

        if (side == TlsCrossing.Side.Server)
        {
            TakeSide(isClient: false);
        }

        _crossing = null;
        return side != TlsCrossing.Side.Neither && _pipe.Receive(crossing.Start, ToFrames) && _pipe.Receive(received, ToFrames);
    }

    [MemberNotNull(nameof(_pipe))]
    private void TakeSide(bool isClient)
    {
        var pipe = new TlsPipe(isClient ? _tls.Client : _tls.Server, isClient);
        _pipe?.Dispose();
        _pipe = pipe;
        (IsClient, _crossing) = (isClient, isClient ? new TlsCrossing() : null);
    }

    private void Seal(ReadOnlySpan<byte> plain)
    {
        if (!_pipe.Send(plain))
        {
            End();
        }

        _pipe.Drain(_queue);
    }

    /// <summary>Forgets what is sent, without moving the rest for every few bytes.</summary>
    private void Compact()
    {
        if (_sent == _queue.WrittenCount)
        {
            _queue.ResetWrittenCount();
            _sent = 0;
        }
        else if (_sent > MaxQueued)
        {
            byte[] rest = _queue.WrittenSpan[_sent..].ToArray();
            _queue.ResetWrittenCount();
            _queue.Write(rest);
            _sent = 0;
        }
    }
}
