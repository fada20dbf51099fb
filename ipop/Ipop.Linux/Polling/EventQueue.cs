using System.Runtime.InteropServices;

namespace Ipop.Linux.Polling;

/// <summary>
/// Descriptors that are waited for by epoll(7): a round costs what is ready, not what is watched. Level-triggered. Not thread-safe.
/// </summary>
internal sealed unsafe class EventQueue : IDisposable
{
    /// <summary>Most that one call tells; the kernel tells the others first the next time.</summary>
    private const int Most = 64;

    /// <summary>Bytes of struct epoll_event: 32 bits of events, and 64 of ours, without a gap on x86-64 alone (epoll_ctl(2) does not tell, linux/eventpoll.h does).</summary>
    private static readonly int EventSize = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 16;

    private readonly FileDescriptor _queue;
    private readonly byte* _events = (byte*)NativeMemory.Alloc((nuint)(Most * 16));

    /// <summary>Makes an empty one.</summary>
    /// <exception cref="IOException">The kernel gives none.</exception>
    internal EventQueue()
    {
        _queue = new FileDescriptor(Interop.Libc.epoll_create1(Interop.Libc.EPOLL_CLOEXEC));
        if (_queue.IsInvalid)
        {
            throw new IOException($"epoll_create1: {FileDescriptor.LastError()}");
        }
    }

    /// <summary>Watches a descriptor.</summary>
    /// <exception cref="IOException">It is watched already, or can't be (a file on a disk).</exception>
    internal void Add(int fd, uint events) => Control(Interop.Libc.EPOLL_CTL_ADD, fd, events);

    /// <summary>Watches it for something else.</summary>
    /// <exception cref="IOException">It is not watched.</exception>
    internal void Change(int fd, uint events) => Control(Interop.Libc.EPOLL_CTL_MOD, fd, events);

    /// <summary>Forgets it; it is still open.</summary>
    /// <exception cref="IOException">It is not watched.</exception>
    internal void Remove(int fd) => Control(Interop.Libc.EPOLL_CTL_DEL, fd, 0);

    /// <summary>Waits until something is ready, or for so long.</summary>
    /// <returns>How many descriptors are ready; 0 after a signal, too.</returns>
    internal int Wait(TimeSpan patience)
    {
        Interop.Libc.timespec timeout = Interop.Libc.timespec.Of(patience);
        return Math.Max(0, Interop.Libc.epoll_pwait2(_queue.Value, _events, Most, &timeout, null));
    }

    /// <summary>Which descriptor was ready, of those that <see cref="Wait"/> counted.</summary>
    internal int this[int index] => (int)Marshal.ReadInt64((nint)Event(index) + EventSize - sizeof(long));

    /// <inheritdoc/>
    public void Dispose()
    {
        _queue.Dispose();
        NativeMemory.Free(_events);
    }

    private byte* Event(int index) => _events + (index * EventSize);

    private void Control(int operation, int fd, uint events)
    {
        byte* one = stackalloc byte[EventSize];
        *(uint*)one = events;
        Marshal.WriteInt64((nint)one + EventSize - sizeof(long), fd);
        if (Interop.Libc.epoll_ctl(_queue.Value, operation, fd, one) < 0)
        {
            throw new IOException($"epoll_ctl {operation} of descriptor {fd}: {FileDescriptor.LastError()}");
        }
    }
}
