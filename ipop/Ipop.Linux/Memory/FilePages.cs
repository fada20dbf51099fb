using Microsoft.Win32.SafeHandles;

namespace Ipop.Linux.Memory;

/// <summary>
/// Pages of programs and libraries in this process. The kernel maps sixteen where one is used, and keeps them mapped as long as there is room: half of what a daemon has in RAM
/// when its start is over are pages that only the start used, or nobody.
/// </summary>
public static unsafe class FilePages
{
    /// <summary>The longest line that is looked at, with a path as long as paths can be.</summary>
    private const int LongestLine = 8192;

    /// <summary>
    /// Takes all of them out of the process that the file has as they are; what is used again comes back at the next use, from the kernel's cache.
    /// </summary>
    /// <returns>Bytes that were in RAM; 0 on a machine that does not tell what is mapped.</returns>
    public static long LetGo()
    {
        try
        {
            using SafeFileHandle file = File.OpenHandle("/proc/self/smaps");
            return LetGo(file);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private static long LetGo(SafeFileHandle file)
    {
        byte[] text = new byte[LongestLine * 2];
        long gone = 0, read = 0;
        int filled = 0;
        MappedFile mapping = default;
        while (RandomAccess.Read(file, text.AsSpan(filled), read) is > 0 and int length)
        {
            read += length;
            Span<byte> left = text.AsSpan(0, filled + length);
            for (int end; (end = left.IndexOf((byte)'\n')) >= 0; left = left[(end + 1)..])
            {
                if (end > 0 && mapping.Take(left[..end]) && mapping.CanComeBack
                    && Interop.Libc.madvise((void*)mapping.Begin, mapping.End - mapping.Begin, Interop.Libc.MADV_DONTNEED) == 0)
                {
                    gone += mapping.Resident;
                }
            }

            // A line that does not fit is none of the kernel's.
            filled = left.Length < LongestLine ? left.Length : 0;
            left[..filled].CopyTo(text);
        }

        return gone;
    }
}
