using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>sched(7), setpriority(2).</summary>
    internal static partial class Libc
    {
        internal const int SCHED_OTHER = 0;
        internal const int SCHED_RR = 2;

        /// <summary>One process, and on Linux one thread.</summary>
        internal const int PRIO_PROCESS = 0;

        /// <summary>What the thread starts is scheduled as usual.</summary>
        internal const int SCHED_RESET_ON_FORK = 0x40000000;

        /// <summary>struct sched_param.</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct sched_param
        {
            internal int sched_priority;
        }

        /// <summary>For a thread, 0 being the one that calls.</summary>
        [LibraryImport(Library, SetLastError = true)]
        internal static partial int setpriority(int which, uint thread, int niceness);

        /// <summary>For a thread, 0 being the one that calls.</summary>
        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int sched_setscheduler(int thread, int policy, sched_param* param);
    }
}
