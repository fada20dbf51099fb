using System.Buffers;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Brunet.Addressing;
using Ipop.Linux.Handshakes;
using Ipop.Linux.Polling;
using Ipop.Linux.Tcp;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>Who has done the TLS handshake may ask for new keys as often as it likes (RFC 8446 section 4.6.3), and each time there is an answer to send.</summary>
public sealed class KeyUpdateTests
{
    private const int Count = 20_000;

    /// <summary>SSL_KEY_UPDATE_REQUESTED: the other end is to take new keys, too, and to say so.</summary>
    private const int Requested = 1;

    /// <summary>A record of one KeyUpdate: its header, the message, the type of what is sealed, the tag (RFC 8446 section 5.2).</summary>
    private const int RecordSize = 5 + 5 + 1 + 16;

    [Fact]
    public void Who_asks_for_keys_without_end_and_takes_no_answer_loses_the_connection()
    {
        using var stranger = new Stranger(takesLittle: true);
        TcpEnd.Until(() => stranger.Ask() && stranger.Caller.IsEnded);
    }

    [Fact]
    public void Who_asks_for_keys_and_takes_the_answers_keeps_the_connection()
    {
        using var stranger = new Stranger(takesLittle: false);
        TcpEnd.Until(() => stranger.Ask() && stranger.Take() > Count / 2 * RecordSize);
        Assert.True(stranger.Caller.IsOpen);
    }

    /// <summary>Is called, and speaks TLS by hand.</summary>
    private sealed class Stranger : IDisposable
    {
        private const int Little = 4096, Piece = 16 * 1024;

        private readonly TlsContexts _tls = new();
        private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
        private readonly MemorySsl _ssl;
        private readonly Socket _socket;
        private readonly ArrayBufferWriter<byte> _asked = new();
        private readonly byte[] _buffer = new byte[Piece];
        private int _sent, _taken;

        internal Stranger(bool takesLittle)
        {
            if (takesLittle)
            {
                _listener.Server.ReceiveBufferSize = Little;
            }

            _listener.Start();
            TransportAddress here = TcpEnd.EndpointOf(((IPEndPoint)_listener.LocalEndpoint).Port);
            FileDescriptor fd = TcpSocket.Connect(here, 0)!;
            Caller = new TcpConnection(fd, here, _tls, isClient: true, BootClock.Now);
            _socket = _listener.AcceptSocket();
            _socket.Blocking = false;
            _ssl = new MemorySsl(_tls.Server);
            _ssl.TakeSide(isClient: false);
            TcpEnd.Until(() => Shake() && Caller.IsOpen);

            // The kernel would end it, too, but not where a little is taken now and then.
            TcpSocket.SetPatience(fd, TimeSpan.FromHours(1));
            for (int count = 0; count < Count; count++)
            {
                Assert.Equal(1, SSL_key_update(_ssl.Handle.DangerousGetHandle(), Requested));
                Assert.Equal(Interop.Ssl.SSL_ERROR_NONE, _ssl.Shake());
            }

            _ssl.Drain(_asked);
        }

        /// <summary>The project's own end.</summary>
        internal TcpConnection Caller { get; }

        /// <summary>Asks on, for no more than one <see cref="Take"/> takes, and lets the other end read it; true.</summary>
        internal bool Ask()
        {
            ReadOnlySpan<byte> rest = _asked.WrittenSpan[_sent..];
            _sent += Math.Max(0, _socket.Send(rest[..Math.Min(rest.Length, Piece)], SocketFlags.None, out _));
            Caller.OnReady(BootClock.Now, _ => { });
            return true;
        }

        /// <summary>Takes what has come of the answers; says how many bytes came in all.</summary>
        internal int Take() => _taken += Math.Max(0, _socket.Receive(_buffer, SocketFlags.None, out _));

        public void Dispose()
        {
            Caller.Dispose();
            _socket.Dispose();
            _listener.Dispose();
            _ssl.Dispose();
            _tls.Dispose();
        }

        private bool Shake()
        {
            bool isDone = _ssl.Shake() == Interop.Ssl.SSL_ERROR_NONE;
            _ssl.Drain(_asked);
            Ask();
            int count = _socket.Receive(_buffer, SocketFlags.None, out _);
            return (count <= 0 || _ssl.Feed(_buffer.AsSpan(0, count))) && isDone;
        }
    }

    [DllImport("libssl.so.3")]
    private static extern int SSL_key_update(nint ssl, int kind);
}
