using System.Runtime.InteropServices;

namespace Ipop.Linux.Tests.Measures;

/// <summary>What this process uses, as the C library counts it: neither the collector's budget nor the machine's clock and cache change these figures.</summary>
internal static class CLibrary
{
    /// <summary>CLOCK_THREAD_CPUTIME_ID of clock_gettime(2).</summary>
    private const int ThreadProcessorTime = 3;

    private static readonly nint Handle = NativeLibrary.Load("libc.so.6");
    private static readonly AllocatorCall Allocator = Marshal.GetDelegateForFunctionPointer<AllocatorCall>(NativeLibrary.GetExport(Handle, "mallinfo2"));
    private static readonly ClockCall Clock = Marshal.GetDelegateForFunctionPointer<ClockCall>(NativeLibrary.GetExport(Handle, "clock_gettime"));

    private delegate AllocatorInfo AllocatorCall();

    private delegate int ClockCall(int clock, out Timespec time);

    /// <summary>Bytes that malloc gave away and has not got back, in all its arenas (mallinfo(3)); the managed heap is not among them.</summary>
    internal static long AllocatedBytes()
    {
        AllocatorInfo info = Allocator();
        return (long)info.InUse + (long)info.Mapped;
    }

    /// <summary>Processor time of the calling thread, with the kernel's work for it.</summary>
    internal static TimeSpan ThreadTime()
    {
        Assert.Equal(0, Clock(ThreadProcessorTime, out Timespec time));
        return new TimeSpan((time.Seconds * TimeSpan.TicksPerSecond) + (time.Nanoseconds / TimeSpan.NanosecondsPerTick));
    }

    // struct mallinfo2 of malloc.h; only uordblks and hblkhd are read.
    [StructLayout(LayoutKind.Explicit, Size = 80)]
    private readonly struct AllocatorInfo
    {
        [FieldOffset(32)]
        public readonly nuint Mapped;

        [FieldOffset(56)]
        public readonly nuint InUse;
    }

    [StructLayout(LayoutKind.Sequential)]
    private readonly struct Timespec
    {
        public readonly long Seconds;
        public readonly long Nanoseconds;
    }
}
