using System.Buffers.Text;
using Microsoft.Win32.SafeHandles;

namespace Ipop.Linux.Polling;

/// <summary>How many threads of the machine run or could (proc_loadavg(5), the fourth field).</summary>
public sealed class RunnableThreads : IDisposable
{
    private readonly SafeFileHandle? _file;

    /// <summary>Opens the kernel's file.</summary>
    public RunnableThreads()
    {
        try
        {
            _file = File.OpenHandle("/proc/loadavg");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // A machine that hides it is taken for one with processors at hand.
        }
    }

    /// <summary>Asks the kernel; 0 if it doesn't tell. Allocates nothing.</summary>
    public int Count()
    {
        Span<byte> text = stackalloc byte[128];
        return _file is null ? 0 : Parse(text[..RandomAccess.Read(_file, text, 0)]);
    }

    /// <summary>The number before the stroke in something like "0.20 0.18 0.12 3/110 12345"; 0 if there is none.</summary>
    internal static int Parse(ReadOnlySpan<byte> text)
    {
        int end = text.IndexOf((byte)'/');
        int begin = end < 0 ? -1 : text[..end].LastIndexOf((byte)' ') + 1;
        return begin >= 0 && Utf8Parser.TryParse(text[begin..end], out int count, out int used) && used == end - begin ? count : 0;
    }

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();
}
