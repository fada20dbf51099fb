using Brunet;

namespace Ipop.Linux.Polling;

/// <summary>
/// Listening sockets that are not watched for a time, as the kernel gave no descriptor or no memory for who waits there: they stay readable, and a loop that went on
/// to watch them would do nothing else. Who waits does so in the kernel's queue, whose length is bounded.
/// </summary>
internal sealed class ListenerRests(EventQueue queue)
{
    /// <summary>How long one rests: a connection that ends meanwhile gives its descriptor to who waits.</summary>
    internal static readonly TimeSpan RestTime = TimeSpan.FromSeconds(1);

    /// <summary>Who rests, and until when; the first to wake is first.</summary>
    [Own("listening sockets of this daemon, each once")]
    private readonly List<(int Fd, TimeSpan Until)> _resting = [];

    /// <summary>When <see cref="Wake"/> has something to do.</summary>
    internal TimeSpan NextTick => _resting.Count == 0 ? TimeSpan.MaxValue : _resting[0].Until;

    /// <summary>A listener rests from now on. It stays in the queue, so that coming back needs no memory of the kernel's.</summary>
    internal void Rest(TimeSpan now, int fd)
    {
        queue.Change(fd, 0);
        _resting.Add((fd, now + RestTime));
    }

    /// <summary>Those are watched again whose rest is over.</summary>
    internal void Wake(TimeSpan now)
    {
        while (now >= NextTick)
        {
            queue.Change(_resting[0].Fd, Interop.Libc.EPOLLIN);
            _resting.RemoveAt(0);
        }
    }

    /// <summary>Forgets one.</summary>
    internal void Remove(int fd) => _resting.RemoveAll(listener => listener.Fd == fd);
}
