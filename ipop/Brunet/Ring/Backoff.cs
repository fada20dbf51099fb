namespace Brunet.Ring;

/// <summary>When something is tried again: after pauses that grow, each a quarter longer or shorter by chance, so that nodes do not keep step.</summary>
/// <param name="random">The node's source of chance.</param>
/// <param name="first">The first pause.</param>
/// <param name="longest">Where they stop growing.</param>
/// <param name="growth">From one to the next.</param>
internal sealed class Backoff(Random random, TimeSpan first, TimeSpan longest, double growth = 2)
{
    private readonly TimeSpan _first = first;

    /// <summary>The pause that the next try is followed by.</summary>
    public TimeSpan Pause { get; private set; } = first;

    /// <summary>When the next try may be made.</summary>
    public TimeSpan Next { get; private set; }

    public bool IsDue(TimeSpan now) => now >= Next;

    /// <summary>A try is made now: the next one comes after the pause, which then grows.</summary>
    public void Tried(TimeSpan now)
    {
        Next = now + (Pause * (0.75 + (0.5 * random.NextDouble())));
        Pause = Pause * growth < longest ? Pause * growth : longest;
    }

    /// <summary>The pauses begin anew; when the next try comes stays.</summary>
    public void Shorten() => Pause = _first;

    /// <summary>The pauses begin anew, with a try at a given time.</summary>
    public void Restart(TimeSpan next)
    {
        Pause = _first;
        Next = next;
    }
}
