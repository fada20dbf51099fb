namespace Brunet.Links;

/// <summary>
/// Packets of the virtual network that come from a peer. When they stop, it may be the peer that has no more to say, or our own NAT that
/// has forgotten the way in: only a datagram from inside opens it again, and no other node can send that. So silence is asked about,
/// after a pause that no steady flow makes, and again after twice as long.
/// </summary>
internal struct Conversation
{
    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    private TimeSpan? _last;
    private TimeSpan _gap;
    private int _asked;

    /// <summary>Until when packets count as ones that came within the last seconds.</summary>
    public readonly TimeSpan GoingUntil => _last is { } last ? last + LongestPause : TimeSpan.MinValue;

    /// <summary>A packet came.</summary>
    public void OnPacket(TimeSpan now)
    {
        if (_last is { } last && now - last < LongestPause)
        {
            // In whole numbers: this is worked out for each packet.
            _gap = new TimeSpan(((3 * _gap.Ticks) + (now - last).Ticks) / 4);
        }

        _last = now;
        _asked = 0;
    }

    /// <summary>When it is time to ask; later than any time if the pause is too long for it, or what was said is long past.</summary>
    public readonly TimeSpan AsksAt(TimeSpan now)
    {
        TimeSpan pause = (ShortestPause + (2 * _gap)) * (1 << Math.Min(_asked, 6));
        return _last is { } last ? Moment.Before(now, last + pause, GoingUntil) : TimeSpan.MaxValue;
    }

    /// <summary>It was asked.</summary>
    public void OnAsked() => _asked++;
}
