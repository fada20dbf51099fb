using Ipop.Linux.Polling;

namespace Ipop.Linux.Clocks;

/// <summary>The kernel's wall clock (CLOCK_REALTIME). To move it takes CAP_SYS_TIME.</summary>
public static unsafe class KernelClock
{
    /// <summary>Whether a program that speaks NTP keeps it: such programs tell the kernel (adjtimex(2), STA_UNSYNC). False where that can't be asked.</summary>
    public static bool IsDisciplined
    {
        get
        {
            Interop.Libc.timex state = default;
            int answer = Interop.Libc.adjtimex(&state);
            return answer >= 0 && answer != Interop.Libc.TIME_ERROR && (state.status & Interop.Libc.STA_UNSYNC) == 0;
        }
    }

    /// <summary>Sets it forward or back at once.</summary>
    /// <exception cref="IOException">It can't be set.</exception>
    public static void Step(TimeSpan by)
    {
        // Both at one moment: what passes between them is less than a microsecond.
        Interop.Libc.timespec time;
        _ = Interop.Libc.clock_gettime(Interop.Libc.CLOCK_REALTIME, &time);
        long ticks = (time.tv_sec * TimeSpan.TicksPerSecond) + (time.tv_nsec / 100) + by.Ticks;
        time.tv_sec = (nint)(ticks / TimeSpan.TicksPerSecond);
        time.tv_nsec = (nint)(ticks % TimeSpan.TicksPerSecond * 100);
        ThrowIf(Interop.Libc.clock_settime(Interop.Libc.CLOCK_REALTIME, &time) != 0);
    }

    /// <summary>Lets it go faster or slower by 500 millionths until it is right; what was wanted before is forgotten.</summary>
    /// <exception cref="IOException">It can't be changed.</exception>
    public static void Slew(TimeSpan by)
    {
        var change = new Interop.Libc.timex { modes = Interop.Libc.ADJ_OFFSET_SINGLESHOT, offset = (nint)by.TotalMicroseconds };
        ThrowIf(Interop.Libc.adjtimex(&change) < 0);
    }

    private static void ThrowIf(bool failed)
    {
        if (failed)
        {
            throw new IOException($"the clock can't be set ({FileDescriptor.LastError()}); give ipopd CAP_SYS_TIME, or set [time] set = no");
        }
    }
}
