namespace Ipop.Clock;

/// <summary>What the pool's CA signed says about the time: it is not before the newest start, and hardly after the latest end.</summary>
public sealed class SignedTimes
{
    /// <summary>The latest time at which the CA is known to have signed something; null if nothing is known.</summary>
    public DateTimeOffset? NewestStart { get; private set; }

    /// <summary>The latest end of all certificates that were seen.</summary>
    public DateTimeOffset? LatestEnd { get; private set; }

    /// <summary>Takes what stands in something whose signature was verified.</summary>
    /// <param name="start">From when on it is valid.</param>
    /// <param name="end">Until when, if it says so; a list of revoked certificates does not.</param>
    public void Add(DateTimeOffset start, DateTimeOffset? end = null)
    {
        NewestStart = NewestStart > start ? NewestStart : start;
        LatestEnd = end is null || LatestEnd > end ? LatestEnd : end;
    }
}
