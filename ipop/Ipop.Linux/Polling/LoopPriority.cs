namespace Ipop.Linux.Polling;

/// <summary>
/// Has the kernel run one thread before ordinary programs, as it runs its own network code. Without it a packet waits until programs that compute have used up their slices, at
/// both ends and in both directions, and behind those that came while the thread had no processor. Amid a flood it is a real-time thread; else an ordinary one that
/// is by far the nicest to be run (docs/decisions/0025).
/// </summary>
public sealed class LoopPriority
{
    /// <summary>The lowest niceness, which weighs 87 times as much as a program's.</summary>
    private const int Niceness = -20;

    private readonly Urgency _urgency = new();
    private bool _isRaised = true;

    private LoopPriority(bool isNice) => IsWhole = isNice;

    /// <summary>Whether the thread also goes before programs while no packets flood: CAP_SYS_NICE or RLIMIT_NICE allows it.</summary>
    public bool IsWhole { get; }

    /// <summary>
    /// Schedules the calling thread by SCHED_RR with the lowest priority of that class (sched(7)), and with the highest of ordinary ones when it is given back; threads that it
    /// starts are scheduled as usual.
    /// </summary>
    /// <returns>
    /// Null where this is the machine's only processor, which a flood of packets would then leave to nobody else, and where neither CAP_SYS_NICE nor RLIMIT_RTPRIO
    /// allows it.
    /// </returns>
    public static LoopPriority? TryTake() => TryTake(Environment.ProcessorCount);

    /// <summary>The same on a machine with so many processors.</summary>
    internal static LoopPriority? TryTake(int processors) =>
        processors > 1 && Set(isRaised: true) ? new LoopPriority(Interop.Libc.setpriority(Interop.Libc.PRIO_PROCESS, 0, Niceness) == 0) : null;

    /// <summary>A round of the loop is over: raises the calling thread or gives it back to ordinary scheduling.</summary>
    /// <param name="now">Any clock that does not go back.</param>
    /// <param name="isFlood"><see cref="PacketFlood.IsOn"/>.</param>
    public void OnRound(TimeSpan now, bool isFlood)
    {
        _urgency.OnRound(now, isFlood);
        if (_urgency.IsUrgent != _isRaised && Set(_urgency.IsUrgent))
        {
            _isRaised = _urgency.IsUrgent;
        }
    }

    // The flag stays: it takes a privilege to take it back.
    private static unsafe bool Set(bool isRaised)
    {
        var priority = new Interop.Libc.sched_param { sched_priority = isRaised ? 1 : 0 };
        int policy = isRaised ? Interop.Libc.SCHED_RR : Interop.Libc.SCHED_OTHER;
        return Interop.Libc.sched_setscheduler(0, policy | Interop.Libc.SCHED_RESET_ON_FORK, &priority) == 0;
    }
}
