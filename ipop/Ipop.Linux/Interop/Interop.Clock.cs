using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>clock_settime(2), adjtimex(2).</summary>
    internal static partial class Libc
    {
        internal const int CLOCK_REALTIME = 0;

        /// <summary>adjtime(3)'s way: the kernel slews by 500 millionths until the offset is gone.</summary>
        internal const uint ADJ_OFFSET_SINGLESHOT = 0x8001;

        /// <summary>Nobody says that the clock is right.</summary>
        internal const int STA_UNSYNC = 0x40;

        /// <summary>What adjtimex returns then.</summary>
        internal const int TIME_ERROR = 5;

        /// <summary>struct timex as far as it is used here; 208 bytes on 64-bit machines.</summary>
        [StructLayout(LayoutKind.Sequential, Size = 208)]
        internal struct timex
        {
            internal uint modes;
            internal nint offset;
            internal nint freq;
            internal nint maxerror;
            internal nint esterror;
            internal int status;
        }

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int clock_settime(int clock, timespec* time);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int adjtimex(timex* time);
    }
}
