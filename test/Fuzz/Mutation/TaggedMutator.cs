namespace Fuzz.Mutation;

/// <summary>Inputs whose first byte tells how the rest is used: mostly the rest is changed, seldom that byte.</summary>
/// <param name="inner">Changes the rest.</param>
internal sealed class TaggedMutator(IMutator inner) : IMutator
{
    public byte[] Mutate(Random random, byte[] input, byte[] other)
    {
        if (input.Length == 0)
        {
            return other;
        }

        byte tag = random.Next(40) == 0 ? (byte)random.Next(16) : input[0];
        return [tag, .. inner.Mutate(random, input[1..], other.Length == 0 ? other : other[1..])];
    }
}
