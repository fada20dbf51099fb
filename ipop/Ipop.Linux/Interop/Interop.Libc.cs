using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>glibc, https://man7.org/linux/man-pages/. File descriptors are raw: the thread that calls owns them.</summary>
    internal static partial class Libc
    {
        private const string Library = "libc";

        internal const int EINTR = 4;
        internal const int EIO = 5;
        internal const int EAGAIN = 11;
        internal const int ENOMEM = 12;
        internal const int ENFILE = 23;
        internal const int EMFILE = 24;
        internal const int EACCES = 13;
        internal const int EBUSY = 16;
        internal const int ENODEV = 19;
        internal const int ENOENT = 2;
        internal const int EPERM = 1;
        internal const int EPIPE = 32;
        internal const int EBADFD = 77;

        internal const int O_RDWR = 2;
        internal const int O_NONBLOCK = 0x800;
        internal const int O_CLOEXEC = 0x80000;

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int open(byte* path, int flags);

        internal const int SEEK_END = 2;

        [LibraryImport(Library, SetLastError = true)]
        internal static partial nint lseek(int fd, nint offset, int whence);

        [LibraryImport(Library, SetLastError = true)]
        internal static partial int close(int fd);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint read(int fd, byte* buffer, nuint length);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint write(int fd, byte* buffer, nuint length);

        /// <summary>F_SETFD, F_SETFL and their like: one int argument.</summary>
        [LibraryImport(Library, SetLastError = true)]
        internal static partial int fcntl(int fd, int command, int argument);

        [LibraryImport(Library)]
        internal static partial uint geteuid();
    }
}
