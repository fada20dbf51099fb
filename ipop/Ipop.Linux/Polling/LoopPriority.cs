namespace Ipop.Linux.Polling;

/// <summary>
/// Has the kernel run one thread before all ordinary programs, as it runs its own network code. Without that a packet waits until programs that compute have used up
/// their slices, at both ends and in both directions, and behind those that came while the thread had no processor.
/// </summary>
public static class LoopPriority
{
    /// <summary>
    /// Schedules the calling thread by SCHED_RR with the lowest priority of that class (sched(7)); threads that it starts are scheduled as usual.
    /// </summary>
    /// <returns>
    /// False where this is the machine's only processor, which a flood of packets would then leave to nobody else, and where neither CAP_SYS_NICE nor RLIMIT_RTPRIO
    /// allows it.
    /// </returns>
    public static unsafe bool TryRaise()
    {
        var lowest = new Interop.Libc.sched_param { sched_priority = 1 };
        return Environment.ProcessorCount > 1 && Interop.Libc.sched_setscheduler(0, Interop.Libc.SCHED_RR | Interop.Libc.SCHED_RESET_ON_FORK, &lowest) == 0;
    }
}
