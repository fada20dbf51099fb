using Fuzz.Mutation;

namespace Fuzz;

/// <summary>One parser, or one machine of parsers, that takes bytes from a network or from another process.</summary>
internal abstract class FuzzTarget
{
    /// <summary>Its name on the command line, and of its folder in the corpus.</summary>
    public abstract string Name { get; }

    /// <summary>Most bytes that one input may make the thread allocate.</summary>
    public virtual long MostAllocated => 256 << 10;

    /// <summary>Its share of the time: more for a slow one, and for one with much behind it.</summary>
    public virtual int Weight => 1;

    /// <summary>Most bytes of an input: what the parser can be given, and some more.</summary>
    public virtual int LongestInput => 6000;

    /// <summary>How its inputs are changed.</summary>
    public abstract IMutator Mutator { get; }

    /// <summary>Valid inputs, made by the product's own writers; equal in each run.</summary>
    public abstract IEnumerable<Sample> Samples();

    /// <summary>
    /// Gives an input to the parser. Whatever it throws is a failure; what other rules the target breaks it says by <see cref="Oracle"/>.
    /// </summary>
    /// <returns>What became of the input: a mutant that ends in a new way is kept as a parent of more.</returns>
    public abstract int Run(byte[] input);
}

/// <summary>An input of the corpus.</summary>
/// <param name="Name">File name without suffix.</param>
/// <param name="Bytes">The input.</param>
internal sealed record Sample(string Name, byte[] Bytes)
{
    /// <summary>Whether it is another one each time, as a signature by ECDSA is: then the file of the corpus stays as it is.</summary>
    public bool IsByChance { get; init; }
}
