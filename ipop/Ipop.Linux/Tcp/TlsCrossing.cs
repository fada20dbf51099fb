using System.Buffers;
using System.Buffers.Binary;
using Brunet;

namespace Ipop.Linux.Tcp;

/// <summary>
/// Reads what comes first to an end that began the TLS handshake. Two ends may have called each other at the same time: then their kernels make one connection of
/// both calls (RFC 9293, section 3.5), and both begin. Of two ClientHello the one with the greater random stands (RFC 8446, section 4.1.2): its sender passes over
/// the other, whose sender becomes the server. Both have both, so both know. Who becomes the server before its own ClientHello has left does not send it: the other
/// hears the answer to its own.
/// </summary>
internal sealed class TlsCrossing
{
    /// <summary>Bytes of a random.</summary>
    internal const int RandomSize = 32;

    private const byte Handshake = 22, ClientHello = 1;

    /// <summary>Where in the first record its length stands, what it is, and the random.</summary>
    private const int LengthAt = 3, TypeAt = 5, RandomAt = 11;

    private const int Needed = RandomAt + RandomSize;

    [Bounded(nameof(Needed))]
    private readonly ArrayBufferWriter<byte> _start = new(Needed);

    private int _passedOver;

    /// <summary>What this end is.</summary>
    internal enum Side
    {
        /// <summary>That is not known yet.</summary>
        Unknown,

        /// <summary>The client: it has heard an answer, or is to.</summary>
        Client,

        /// <summary>The server, which has to answer.</summary>
        Server,

        /// <summary>Neither: somebody sends back what he gets.</summary>
        Neither,
    }

    /// <summary>What TLS is to hear before all that follows.</summary>
    internal ReadOnlySpan<byte> Start => _passedOver > 0 ? [] : _start.WrittenSpan;

    private int RecordSize => TypeAt + BinaryPrimitives.ReadUInt16BigEndian(_start.WrittenSpan[LengthAt..]);

    private bool MayBeClientHello => _start.WrittenSpan[0] == Handshake && (_start.WrittenCount <= TypeAt || _start.WrittenSpan[TypeAt] == ClientHello);

    /// <summary>Takes bytes of the other end as they come, up to the one after which this end knows its side.</summary>
    /// <param name="received">They; what is left is for TLS.</param>
    /// <param name="ours">The random of this end's ClientHello.</param>
    internal Side Take(ref ReadOnlySpan<byte> received, ReadOnlySpan<byte> ours)
    {
        while (!received.IsEmpty)
        {
            if (_passedOver > 0)
            {
                int left = RecordSize - _passedOver;
                int count = Math.Min(left, received.Length);
                received = received[count..];
                _passedOver += count;
                return count == left ? Side.Client : Side.Unknown;
            }

            _start.Write(received[..1]);
            received = received[1..];
            if (!MayBeClientHello)
            {
                return Side.Client;
            }

            if (_start.WrittenCount == Needed && Decide(ours) is var side and not Side.Unknown)
            {
                return side;
            }
        }

        return Side.Unknown;
    }

    private Side Decide(ReadOnlySpan<byte> ours)
    {
        int order = _start.WrittenSpan[RandomAt..].SequenceCompareTo(ours);
        if (order >= 0)
        {
            return order > 0 ? Side.Server : Side.Neither;
        }

        _passedOver = Needed;
        return RecordSize <= Needed ? Side.Client : Side.Unknown;
    }
}
