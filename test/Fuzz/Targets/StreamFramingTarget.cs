using System.Buffers;
using Brunet.Wire;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>Frames on a TCP stream. An input is a sequence of pieces, as a peer's network hands them over.</summary>
internal sealed class StreamFramingTarget : FuzzTarget
{
    private const int MostPieces = 64;

    public override string Name => "stream-framing";

    public override IMutator Mutator { get; } = new SequenceMutator(
        new FieldMutator(piece =>
        {
            var walker = new FieldWalker(piece);
            walker.Number(2);
            return walker.Rest().Fields;
        }),
        MostPieces);

    public override IEnumerable<Sample> Samples()
    {
        var stream = new ArrayBufferWriter<byte>();
        StreamFraming.Write(WireSamples.Data(1, 0, 9), stream);
        StreamFraming.Write(WireSamples.Data(1, 1, 900), stream);
        StreamFraming.Write(new byte[StreamFraming.MaxFrameSize], stream);
        byte[] whole = stream.WrittenSpan.ToArray();
        yield return new("whole", Sequence.Write([whole]));
        yield return new("pieces", Sequence.Write(whole.Chunk(97).Take(MostPieces)));
        yield return new("bytes", Sequence.Write(whole.Take(50).Select(one => new[] { one })));
    }

    public override int Run(byte[] input)
    {
        var reader = new StreamFraming();
        var again = new ArrayBufferWriter<byte>();
        int bytes = 0;
        foreach (byte[] piece in Sequence.Read(input, MostPieces))
        {
            bytes += piece.Length;
            if (!reader.TryRead(piece, frame => StreamFraming.Write(frame, again)))
            {
                return 0;
            }

            Oracle.That(again.WrittenCount <= bytes, "no more comes out than went in");
            Oracle.That(bytes - again.WrittenCount < StreamFraming.HeaderSize + StreamFraming.MaxFrameSize, "no more than one frame is held back");
        }

        return again.WrittenCount == 0 ? 1 : 2;
    }
}
