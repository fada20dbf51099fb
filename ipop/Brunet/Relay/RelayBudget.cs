namespace Brunet.Relay;

/// <summary>
/// What a node gives away of its bandwidth: a token bucket of one second over all that it hands on for others, whether as a relay or on the
/// ring. The last fifth is for the ring alone, because handshakes travel there: who fills a relay must not keep others from meeting.
/// </summary>
/// <param name="rate">Bytes a second; 0 for no limit. The owner's limit may be less.</param>
internal sealed class RelayBudget(int rate)
{
    /// <summary>A full frame always fits once, whatever the rate.</summary>
    private const int LeastBurst = 16 * 1024;

    private const double KeptForRing = 0.2;

    private readonly int _usual = rate;
    private int _rate = rate;
    private double _burst = Math.Max(rate, LeastBurst);
    private double _left = Math.Max(rate, LeastBurst);
    private TimeSpan _counted;

    /// <summary>Frames handed on for others.</summary>
    public long Frames { get; private set; }

    /// <summary>Their bytes, without what this node put around them.</summary>
    public long Bytes { get; private set; }

    /// <summary>Frames that were dropped because they were beyond the rate, or the owner's limit.</summary>
    public long Refused { get; private set; }

    /// <summary>Whether nothing is left for relays now: the machine's own packets are all that its owner lets it send. The ring goes on.</summary>
    public bool IsRingAlone { get; set; }

    /// <summary>Lowers the rate to the owner's limit of it; null for as it was at first.</summary>
    public void Lower(int? most)
    {
        _rate = most is { } bytes && (_usual == 0 || bytes < _usual) ? Math.Max(1, bytes) : _usual;
        _burst = Math.Max(_rate, LeastBurst);
        _left = Math.Min(_left, _burst);
    }

    /// <summary>Whether a frame may be handed on; counts it.</summary>
    public bool TryTake(TimeSpan now, int bytes, bool isRing)
    {
        _left = Math.Min(_burst, _left + (Math.Max(0, (now - _counted).TotalSeconds) * _rate));
        _counted = now;
        if ((_rate > 0 && _left - bytes < (isRing ? 0 : KeptForRing * _burst)) || (IsRingAlone && !isRing))
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
