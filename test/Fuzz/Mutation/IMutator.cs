namespace Fuzz.Mutation;

/// <summary>Makes new inputs of old ones.</summary>
internal interface IMutator
{
    /// <summary>Changes an input.</summary>
    /// <param name="random">The only source of chance.</param>
    /// <param name="input">The parent; stays as it is.</param>
    /// <param name="other">Another input of the same target, to take parts from.</param>
    byte[] Mutate(Random random, byte[] input, byte[] other);
}
