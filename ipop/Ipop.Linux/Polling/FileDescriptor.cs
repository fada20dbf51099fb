using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Ipop.Linux.Polling;

/// <summary>Owns a file descriptor; the loop's thread works with the raw number meanwhile.</summary>
internal sealed class FileDescriptor : SafeHandleMinusOneIsInvalid
{
    internal FileDescriptor(int fd)
        : base(ownsHandle: true) => SetHandle(fd);

    /// <summary>The raw number; valid while this object lives.</summary>
    internal int Value => (int)handle;

    /// <inheritdoc/>
    protected override bool ReleaseHandle() => Interop.Libc.close((int)handle) == 0;

    /// <summary>Text of the calling thread's last error, such as "Permission denied".</summary>
    internal static string LastError() => Marshal.GetLastPInvokeErrorMessage();
}
