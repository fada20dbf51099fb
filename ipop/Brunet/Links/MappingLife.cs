namespace Brunet.Links;

/// <summary>
/// How long this machine's NAT (or firewall) keeps a mapping that nothing passes by, as far as it was tried: a search upwards by doubling, then
/// between what survived and what did not. Pure arithmetic; who tries is <see cref="Brunet.Nat.NatProber"/>.
/// </summary>
internal sealed class MappingLife
{
    /// <summary>Home routers that forget sooner than half a minute are rare; this much is assumed untried.</summary>
    public static readonly TimeSpan Shortest = TimeSpan.FromSeconds(15);

    /// <summary>RFC 4787 section 4.3: no NAT that keeps to it forgets sooner. More would save little and let dead links stand long.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(120);

    /// <summary>A silence that is tried is so much longer than the interval that follows from it: pings come late, and may be lost.</summary>
    private const double Margin = 1.25;

    private static readonly TimeSpan Resolution = TimeSpan.FromSeconds(4);

    private TimeSpan? _tooLong;
    private bool _isDoubted;

    /// <summary>How long a link may be silent.</summary>
    public TimeSpan Interval { get; private set; } = Shortest;

    /// <summary>All that was found, to be taken up again where it turns out that the NAT is the same.</summary>
    public Found Known
    {
        get => new(Interval, _tooLong, _isDoubted);
        set => (Interval, _tooLong, _isDoubted) = (value.Interval, value.TooLong, value.IsDoubted);
    }

    /// <summary>Whether there is nothing more to try.</summary>
    public bool IsSettled => !_isDoubted && (Interval >= Longest || (_tooLong is { } tooLong && tooLong - Interval <= Resolution));

    /// <summary>The silence to try next.</summary>
    public TimeSpan Silence => Margin * Candidate;

    private TimeSpan Candidate => _isDoubted ? Interval
        : _tooLong is { } tooLong ? (Interval + tooLong) / 2
        : 2 * Interval < Longest ? 2 * Interval
        : Longest;

    /// <summary>A mapping outlived <see cref="Silence"/>.</summary>
    public void Survived() => (Interval, _isDoubted) = (Candidate, false);

    /// <summary>A mapping did not.</summary>
    public void Died()
    {
        _tooLong = Candidate;
        Interval = _isDoubted ? Shortest : Interval;
        _isDoubted = false;
    }

    /// <summary>A link died though it was kept: the NAT is worse than it seemed.</summary>
    public void Distrust()
    {
        _tooLong = Interval > Shortest ? Interval : _tooLong;
        (Interval, _isDoubted) = (Shortest, false);
    }

    /// <summary>What was found may be no longer true: it is tried once more, and what lies above it.</summary>
    public void Doubt() => (_tooLong, _isDoubted) = (null, Interval > Shortest);

    /// <summary>It is perhaps another NAT: all begins anew.</summary>
    public void Reset() => (Interval, _tooLong, _isDoubted) = (Shortest, null, false);

    /// <summary>What was found at a time.</summary>
    /// <param name="Interval">How long a link may be silent.</param>
    /// <param name="TooLong">What a mapping did not outlive, if anything.</param>
    /// <param name="IsDoubted">Whether that is tried once more.</param>
    internal readonly record struct Found(TimeSpan Interval, TimeSpan? TooLong, bool IsDoubted);
}
