namespace Brunet.Links;

/// <summary>
/// Round trip of a path and how much it varies (RFC 6298 section 2), and from both how long a ping may stay unanswered before it counts as
/// lost.
/// </summary>
internal struct RoundTripEstimate
{
    /// <summary>A machine under load answers late without being gone.</summary>
    private static readonly TimeSpan ShortestTimeout = TimeSpan.FromMilliseconds(200);

    private static readonly TimeSpan LongestTimeout = TimeSpan.FromSeconds(1);

    private TimeSpan _variation;

    /// <summary>Smoothed round trip, null before the first answer.</summary>
    public TimeSpan? Smoothed { get; private set; }

    /// <summary>The first ping's patience.</summary>
    public readonly TimeSpan Timeout => After(0);

    /// <summary>Patience after some losses in a row: each doubles it (RFC 6298 section 5.5).</summary>
    public readonly TimeSpan After(int losses)
    {
        if (Smoothed is not { } smoothed)
        {
            return LongestTimeout;
        }

        TimeSpan once = smoothed + (4 * _variation);
        TimeSpan patience = (once > ShortestTimeout ? once : ShortestTimeout) * (1 << Math.Min(losses, 3));
        return patience < LongestTimeout ? patience : smoothed > LongestTimeout / 2 ? 2 * smoothed : LongestTimeout;
    }

    public void Add(TimeSpan sample)
    {
        if (Smoothed is { } smoothed)
        {
            _variation = (0.75 * _variation) + (0.25 * (smoothed - sample).Duration());
            Smoothed = (0.75 * smoothed) + (0.25 * sample);
        }
        else
        {
            _variation = sample / 2;
            Smoothed = sample;
        }
    }
}
