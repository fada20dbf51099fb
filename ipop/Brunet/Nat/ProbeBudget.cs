namespace Brunet.Nat;

/// <summary>
/// How many datagrams a node may send to find a way through NATs, to whomever: so many at once, so many a second in the long run, and
/// never faster than a home router takes new mappings. A member that lies about where it is can make us send no more than that.
/// </summary>
internal sealed class ProbeBudget
{
    /// <summary>The most that one tick counts for: who was held up does not catch up in a burst.</summary>
    public static readonly TimeSpan LongestTick = TimeSpan.FromMilliseconds(100);

    private const int Capacity = 2048;
    private const int PerSecond = 50;
    private const int FastestPerSecond = 500;

    private double _left = Capacity;
    private double _now;
    private TimeSpan _last = TimeSpan.MinValue;

    /// <summary>Lets time pass.</summary>
    public void Tick(TimeSpan now)
    {
        TimeSpan passed = _last == TimeSpan.MinValue ? default : now - _last;
        _last = now;
        _left = Math.Min(Capacity, _left + (passed.TotalSeconds * PerSecond));
        _now = (passed < LongestTick ? passed : LongestTick).TotalSeconds * FastestPerSecond;
    }

    /// <summary>Takes one datagram out, if there is one for this tick.</summary>
    public bool Take()
    {
        if (_left < 1 || _now < 1)
        {
            return false;
        }

        _left--;
        _now--;
        return true;
    }
}
