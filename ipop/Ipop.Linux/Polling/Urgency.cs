namespace Ipop.Linux.Polling;

/// <summary>
/// Decides when the loop's thread is to run before ordinary programs (<see cref="LoopPriority"/>): amid a flood of packets, and while programs fill all processors.
/// Else ordinary scheduling answers sooner: it finds the processor that is awake, while a real-time thread is woken where it ran last.
/// </summary>
/// <param name="processors">Of the machine.</param>
public sealed class Urgency(int processors)
{
    /// <summary>How long it has to be calm, so that it does not turn to and fro.</summary>
    private static readonly TimeSpan CalmTime = TimeSpan.FromMilliseconds(50);

    /// <summary>Between two counts of what runs.</summary>
    private static readonly TimeSpan CountPause = TimeSpan.FromMilliseconds(100);

    /// <summary>Of the last counts, how many more found all processors taken than did not: from 0, which ends it, to the most; one program more for a moment begins nothing.</summary>
    private const int Begins = 3, Most = 4;

    private TimeSpan? _calmSince;
    private TimeSpan _nextCount;
    private int _taken;
    private bool _isCrowded;

    /// <summary>Whether it is urgent; so it is at first.</summary>
    public bool IsUrgent { get; private set; } = true;

    /// <summary>A round of the loop is over.</summary>
    /// <param name="now">Any clock that does not go back.</param>
    /// <param name="isFlood"><see cref="PacketFlood.IsOn"/>.</param>
    /// <param name="countRunnable">Asks how many threads run or could, the caller among them.</param>
    public void OnRound(TimeSpan now, bool isFlood, Func<int> countRunnable)
    {
        ArgumentNullException.ThrowIfNull(countRunnable);
        if (now >= _nextCount)
        {
            _nextCount = now + CountPause;
            _taken = Math.Clamp(_taken + (countRunnable() > processors ? 1 : -1), 0, Most);
            _isCrowded = _taken >= (_isCrowded ? 1 : Begins);
        }

        _calmSince = isFlood || _isCrowded ? now : _calmSince ?? now;
        IsUrgent = isFlood || _isCrowded || (IsUrgent && now - _calmSince < CalmTime);
    }
}
