using System.Security.Cryptography;
using Brunet.Wire;
using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>
/// Handshake frames. The first byte of an input says whether the MAC is made right before the frame is read, as somebody does who has the
/// pool's secret: without that nothing gets past it.
/// </summary>
internal sealed class HandshakeFrameTarget : FuzzTarget
{
    private const byte RightMac = 1;

    public override string Name => "handshake-frame";

    public override long MostAllocated => 64 << 10;

    public override IMutator Mutator { get; } = new FieldMutator(input =>
    {
        List<Field> fields = WireLayouts.Frame(input.Length == 0 ? [] : input[1..]);
        return fields.ConvertAll(field => field with { Offset = field.Offset + 1 });
    });

    public override IEnumerable<Sample> Samples()
    {
        byte[] hello = WireSamples.Handshake(5, 0, WireSamples.Somebody(1), default, 0, 0, new byte[700]);
        byte[] answer = WireSamples.Handshake(6, 5, WireSamples.Somebody(2), WireSamples.Somebody(1), 960, 700, new byte[960]);
        byte[] bare = WireSamples.Handshake(5, 6, WireSamples.Somebody(1), WireSamples.Somebody(2), 700, 1920, []);
        byte[] cookie = WireSamples.Handshake(5, 5, WireSamples.Somebody(2), WireSamples.Somebody(1), 0, 0, [], [.. Enumerable.Repeat((byte)3, 16)]);
        return
        [
            new("hello", [RightMac, .. hello]), new("answer", [RightMac, .. answer]), new("acknowledgement", [RightMac, .. bare]),
            new("cookie", [RightMac, .. cookie]), new("stranger", [0, .. hello]),
        ];
    }

    public override int Run(byte[] input)
    {
        if (input.Length == 0)
        {
            return 0;
        }

        byte[] frame = input[1..];
        if ((input[0] & RightMac) != 0)
        {
            Seal(frame);
        }

        return Oracle.RoundTrip(frame, Rewrite, isStrict: false);
    }

    /// <summary>Makes a frame's MAC right, if it is long enough to have one.</summary>
    public static void Seal(byte[] frame)
    {
        const int Start = 4;
        const int End = Start + ProtocolConstants.MacSize;
        if (frame.Length < End)
        {
            return;
        }

        frame.AsSpan(Start, ProtocolConstants.MacSize).Clear();
        HMACSHA256.HashData(WireSamples.Secret, frame).AsSpan(0, ProtocolConstants.MacSize).CopyTo(frame.AsSpan(Start));
    }

    private static byte[]? Rewrite(byte[] input)
    {
        byte[] bytes = new byte[HandshakeFrame.MaxSize];
        if (!HandshakeFrame.TryRead(input, WireSamples.Secret, out HandshakeFrame frame))
        {
            return null;
        }

        Oracle.That(frame.SenderIndex != 0 && frame.Data.Length <= ProtocolConstants.MaxHandshakeChunk, "a frame that was read keeps its limits");
        return bytes[..frame.Write(bytes, WireSamples.Secret)];
    }
}
