using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>tcp(7), connect(2), accept4(2), send(2), recv(2).</summary>
    internal static partial class Libc
    {
        internal const int SOCK_STREAM = 1;
        internal const int SO_REUSEADDR = 2;
        internal const int SO_REUSEPORT = 15;
        internal const int SO_ERROR = 4;
        internal const int IPPROTO_TCP = 6;
        internal const int TCP_NODELAY = 1;
        internal const int TCP_INFO = 11;
        internal const int TCP_USER_TIMEOUT = 18;
        internal const int TCP_NOTSENT_LOWAT = 25;
        internal const int MSG_NOSIGNAL = 0x4000;
        internal const int EINPROGRESS = 115;

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int connect(int fd, sockaddr* address, uint length);

        [LibraryImport(Library, SetLastError = true)]
        internal static partial int listen(int fd, int backlog);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int accept4(int fd, sockaddr* address, uint* length, int flags);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int getsockopt(int fd, int level, int option, void* value, uint* length);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint recv(int fd, byte* buffer, nuint length, int flags);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint send(int fd, byte* buffer, nuint length, int flags);
    }
}
