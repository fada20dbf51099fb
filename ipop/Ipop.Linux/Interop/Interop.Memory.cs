using System.Runtime.InteropServices;

internal static partial class Interop
{
    /// <summary>mmap(2), mprotect(2), madvise(2), getrandom(2).</summary>
    internal static partial class Libc
    {
        internal const int PROT_READ = 1;
        internal const int PROT_WRITE = 2;
        internal const int PROT_EXEC = 4;
        internal const int MAP_PRIVATE = 2;
        internal const int MADV_DONTNEED = 4;
        internal const int MAP_ANONYMOUS = 0x20;

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial void* mmap(void* address, nuint length, int protection, int flags, int fd, nint offset);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int mprotect(void* address, nuint length, int protection);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int madvise(void* address, nuint length, int advice);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial int munmap(void* address, nuint length);

        [LibraryImport(Library, SetLastError = true)]
        internal static unsafe partial nint getrandom(void* buffer, nuint length, uint flags);
    }
}
