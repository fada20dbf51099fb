using System.Collections.Concurrent;

namespace Ipop.Linux.Polling;

/// <summary>
/// The daemon's one working thread: waits in ppoll(2) for descriptors, posted work and the next timer, runs each to completion.
/// Only <see cref="Post"/> and <see cref="Stop"/> may be called from other threads.
/// </summary>
public sealed unsafe class PollLoop : IDisposable
{
    /// <summary>Above this share of its time the loop rests.</summary>
    private const double Busy = 0.25;

    /// <summary>
    /// Long enough for some dozens of small datagrams to come, short enough for a ping, which four loops carry. Shorter ones bring less, longer ones let queues grow
    /// (docs/decisions/0019).
    /// </summary>
    private static readonly TimeSpan RestTime = TimeSpan.FromMicroseconds(250);

    private readonly LoopLoad _load = new();
    private readonly List<Interop.Libc.pollfd> _polled = [];
    private readonly List<Watch> _watches = [];
    private readonly ConcurrentQueue<Action<TimeSpan>> _posted = new();
    private readonly FileDescriptor _wake;
    private volatile bool _stopping;

    /// <summary>Makes a loop that watches nothing.</summary>
    public PollLoop()
    {
        _wake = new FileDescriptor(Interop.Libc.eventfd(0, Interop.Libc.EFD_NONBLOCK | Interop.Libc.EFD_CLOEXEC));
        if (_wake.IsInvalid)
        {
            throw new IOException($"eventfd: {FileDescriptor.LastError()}");
        }

        Add(_wake.Value, _ => Drain());
    }

    /// <summary>
    /// Whether a busy loop that finds nothing ready rests before it waits: what comes meanwhile is done at once, as network cards moderate their interrupts.
    /// </summary>
    public bool Rests { get; init; }

    /// <inheritdoc cref="LoopLoad.Share"/>
    public double Load => _load.Share;

    /// <summary>Calls <paramref name="ready"/> whenever the descriptor can be read, has failed or was closed by the peer.</summary>
    /// <param name="fd">Stays the caller's, who must <see cref="Remove"/> it before it is closed.</param>
    /// <param name="ready">Must not block.</param>
    public void Add(int fd, Action<TimeSpan> ready)
    {
        _polled.Add(new Interop.Libc.pollfd { fd = fd, events = Interop.Libc.POLLIN });
        _watches.Add(new Watch(fd, ready));
    }

    /// <summary>Says whether a descriptor is also waited for until it can be written; what <see cref="Add"/> never saw is ignored.</summary>
    public void AwaitWritable(int fd, bool isWanted)
    {
        int index = _watches.FindIndex(watch => watch.Fd == fd);
        if (index >= 0)
        {
            short events = (short)(Interop.Libc.POLLIN | (isWanted ? Interop.Libc.POLLOUT : 0));
            _polled[index] = _polled[index] with { events = events };
        }
    }

    /// <summary>Forgets a descriptor; what <see cref="Add"/> never saw is ignored.</summary>
    public void Remove(int fd)
    {
        int index = _watches.FindIndex(watch => watch.Fd == fd);
        if (index >= 0)
        {
            _watches.RemoveAt(index);
            _polled.RemoveAt(index);
        }
    }

    /// <summary>Runs work on the loop's thread soon. Any thread may call.</summary>
    public void Post(Action<TimeSpan> work)
    {
        _posted.Enqueue(work);
        Wake();
    }

    /// <summary>Makes <see cref="Run"/> return. Any thread may call.</summary>
    public void Stop()
    {
        _stopping = true;
        Wake();
    }

    /// <summary>Runs until <see cref="Stop"/>; may be run again.</summary>
    /// <param name="nextWake">When to call <paramref name="pass"/> even if nothing happens; <see cref="TimeSpan.MaxValue"/> for never.</param>
    /// <param name="pass">Called once after each round of events, with the time.</param>
    public void Run(Func<TimeSpan> nextWake, Action<TimeSpan> pass)
    {
        ArgumentNullException.ThrowIfNull(nextWake);
        ArgumentNullException.ThrowIfNull(pass);
        Interop.Libc.pollfd[] round = new Interop.Libc.pollfd[16];
        TimeSpan ended = BootClock.Now;
        while (!_stopping)
        {
            // A handler may add and remove, so each round works on a copy.
            int count = _polled.Count;
            if (round.Length < count)
            {
                round = new Interop.Libc.pollfd[count * 2];
            }

            _polled.CopyTo(round);
            int ready = Await(round, count, nextWake());
            TimeSpan now = BootClock.Now;
            TimeSpan waited = now - ended;
            for (int index = 0; index < count && ready > 0; index++)
            {
                if (round[index].revents != 0)
                {
                    ready--;
                    Find(round[index].fd)?.Invoke(now);
                }
            }

            while (_posted.TryDequeue(out Action<TimeSpan>? work))
            {
                work(now);
            }

            pass(now);
            ended = BootClock.Now;
            _load.OnRound(waited, ended - now);
        }

        _stopping = false;
    }

    /// <inheritdoc/>
    public void Dispose() => _wake.Dispose();

    private int Await(Interop.Libc.pollfd[] round, int count, TimeSpan until)
    {
        if (Rests && _load.Share > Busy)
        {
            int ready = Wait(round, count, TimeSpan.Zero);
            if (ready > 0)
            {
                return ready;
            }

            Wait(round, 0, BootClock.Now + RestTime);
        }

        return Wait(round, count, until);
    }

    private static int Wait(Interop.Libc.pollfd[] round, int count, TimeSpan until)
    {
        TimeSpan left = until == TimeSpan.MaxValue ? TimeSpan.FromHours(1) : until - BootClock.Now;
        long ticks = Math.Max(0, left.Ticks);
        var timeout = new Interop.Libc.timespec
        {
            tv_sec = ticks / TimeSpan.TicksPerSecond,
            tv_nsec = ticks % TimeSpan.TicksPerSecond * 100,
        };
        fixed (Interop.Libc.pollfd* fds = round)
        {
            // A signal is no event: the caller sees a round in which nothing was ready.
            return Math.Max(0, Interop.Libc.ppoll(fds, (nuint)count, &timeout, null));
        }
    }

    private Action<TimeSpan>? Find(int fd)
    {
        foreach (Watch watch in _watches)
        {
            if (watch.Fd == fd)
            {
                return watch.Ready;
            }
        }

        return null;
    }

    private void Wake()
    {
        ulong one = 1;
        _ = Interop.Libc.write(_wake.Value, (byte*)&one, sizeof(ulong));
    }

    private void Drain()
    {
        ulong count;
        _ = Interop.Libc.read(_wake.Value, (byte*)&count, sizeof(ulong));
    }

    private sealed record Watch(int Fd, Action<TimeSpan> Ready);
}
