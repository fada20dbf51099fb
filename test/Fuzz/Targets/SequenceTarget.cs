using Fuzz.Mutation;

namespace Fuzz.Targets;

/// <summary>A machine with a state: an input is a sequence of messages for a fresh one.</summary>
/// <param name="name">The target's name.</param>
/// <param name="messages">Valid messages; each alone is a sample, and all together.</param>
/// <param name="inner">How one message is changed.</param>
/// <param name="most">Most messages of a sequence.</param>
/// <param name="run">Gives the messages to a fresh machine.</param>
/// <param name="weight">Its share of the time.</param>
internal sealed class SequenceTarget(string name, IEnumerable<Sample> messages, IMutator inner, int most, Func<List<byte[]>, int> run, int weight = 3) : FuzzTarget
{
    public override string Name => name;

    public override long MostAllocated => 2 << 20;

    public override int Weight => weight;

    public override int LongestInput => 12_000;

    public override IMutator Mutator { get; } = new SequenceMutator(inner, most);

    public override IEnumerable<Sample> Samples()
    {
        Sample[] all = [.. messages];
        foreach (Sample sample in all)
        {
            yield return sample with { Bytes = Sequence.Write([sample.Bytes]) };
        }

        yield return new("all", Sequence.Write(all.Select(sample => sample.Bytes), most));
    }

    public override int Run(byte[] input) => run(Sequence.Read(input, most));
}
