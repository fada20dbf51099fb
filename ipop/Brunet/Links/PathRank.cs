namespace Brunet.Links;

/// <summary>
/// Says which of two paths serves better. A better kind wins. Of one kind the path wins whose pings are lost clearly less, however long its round trip, and
/// the shorter round trip where no more are lost. Clearly: a path that is left for its losses is not better again by chance.
/// </summary>
internal static class PathRank
{
    /// <summary>So many more of the last pings are lost at least, besides twice as many as on the other path.</summary>
    private const int ClearlyMore = 4;

    /// <summary>Pings that say enough of a path to leave another one for it.</summary>
    private const int Enough = 16;

    private static readonly TimeSpan ClearlyShorter = TimeSpan.FromMilliseconds(3);

    /// <summary>Whether a path is so much better than the present one that it is worth a change.</summary>
    /// <param name="now">The present.</param>
    /// <param name="candidate">A living path.</param>
    /// <param name="present">The path in use, or the best one found so far.</param>
    public static bool IsClearlyBetter(TimeSpan now, Path candidate, Path present)
    {
        if (candidate.Rank != present.Rank)
        {
            return candidate.Rank > present.Rank;
        }

        if (candidate.RoundTrip is not { } one || present.RoundTrip is not { } other)
        {
            return false;
        }

        (int Judged, int Lost) mine = candidate.Pings.Judge(now), its = present.Pings.Judge(now);
        return its.Lost * mine.Judged >= ((2 * mine.Lost) + ClearlyMore) * its.Judged && mine.Judged >= Enough || (mine.Lost <= its.Lost && one + ClearlyShorter < 0.8 * other);
    }
}
