using System.Net;
using System.Net.Sockets;
using Brunet.Addressing;

namespace Ipop.Linux.Tests.Tcp;

/// <summary>
/// Two ends that called each other at the same time have one connection, on which both begin the TLS handshake. Here each calls a listener, and gets what the other
/// sends; so it is the same to them.
/// </summary>
public sealed class BothBeginTests
{
    /// <summary>Whose random is the greater one is chance: with so many both come, but for one time in 32,000.</summary>
    private const int Times = 16;

    [Theory]
    [InlineData(1)]
    [InlineData(40)]
    [InlineData(4096)]
    public void Frames_pass_whoever_of_both_is_the_client_and_in_whatever_pieces_it_comes(int piece)
    {
        for (int time = 0; time < Times; time++)
        {
            using var wire = new Wire();
            wire.Call();
            AssertBothHear(wire, piece);
        }
    }

    /// <summary>The other end may have answered before this one's own call came through.</summary>
    [Fact]
    public void Frames_pass_where_one_has_heard_the_other_before_it_began()
    {
        for (int time = 0; time < Times; time++)
        {
            using var wire = new Wire();
            wire.Call();
            TcpEnd.Until(() => wire.IsSaid, wire.Two);
            wire.Pass(4096);
            AssertBothHear(wire, 4096);
        }
    }

    [Fact]
    public void Who_sends_back_what_he_gets_is_nobody()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        using var one = new TcpEnd();
        TransportAddress there = Wire.Where(listener);
        one.Links.Send(there, [1]);
        using Socket echo = listener.AcceptSocket();
        byte[] buffer = new byte[4096];
        TcpEnd.Until(() => one.Lost.Count > 0 || (echo.Available > 0 && echo.Send(buffer, echo.Receive(buffer), SocketFlags.None) > 0), one);
        TcpEnd.Until(() => one.Lost.Count > 0, one);
        Assert.Equal([there], one.Lost);
    }

    /// <summary>Carries bytes, in pieces of so many, until each has what the other said.</summary>
    private static void AssertBothHear(Wire wire, int piece)
    {
        TcpEnd.Until(() => wire.Pass(piece) && wire.One.Received.Count + wire.Two.Received.Count == 2, wire.One, wire.Two);
        Assert.Equal([2], Assert.Single(wire.One.Received).Frame);
        Assert.Equal([1], Assert.Single(wire.Two.Received).Frame);
    }

    /// <summary>Two ends and what carries the bytes between them.</summary>
    private sealed class Wire : IDisposable
    {
        private readonly TcpListener _atOne = new(IPAddress.Loopback, 0), _atTwo = new(IPAddress.Loopback, 0);
        private Socket? _one, _two;

        internal TcpEnd One { get; } = new();

        internal TcpEnd Two { get; } = new();

        /// <summary>Whether the second has begun.</summary>
        internal bool IsSaid => _two!.Available > 0;

        internal static TransportAddress Where(TcpListener listener) => TcpEnd.EndpointOf(((IPEndPoint)listener.LocalEndpoint).Port);

        /// <summary>Each calls the other; and both have something to say.</summary>
        internal void Call()
        {
            _atOne.Start();
            _atTwo.Start();
            One.Links.Send(Where(_atOne), [1]);
            Two.Links.Send(Where(_atTwo), [2]);
            (_one, _two) = (_atOne.AcceptSocket(), _atTwo.AcceptSocket());
            _one.NoDelay = _two.NoDelay = true;
        }

        /// <summary>Carries what is there to the other end, in pieces of so many bytes; true.</summary>
        internal bool Pass(int piece)
        {
            Carry(_one!, _two!, piece);
            Carry(_two!, _one!, piece);
            return true;
        }

        public void Dispose()
        {
            One.Dispose();
            Two.Dispose();
            _one?.Dispose();
            _two?.Dispose();
            _atOne.Dispose();
            _atTwo.Dispose();
        }

        private static void Carry(Socket from, Socket to, int piece)
        {
            byte[] buffer = new byte[piece];
            if (from.Available > 0)
            {
                to.Send(buffer, from.Receive(buffer), SocketFlags.None);
            }
        }
    }
}
