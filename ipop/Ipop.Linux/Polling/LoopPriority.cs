namespace Ipop.Linux.Polling;

/// <summary>
/// Has the kernel run one thread before all ordinary programs, as it runs its own network code, when that is urgent. Without it a packet waits until programs that
/// compute have used up their slices, at both ends and in both directions, and behind those that came while the thread had no processor.
/// </summary>
public sealed class LoopPriority : IDisposable
{
    private readonly Urgency _urgency;
    private readonly RunnableThreads _runnable = new();
    private readonly Func<int> _count;
    private bool _isRaised = true;

    private LoopPriority(int processors, Func<int>? countRunnable)
    {
        _urgency = new Urgency(processors);
        _count = countRunnable ?? _runnable.Count;
    }

    /// <summary>
    /// Schedules the calling thread by SCHED_RR with the lowest priority of that class (sched(7)); threads that it starts are scheduled as usual.
    /// </summary>
    /// <returns>
    /// Null where this is the machine's only processor, which a flood of packets would then leave to nobody else, and where neither CAP_SYS_NICE nor RLIMIT_RTPRIO
    /// allows it.
    /// </returns>
    public static LoopPriority? TryTake() => TryTake(Environment.ProcessorCount);

    /// <summary>The same on a machine with so many processors, of which somebody else may count who runs.</summary>
    internal static LoopPriority? TryTake(int processors, Func<int>? countRunnable = null) =>
        processors > 1 && Set(isRaised: true) ? new LoopPriority(processors, countRunnable) : null;

    /// <summary>A round of the loop is over: raises the calling thread or gives it back to ordinary scheduling.</summary>
    /// <param name="now">Any clock that does not go back.</param>
    /// <param name="isFlood"><see cref="PacketFlood.IsOn"/>.</param>
    public void OnRound(TimeSpan now, bool isFlood)
    {
        _urgency.OnRound(now, isFlood, _count);
        if (_urgency.IsUrgent != _isRaised && Set(_urgency.IsUrgent))
        {
            _isRaised = _urgency.IsUrgent;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _runnable.Dispose();

    // The flag stays: it takes a privilege to take it back.
    private static unsafe bool Set(bool isRaised)
    {
        var priority = new Interop.Libc.sched_param { sched_priority = isRaised ? 1 : 0 };
        int policy = isRaised ? Interop.Libc.SCHED_RR : Interop.Libc.SCHED_OTHER;
        return Interop.Libc.sched_setscheduler(0, policy | Interop.Libc.SCHED_RESET_ON_FORK, &priority) == 0;
    }
}
