using Brunet.Addressing;

namespace Brunet.Sessions;

/// <summary>The frame of a kind that has the highest counter in its session.</summary>
internal sealed class NewestFrame
{
    private Arrival _way;

    /// <summary>Its counter; null before the first.</summary>
    public ulong? Counter { get; private set; }

    /// <summary>How it came; meaningless before the first.</summary>
    public ref readonly Arrival Way => ref _way;

    /// <summary>One came that is newer than all before.</summary>
    public void Set(ulong counter, in Arrival way)
    {
        Counter = counter;
        _way = way;
    }

    /// <summary>The same, of one that came the same way.</summary>
    public void Set(ulong counter) => Counter = counter;
}
