namespace Brunet.Relay;

/// <summary>
/// What a node gives away of its bandwidth: a token bucket of one second over all that it hands on for others, whether as a relay or on the
/// ring. The last fifth is for the ring alone, because handshakes travel there: who fills a relay must not keep others from meeting.
/// </summary>
/// <param name="rate">Bytes a second; 0 for no limit.</param>
internal sealed class RelayBudget(int rate)
{
    /// <summary>A full frame always fits once, whatever the rate.</summary>
    private const int LeastBurst = 16 * 1024;

    private const double KeptForRing = 0.2;

    private readonly double _burst = Math.Max(rate, LeastBurst);
    private double _left = Math.Max(rate, LeastBurst);
    private TimeSpan _counted;

    /// <summary>Frames handed on for others.</summary>
    public long Frames { get; private set; }

    /// <summary>Their bytes, without what this node put around them.</summary>
    public long Bytes { get; private set; }

    /// <summary>Frames that were dropped because they were beyond the rate.</summary>
    public long Refused { get; private set; }

    /// <summary>Whether a frame may be handed on; counts it.</summary>
    public bool TryTake(TimeSpan now, int bytes, bool isRing)
    {
        _left = Math.Min(_burst, _left + (Math.Max(0, (now - _counted).TotalSeconds) * rate));
        _counted = now;
        if (rate > 0 && _left - bytes < (isRing ? 0 : KeptForRing * _burst))
        {
            Refused++;
            return false;
        }

        _left -= bytes;
        Frames++;
        Bytes += bytes;
        return true;
    }
}
