namespace Ipop.Linux.Polling;

/// <summary>
/// Decides when the loop's thread is to run before whatever is scheduled as usual (<see cref="LoopPriority"/>): amid a flood of packets. Else ordinary scheduling answers sooner: it
/// finds the processor that is awake, or the one that hands the packet over, while a real-time thread is woken where it ran last.
/// </summary>
public sealed class Urgency
{
    /// <summary>How long it has to be calm, so that it does not turn to and fro.</summary>
    private static readonly TimeSpan CalmTime = TimeSpan.FromMilliseconds(50);

    private TimeSpan? _calmSince;

    /// <summary>Whether it is urgent; so it is at first.</summary>
    public bool IsUrgent { get; private set; } = true;

    /// <summary>A round of the loop is over.</summary>
    /// <param name="now">Any clock that does not go back.</param>
    /// <param name="isFlood"><see cref="PacketFlood.IsOn"/>.</param>
    public void OnRound(TimeSpan now, bool isFlood)
    {
        _calmSince = isFlood ? now : _calmSince ?? now;
        IsUrgent = isFlood || (IsUrgent && now - _calmSince < CalmTime);
    }
}
