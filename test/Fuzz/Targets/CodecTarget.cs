using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>A reader with its writer: what is read and written again is read as the same.</summary>
/// <param name="name">The target's name.</param>
/// <param name="samples">Valid messages.</param>
/// <param name="mutator">How they are changed.</param>
/// <param name="rewrite">Reads and writes; null if it is rejected.</param>
/// <param name="isStrict">Whether each message has one form only.</param>
/// <param name="most">Most bytes that one input may make the thread allocate.</param>
internal sealed class CodecTarget(
    string name, IEnumerable<Sample> samples, IMutator mutator, Func<byte[], byte[]?> rewrite, bool isStrict = true, long most = 64 << 10) : FuzzTarget
{
    public override string Name => name;

    public override long MostAllocated => most;

    public override IMutator Mutator => mutator;

    public override IEnumerable<Sample> Samples() => samples;

    public override int Run(byte[] input) => Oracle.RoundTrip(input, rewrite, isStrict);
}
