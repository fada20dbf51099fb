namespace Ipop;

/// <summary>How much was dropped, by reason. Plain fields: one thread writes.</summary>
public sealed class DropCounters
{
    private readonly long[] _counts = new long[Enum.GetValues<DropReason>().Length];

    /// <summary>Drops for a reason since start.</summary>
    public long this[DropReason reason] => _counts[(int)reason];

    internal void Add(DropReason reason) => _counts[(int)reason]++;
}
