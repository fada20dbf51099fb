namespace Brunet.Links;

/// <summary>
/// Says whether a gap in the counters of frames that come over the ring is waited for. It may be packets that are overtaken, or pings to dead relays and guessed
/// ports, which have counters of the same session and never come. After a wait in which nothing came gaps count as losses for a while: else each such ping
/// holds up the packets behind it.
/// </summary>
internal sealed class RingGaps
{
    private static readonly TimeSpan Shortest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);

    private TimeSpan _pause = Shortest;
    private TimeSpan _until;

    /// <summary>Whether a gap is taken for frames that are lost.</summary>
    public bool AreLosses(TimeSpan now) => now < _until;

    /// <summary>A gap was waited for. In vain: the next ones are not, each time for twice as long.</summary>
    /// <param name="now">The present.</param>
    /// <param name="came">Whether something of it came.</param>
    public void OnWaited(TimeSpan now, bool came)
    {
        if (came)
        {
            OnOvertaken();
            return;
        }

        _until = now + _pause;
        _pause = Moment.Earlier(2 * _pause, Longest);
    }

    /// <summary>Something that was sent earlier came later: the ring's ways change.</summary>
    public void OnOvertaken()
    {
        _pause = Shortest;
        _until = default;
    }
}
