namespace Ipop;

/// <summary>
/// What the owner lets a machine send: a token bucket over all that leaves it, whoever's it is. It drops nothing. It says until when the machine's own packets are
/// to wait, and whether there is something left for others. What the overlay says for itself always goes, and is paid for afterwards. Not thread-safe.
/// </summary>
public sealed class SendingLimit
{
    /// <summary>How much may go at once: little, for what waits behind a burst is late.</summary>
    private static readonly TimeSpan Depth = TimeSpan.FromMilliseconds(20);

    /// <summary>What went is owed for so long at most: the machine's own packets get a turn each second, however much goes unasked.</summary>
    private static readonly TimeSpan LongestDebt = TimeSpan.FromSeconds(1);

    /// <summary>And for two of the largest packets that the kernel leaves whole at least, so that these are paid for at low rates, too.</summary>
    private const int LeastDebt = 128 * 1024;

    /// <summary>A few full packets, whatever the rate.</summary>
    private const int LeastBurst = 8 * 1024;

    private readonly double _rate, _burst;
    private double _left;
    private TimeSpan _counted;

    /// <summary>Begins with a full bucket.</summary>
    /// <param name="rate">Bytes a second, 1 at least.</param>
    /// <param name="now">The present.</param>
    public SendingLimit(int rate, TimeSpan now)
    {
        (_rate, _counted) = (rate, now);
        _left = _burst = Math.Max(rate * Depth.TotalSeconds, LeastBurst);
    }

    /// <summary>Bytes that a round may take of the machine's own packets.</summary>
    public int Round => (int)Math.Min(_burst, int.MaxValue);

    /// <summary>Whether there is something left for others, who come last: half of what may go at once is the machine's own.</summary>
    public bool SparesOthers => _left > _burst / 2;

    /// <summary>Counts what went since it was last called.</summary>
    /// <param name="time">The present; one that is before the last counts as the last.</param>
    /// <param name="bytes">With headers.</param>
    public void Sent(TimeSpan time, long bytes)
    {
        double passed = Math.Max(0, (time - _counted).TotalSeconds);
        _counted = time > _counted ? time : _counted;

        double deepest = -Math.Max(_rate * LongestDebt.TotalSeconds, LeastDebt);
        _left = Math.Max(deepest, Math.Min(_burst, _left + (passed * _rate)) - bytes);
    }

    /// <summary>When the machine's own packets may go on, as of the last <see cref="Sent"/>; that moment or an earlier one if they need not wait.</summary>
    public TimeSpan OpenAt => _left > 0 ? _counted : _counted + TimeSpan.FromSeconds(((_burst / 2) - _left) / _rate);
}
