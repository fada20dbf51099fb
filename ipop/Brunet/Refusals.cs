namespace Brunet;

/// <summary>How much did not get into collections that were full, or made the oldest give way, since start. Plain fields: one thread writes.</summary>
public sealed class Refusals
{
    private readonly long[] _counts = new long[Enum.GetValues<Full>().Length];

    /// <summary>Refusals of a collection.</summary>
    public long this[Full collection] => _counts[(int)collection];

    internal void Add(Full collection) => _counts[(int)collection]++;
}
