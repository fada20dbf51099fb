namespace Ipop.Linux.Polling;

/// <summary>
/// Whether packets come so fast that a rest of the loop gathers several. What counts is when they come, not how long the loop works on them: on a slow machine, or on
/// one whose host gives its processors to others, a few pings keep the loop as busy as a flood does elsewhere (docs/decisions/0023).
/// </summary>
public sealed class PacketFlood
{
    /// <summary>How long the loop rests.</summary>
    public static readonly TimeSpan RestTime = TimeSpan.FromMicroseconds(250);

    /// <summary>Packets that a rest would gather, by how fast they come. One number alone would turn to and fro.</summary>
    private const int Begins = 4, Ends = 2;

    /// <summary>Packets are counted for so long at least: senders and receivers that share processors come and go within less.</summary>
    private static readonly TimeSpan Window = TimeSpan.FromMilliseconds(10);

    /// <summary>After such a pause the flood may be over: what comes then is done as if it were.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(1);

    /// <summary>No rests for so long where they gathered nothing: who waits for each answer before asking again sends the slower the more the loop rests.</summary>
    private static readonly TimeSpan Bar = TimeSpan.FromSeconds(1);

    /// <summary>Rests of a window that are enough to judge them by.</summary>
    private const int Enough = 8;

    /// <summary>A round that found fewer packets has nearly done what there was.</summary>
    private const int Few = 8;

    private TimeSpan _since, _last, _barredUntil;
    private long _packets, _found, _rests, _gathered;
    private bool _wasFast, _isFirst;

    /// <summary>How often rests were given up for a while because they gathered nothing.</summary>
    public long Bars { get; private set; }

    /// <summary>Whether there is a flood.</summary>
    public bool IsOn { get; private set; }

    /// <summary>Whether a rest pays now if nothing is ready.</summary>
    public bool RestPays => IsOn && !_isFirst;

    /// <summary>
    /// Whether it pays even if something is ready: a loop that keeps pace with a sender on another processor finds one packet after the other, each at the price of a round,
    /// and would never rest.
    /// </summary>
    public bool RestPaysAnyhow => RestPays && _found < Few;

    /// <summary>The loop has done what was ready.</summary>
    /// <param name="now">When the round began; any clock that does not go back.</param>
    /// <param name="packets">That the round found, each of those that the kernel had joined.</param>
    /// <param name="hasRested">Whether the loop had rested before it, so that they are what the rest gathered.</param>
    public void OnRound(TimeSpan now, long packets, bool hasRested)
    {
        _isFirst = now - _last >= Pause;
        (_last, _found) = (now, packets);
        _packets += packets;
        _rests += hasRested ? 1 : 0;
        _gathered += hasRested ? packets : 0;
        if (now - _since >= Window)
        {
            CloseWindow(now);
        }
    }

    private void CloseWindow(TimeSpan now)
    {
        bool isFast = _packets * RestTime.Ticks >= (IsOn ? Ends : Begins) * (now - _since).Ticks;
        if (_rests >= Enough && _gathered * 2 < _rests * 3)
        {
            _barredUntil = now + Bar;
            Bars++;
        }

        // Twice: what stood in queues while the thread had no processor comes all at once, and only once.
        IsOn = isFast && _wasFast && now >= _barredUntil;
        (_since, _packets, _rests, _gathered, _wasFast) = (now, 0, 0, 0, isFast);
    }
}
