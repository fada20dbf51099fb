using System.Runtime.InteropServices;

internal static partial class Interop
{
    internal static partial class Libc
    {
        internal const short POLLIN = 1;
        internal const short POLLOUT = 4;
        internal const int EFD_NONBLOCK = 0x800;
        internal const int EFD_CLOEXEC = 0x80000;
        internal const int CLOCK_BOOTTIME = 7;

        /// <summary>poll(2).</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct pollfd
        {
            internal int fd;
            internal short events;
            internal short revents;
        }

        /// <summary>clock_gettime(2).</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct timespec
        {
            internal long tv_sec;
            internal long tv_nsec;
        }

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int ppoll(pollfd* fds, nuint count, timespec* timeout, void* signals);

        [LibraryImport(Library, SetLastError = true)]
        internal static partial int eventfd(uint initial, int flags);

        [LibraryImport(Library)]
        [SuppressGCTransition]
        internal static unsafe partial int clock_gettime(int clock, timespec* time);
    }
}
