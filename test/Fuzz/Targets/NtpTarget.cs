using System.Buffers.Binary;
using Fuzz.Mutation;
using Ipop.Clock;

namespace Fuzz.Targets;

/// <summary>Datagrams of a time server: only an answer to what was asked is a time, and each time is one that a clock can show.</summary>
internal sealed class NtpTarget : FuzzTarget
{
    private const ulong Number = 0x0123456789abcdef;

    public override string Name => "ntp";

    public override IMutator Mutator { get; } = new BytesOnly();

    public override int LongestInput => 96;

    public override IEnumerable<Sample> Samples()
    {
        byte[] answer = new byte[NtpMessage.Size];
        (answer[0], answer[1]) = (0x24, 2);
        BinaryPrimitives.WriteUInt64BigEndian(answer.AsSpan(24), Number);
        BinaryPrimitives.WriteUInt64BigEndian(answer.AsSpan(40), 0xec5b_6c00_8000_0000);
        yield return new("answer", answer);
        byte[] question = new byte[NtpMessage.Size];
        NtpMessage.Write(question, Number);
        yield return new("question", question);
        byte[] refusal = [.. answer];
        refusal[1] = 0;
        "RATE"u8.CopyTo(refusal.AsSpan(12));
        yield return new("refusal", refusal);
    }

    public override int Run(byte[] input)
    {
        if (!NtpMessage.TryRead(input, Number, out DateTimeOffset time))
        {
            return NtpMessage.IsTooOften(input, Number) ? 1 : 0;
        }

        Oracle.That(!NtpMessage.IsTooOften(input, Number), "an answer with the time is no refusal");

        Oracle.That(BinaryPrimitives.ReadUInt64BigEndian(input.AsSpan(24)) == Number, "an answer brings the question's number");
        Oracle.That(time.Year is >= 2020 and < 2160, "a time is of the era after 2020");
        return 1;
    }

    private sealed class BytesOnly : IMutator
    {
        public byte[] Mutate(Random random, byte[] input, byte[] other) => ByteMutator.Change(random, input);
    }
}
