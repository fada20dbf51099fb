using Fuzz.Mutation;
using Ipop.Linux.Tcp;

namespace Fuzz.Targets;

/// <summary>What comes first to who began the TLS handshake on a TCP connection. An input is a sequence of pieces; in which ones it comes changes nothing.</summary>
internal sealed class TlsCrossingTarget : FuzzTarget
{
    private const int MostPieces = 64;

    private static readonly byte[] Ours = Random(0x80);

    public override string Name => "tls-crossing";

    public override IMutator Mutator { get; } = new SequenceMutator(
        new FieldMutator(piece =>
        {
            var walker = new FieldWalker(piece);
            walker.Type();
            walker.Number(2);
            walker.Number(2);
            walker.Type();
            return walker.Rest().Fields;
        }),
        MostPieces);

    public override IEnumerable<Sample> Samples()
    {
        byte[] lesser = Hello(1, 0x7f, 250), greater = Hello(1, 0x81, 250);
        yield return new("lesser", Sequence.Write([lesser, [1, 2, 3]]));
        yield return new("greater", Sequence.Write([greater, [1, 2, 3]]));
        yield return new("equal", Sequence.Write([Hello(1, 0x80, 250)]));
        yield return new("answer", Sequence.Write([Hello(2, 0x7f, 90)]));
        yield return new("alert", Sequence.Write([[0x15, 3, 3, 0, 2, 2, 40]]));
        yield return new("short", Sequence.Write([Hello(1, 0x7f, 38), [1, 2, 3]]));
        yield return new("pieces", Sequence.Write(lesser.Concat(greater).Chunk(11)));
        yield return new("bytes", Sequence.Write(lesser.Take(MostPieces).Select(one => new[] { one })));
    }

    public override int Run(byte[] input)
    {
        List<byte[]> pieces = Sequence.Read(input, MostPieces);
        (TlsCrossing.Side side, byte[] heard) = Hear(pieces);
        byte[] whole = [.. pieces.SelectMany(piece => piece)];
        (TlsCrossing.Side sideOfWhole, byte[] heardOfWhole) = Hear([whole]);
        Oracle.That(side == sideOfWhole, "the side is the same in whatever pieces it comes");
        Oracle.That(heard.AsSpan().SequenceEqual(heardOfWhole), "TLS hears the same in whatever pieces it comes");
        Oracle.That(side != TlsCrossing.Side.Server || heard.AsSpan().SequenceEqual(whole), "the server hears the whole ClientHello");
        Oracle.That(whole.AsSpan().EndsWith(heard), "nothing is heard that did not come");
        return (int)side;
    }

    /// <summary>The side of who hears these, and what TLS hears of it.</summary>
    private static (TlsCrossing.Side Side, byte[] Heard) Hear(List<byte[]> pieces)
    {
        var crossing = new TlsCrossing();
        var side = TlsCrossing.Side.Unknown;
        List<byte> heard = [];
        foreach (byte[] piece in pieces)
        {
            ReadOnlySpan<byte> left = piece, first = [];
            if (side == TlsCrossing.Side.Unknown)
            {
                side = crossing.Take(ref left, Ours);
                first = crossing.Start;
            }

            if (side is TlsCrossing.Side.Client or TlsCrossing.Side.Server)
            {
                heard.AddRange(first);
                heard.AddRange(left);
            }
        }

        return (side, [.. heard]);
    }

    /// <summary>A record of the handshake (RFC 8446, section 5.1) with a message of a type, to its random, and so many bytes in all of it.</summary>
    private static byte[] Hello(byte type, byte first, byte length) =>
        [0x16, 3, 1, 0, length, type, 0, 0, (byte)(length - 4), 3, 3, .. Random(first), .. new byte[length - 38]];

    private static byte[] Random(byte first) => [first, .. new byte[TlsCrossing.RandomSize - 1]];
}
