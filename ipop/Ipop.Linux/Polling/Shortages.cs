using System.Net.Sockets;

namespace Ipop.Linux.Polling;

/// <summary>How often the kernel had no descriptor or no memory for this program, and when last. Not thread-safe: the loop's thread notes and asks.</summary>
public sealed class Shortages
{
    /// <summary>For so long after the last one it is told, and what comes later is another shortage.</summary>
    public static readonly TimeSpan ToldFor = TimeSpan.FromMinutes(10);

    private TimeSpan _lastAt;

    /// <summary>Since the start.</summary>
    public long Count { get; private set; }

    /// <summary>Hears of the first one, and of the first after a time without.</summary>
    public Action? Began { get; set; }

    /// <summary>How long ago the last one was; null if it is not worth telling any more.</summary>
    public TimeSpan? Since(TimeSpan now) => Count > 0 && now - _lastAt < ToldFor ? now - _lastAt : null;

    /// <summary>The kernel refused.</summary>
    public void Note(TimeSpan now)
    {
        bool isNew = Since(now) is null;
        Count++;
        _lastAt = now;
        if (isNew)
        {
            Began?.Invoke();
        }
    }

    /// <summary>Whether an error of a socket says that: EMFILE, ENFILE, ENOBUFS or ENOMEM. Whoever waits to be accepted waits on, unlike at all other errors (accept(2)).</summary>
    public static bool IsOne(SocketException exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return exception.SocketErrorCode is SocketError.TooManyOpenSockets or SocketError.NoBufferSpaceAvailable || exception.NativeErrorCode == Interop.Libc.ENOMEM;
    }

    /// <inheritdoc cref="IsOne(SocketException)"/>
    internal static bool IsOne(int error) => error is Interop.Libc.EMFILE or Interop.Libc.ENFILE or Interop.Libc.ENOBUFS or Interop.Libc.ENOMEM;
}
