namespace Brunet.Links;

/// <summary>
/// Says when all paths to a busy peer are pinged closely, to find out which of them lose less than the one in use. A lost ping or a gap in the counters begins
/// it. Each next one comes later, until nothing is lost for a while: where all paths lose alike, many close pings find a difference by chance at last.
/// </summary>
internal sealed class PathComparison
{
    private static readonly TimeSpan Lasts = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(2);

    private TimeSpan _pause = ShortestPause;
    private TimeSpan _until;

    /// <summary>Whether pings go closely now.</summary>
    public bool IsUnderWay(TimeSpan now) => now < _until;

    /// <summary>Something on the path in use was lost; true if a comparison begins now.</summary>
    public bool Begin(TimeSpan now)
    {
        bool isFirst = _until == default;
        if (!isFirst && now < _until + _pause)
        {
            return false;
        }

        _pause = isFirst || now > _until + _pause + LongestPause ? ShortestPause : Moment.Earlier(2 * _pause, LongestPause);
        _until = now + Lasts;
        return true;
    }
}
