using System.Globalization;
using System.Runtime.InteropServices;
using Ipop.Linux.Memory;
using Microsoft.Win32.SafeHandles;

namespace Ipop.Linux.Tests.Memory;

public sealed class FilePagesTests : IDisposable
{
    private const int Size = 1 << 20;

    private readonly string _path = Path.GetTempFileName();

    public FilePagesTests() => File.WriteAllBytes(_path, [.. Enumerable.Range(0, Size).Select(at => (byte)(at >> 12))]);

    public void Dispose() => File.Delete(_path);

    [Fact]
    public void Pages_of_a_file_leave_the_process_and_come_back_with_what_they_hold()
    {
        nint code = Map(isWritten: false);
        Touch(code);
        Assert.Equal(Size, Resident(code));

        Assert.True(FilePages.LetGo() >= Size);

        Assert.Equal(0, Resident(code));
        Assert.Equal((0, 0x42), (Marshal.ReadByte(code), Marshal.ReadByte(code, 0x42 << 12)));
        Assert.True(Resident(code) > 0);
        Assert.Equal(0, munmap(code, Size));
    }

    [Fact]
    public void What_was_written_over_a_file_stays_as_it_was_written()
    {
        nint code = Map(isWritten: true);
        Touch(code);

        FilePages.LetGo();

        Assert.Equal((0x99, 0x42), (Marshal.ReadByte(code), Marshal.ReadByte(code, 0x42 << 12)));
        Assert.Equal(Size, Resident(code));
        Assert.Equal(0, munmap(code, Size));
    }

    [Fact]
    public void It_makes_next_to_no_garbage()
    {
        FilePages.LetGo();
        long before = GC.GetAllocatedBytesForCurrentThread();
        FilePages.LetGo();
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 20_000);
    }

    private static void Touch(nint code)
    {
        int sum = 0;
        for (int at = 0; at < Size; at += 4096)
        {
            sum += Marshal.ReadByte(code, at);
        }

        Assert.NotEqual(0, sum);
    }

    private static long Resident(nint code)
    {
        bool isHere = false;
        foreach (string line in File.ReadLines("/proc/self/smaps"))
        {
            isHere |= line.StartsWith(code.ToString("x", CultureInfo.InvariantCulture) + "-", StringComparison.Ordinal);
            if (isHere && line.StartsWith("Rss:", StringComparison.Ordinal))
            {
                return long.Parse(line[4..^2], CultureInfo.InvariantCulture) * 1024;
            }
        }

        throw new InvalidOperationException("the mapping is not there");
    }

    // As a loader does it: mapped, perhaps written to, then made code.
    private nint Map(bool isWritten)
    {
        using SafeFileHandle file = File.OpenHandle(_path);
        nint code = mmap(0, Size, Interop.Libc.PROT_READ | Interop.Libc.PROT_WRITE, Interop.Libc.MAP_PRIVATE, (int)file.DangerousGetHandle(), 0);
        Assert.NotEqual(-1, code);
        if (isWritten)
        {
            Marshal.WriteByte(code, 0x99);
        }

        Assert.Equal(0, mprotect(code, Size, Interop.Libc.PROT_READ | Interop.Libc.PROT_EXEC));
        return code;
    }

    [DllImport("libc")]
    private static extern nint mmap(nint address, nint length, int protection, int flags, int fd, nint offset);

    [DllImport("libc")]
    private static extern int mprotect(nint address, nint length, int protection);

    [DllImport("libc")]
    private static extern int munmap(nint address, nint length);
}
