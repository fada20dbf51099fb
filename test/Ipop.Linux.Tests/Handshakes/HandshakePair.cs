using System.Buffers;
using Brunet.Sessions;

namespace Ipop.Linux.Tests.Handshakes;

/// <summary>A client and a server, joined by memory.</summary>
internal sealed class HandshakePair(IHandshakeProvider client, IHandshakeProvider server) : IDisposable
{
    internal IHandshake Client { get; } = client.StartClient(1);

    internal IHandshake Server { get; } = server.StartServer(2);

    /// <summary>Sizes of the flights, client's first.</summary>
    internal List<int> Flights { get; } = [];

    /// <summary>Carries flights both ways until neither side has anything to say.</summary>
    /// <param name="corrupt">May change a flight under way.</param>
    /// <param name="pieces">Bytes handed over at once.</param>
    internal (HandshakeState Client, HandshakeState Server) Run(Func<int, byte[], byte[]>? corrupt = null, int pieces = int.MaxValue)
    {
        var state = (Client: HandshakeState.InProgress, Server: HandshakeState.InProgress);
        byte[] flight = [];
        for (int turn = 0; turn < 10; turn++)
        {
            bool clientsTurn = turn % 2 == 0;
            var sent = new ArrayBufferWriter<byte>();
            HandshakeState now = Feed(clientsTurn ? Client : Server, flight, sent, pieces);
            state = clientsTurn ? (now, state.Server) : (state.Client, now);
            if (sent.WrittenCount == 0 && turn > 0)
            {
                break;
            }

            Flights.Add(sent.WrittenCount);
            flight = sent.WrittenSpan.ToArray();
            flight = corrupt?.Invoke(turn, flight) ?? flight;
        }

        return state;
    }

    public void Dispose()
    {
        Client.Dispose();
        Server.Dispose();
    }

    private static HandshakeState Feed(IHandshake side, byte[] flight, ArrayBufferWriter<byte> sent, int pieces)
    {
        HandshakeState state = HandshakeState.InProgress;
        int offset = 0;
        do
        {
            int length = Math.Min(pieces, flight.Length - offset);
            state = side.Advance(flight.AsSpan(offset, length), sent);
            offset += length;
        }
        while (offset < flight.Length);
        return state;
    }
}
