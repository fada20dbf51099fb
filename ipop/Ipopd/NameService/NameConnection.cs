using System.Buffers.Binary;
using System.Net.Sockets;
using Ipop.Dns;
using Ipop.Linux.Polling;
using Ipopd.Connections;

namespace Ipopd.NameService;

/// <summary>
/// A client that asks over TCP: any number of queries, each behind its length in two bytes (RFC 1035 section 4.2.2), answered as soon as each answer
/// is there, in whatever order that is (RFC 7766 section 6.2.1.1). It ends when the client has closed and has its answers, is silent for
/// too long, or sends what can be no query.
/// </summary>
internal sealed class NameConnection(PollLoop loop, DnsServer server, Socket socket, Action<LoopConnection> closed)
    : LoopConnection(loop, socket, LengthSize + LongestQuery, SendBuffer, closed)
{
    private const int LengthSize = sizeof(ushort);

    /// <summary>A question of 271 bytes, and OPT with room for options.</summary>
    private const int LongestQuery = 4096;

    /// <summary>Replies to a hundred queries that the client has not taken yet.</summary>
    private const int SendBuffer = 1 << 16;

    private int _owed;

    /// <summary>A query that deserves no answer counts as owed one: then the client's silence ends the connection.</summary>
    protected override bool IsOwing => _owed > 0;

    /// <inheritdoc/>
    protected override void OnReceived(TimeSpan now)
    {
        int start = 0;
        while (!IsClosed && Length - start >= LengthSize)
        {
            int length = BinaryPrimitives.ReadUInt16BigEndian(Buffer.AsSpan(start));
            if (length > LongestQuery)
            {
                Dispose();
                return;
            }

            if (Length - start - LengthSize < length)
            {
                break;
            }

            _owed++;
            server.Answer(now, Buffer.AsSpan(start + LengthSize, length), Reply);
            start += LengthSize + length;
        }

        Buffer.AsSpan(start, Length - start).CopyTo(Buffer);
        Length -= start;
    }

    // In one piece with its length (RFC 7766 section 8). It may come long after the client has gone.
    private void Reply(ReadOnlyMemory<byte> reply)
    {
        _owed--;
        if (IsClosed)
        {
            return;
        }

        byte[] message = new byte[LengthSize + reply.Length];
        BinaryPrimitives.WriteUInt16BigEndian(message, (ushort)reply.Length);
        reply.Span.CopyTo(message.AsSpan(LengthSize));
        if (Socket.Send(message, SocketFlags.None, out SocketError _) != message.Length)
        {
            Dispose();
        }

        CloseIfDone();
    }
}
