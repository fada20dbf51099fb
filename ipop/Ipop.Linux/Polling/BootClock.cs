namespace Ipop.Linux.Polling;

/// <summary>
/// Time since boot, counting suspension (CLOCK_BOOTTIME): after a laptop slept, links look as old as they are. Never the wall clock.
/// </summary>
public static class BootClock
{
    /// <summary>Now.</summary>
    public static unsafe TimeSpan Now
    {
        get
        {
            Interop.Libc.timespec time;
            _ = Interop.Libc.clock_gettime(Interop.Libc.CLOCK_BOOTTIME, &time);
            return new TimeSpan((time.tv_sec * TimeSpan.TicksPerSecond) + (time.tv_nsec / 100));
        }
    }
}
