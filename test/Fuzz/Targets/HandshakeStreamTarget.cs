using System.Buffers;
using System.Buffers.Binary;
using Brunet.Sessions;
using Brunet.Wire;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>
/// The handshake's byte stream under frames in any order. An input is a sequence of frames: offset (4), acknowledgement (4), data, whose
/// bytes are taken from one long text, as an honest peer's are: what comes out must be that text, in order and without holes.
/// </summary>
internal sealed class HandshakeStreamTarget : FuzzTarget
{
    private const int MostFrames = 64;
    private const int Written = 3000;

    public override string Name => "handshake-stream";

    public override IMutator Mutator { get; } = new SequenceMutator(new FieldMutator(frame =>
    {
        var walker = new FieldWalker(frame);
        walker.Number(4);
        walker.Number(4);
        return walker.Rest().Fields;
    }), MostFrames);

    public override IEnumerable<Sample> Samples()
    {
        yield return new("in-order", Frames((0, 0, 960), (960, 960, 960), (1920, 1920, 100), (2020, 3000, 0)));
        yield return new("reordered", Frames((960, 0, 960), (0, 0, 960), (960, 0, 960), (0, 3000, 960)));
        yield return new("overlapping", Frames((0, 1, 500), (250, 2999, 500), (100, 3001, 900)));
        yield return new("far", Frames((uint.MaxValue, uint.MaxValue, 960), (uint.MaxValue - 3, int.MaxValue, 8), (0, 0, 960)));
    }

    public override int Run(byte[] input)
    {
        var stream = new HandshakeStream();
        stream.Output.Write(new byte[Written]);
        uint taken = 0;
        foreach (byte[] frame in Sequence.Read(input, MostFrames))
        {
            if (frame.Length < 8)
            {
                continue;
            }

            uint offset = BinaryPrimitives.ReadUInt32BigEndian(frame);
            byte[] data = Text(offset, Math.Min(frame.Length - 8, ProtocolConstants.MaxHandshakeChunk));
            stream.Acknowledge(BinaryPrimitives.ReadUInt32BigEndian(frame.AsSpan(4)));
            ReadOnlySpan<byte> fresh = stream.Receive(offset, data);
            Oracle.That(fresh.SequenceEqual(Text(taken, fresh.Length)), "the stream comes out in order");
            taken += (uint)fresh.Length;
            Oracle.That(stream.Expected == taken, "the acknowledgement is what came out");
            uint next = 0;
            int sent = 0;
            while (stream.NextChunk(ref next) is { IsEmpty: false } chunk)
            {
                next += (uint)chunk.Length;
                sent += chunk.Length;
            }

            Oracle.That(sent <= Written && (sent == 0) == stream.IsAcknowledged, "what is sent again is what is not acknowledged");
        }

        return taken == 0 ? 0 : stream.IsAcknowledged ? 2 : 1;
    }

    private static byte[] Text(uint offset, int length)
    {
        byte[] text = new byte[length];
        for (int i = 0; i < length; i++)
        {
            text[i] = (byte)((offset + (uint)i) * 7);
        }

        return text;
    }

    private static byte[] Frames(params (uint Offset, uint Acknowledged, int Size)[] frames) => Sequence.Write(frames.Select(frame =>
    {
        byte[] bytes = new byte[8 + frame.Size];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, frame.Offset);
        BinaryPrimitives.WriteUInt32BigEndian(bytes.AsSpan(4), frame.Acknowledged);
        return bytes;
    }));
}
