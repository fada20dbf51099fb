using Brunet.Wire;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>Knocks. The first byte of an input says, as with handshake frames, whether the MAC is made right before the frame is read.</summary>
internal sealed class KnockTarget : FuzzTarget
{
    private const byte RightMac = 1;

    public override string Name => "knock";

    public override long MostAllocated => 64 << 10;

    public override IMutator Mutator { get; } = new FieldMutator(input =>
        WireLayouts.Frame(input.Length == 0 ? [] : input[1..]).ConvertAll(field => field with { Offset = field.Offset + 1 }));

    public override IEnumerable<Sample> Samples() =>
    [
        new("question", [RightMac, .. WireSamples.Knock(true)]), new("knock", [RightMac, .. WireSamples.Knock(false)]),
        new("stranger", [0, .. WireSamples.Knock(true)]),
    ];

    public override int Run(byte[] input)
    {
        if (input.Length == 0)
        {
            return 0;
        }

        byte[] frame = input[1..];
        if ((input[0] & RightMac) != 0)
        {
            HandshakeFrameTarget.Seal(frame);
        }

        return Oracle.RoundTrip(frame, Rewrite, isStrict: true);
    }

    private static byte[]? Rewrite(byte[] input)
    {
        byte[] bytes = new byte[KnockFrame.Size];
        if (!KnockFrame.TryRead(input, WireSamples.Secret, out KnockFrame frame))
        {
            return null;
        }

        frame.Write(bytes, WireSamples.Secret);
        return bytes;
    }
}
