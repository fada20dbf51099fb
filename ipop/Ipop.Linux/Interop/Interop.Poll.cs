using System.Runtime.InteropServices;

internal static partial class Interop
{
    internal static partial class Libc
    {
        internal const uint EPOLLIN = 1;
        internal const uint EPOLLOUT = 4;
        internal const int EPOLL_CTL_ADD = 1;
        internal const int EPOLL_CTL_DEL = 2;
        internal const int EPOLL_CTL_MOD = 3;
        internal const int EPOLL_CLOEXEC = 0x80000;
        internal const int EFD_NONBLOCK = 0x800;
        internal const int EFD_CLOEXEC = 0x80000;
        internal const int CLOCK_BOOTTIME = 7;

        /// <summary>clock_gettime(2).</summary>
        [StructLayout(LayoutKind.Sequential)]
        internal struct timespec
        {
            internal long tv_sec;
            internal long tv_nsec;

            /// <summary>A span of time, none if it is negative.</summary>
            internal static timespec Of(TimeSpan span)
            {
                long ticks = Math.Max(0, span.Ticks);
                return new timespec { tv_sec = ticks / TimeSpan.TicksPerSecond, tv_nsec = ticks % TimeSpan.TicksPerSecond * 100 };
            }
        }

        [LibraryImport(Library, SetLastError = true)]
        internal static partial int epoll_create1(int flags);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int epoll_ctl(int queue, int operation, int fd, void* change);

        /// <summary>Linux 5.11.</summary>
        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int epoll_pwait2(int queue, void* events, int count, timespec* timeout, void* signals);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int nanosleep(timespec* time, timespec* left);

        [LibraryImport(Library, SetLastError = true)]
        internal static partial int eventfd(uint initial, int flags);

        [LibraryImport(Library)]
        [SuppressGCTransition]
        internal static unsafe partial int clock_gettime(int clock, timespec* time);
    }
}
