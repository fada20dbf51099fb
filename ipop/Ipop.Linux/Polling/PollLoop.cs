using System.Collections.Concurrent;
using Brunet;

namespace Ipop.Linux.Polling;

/// <summary>
/// The daemon's one working thread: waits in epoll(7) for descriptors, posted work and the next timer, runs each to completion.
/// Only <see cref="Post"/> and <see cref="Stop"/> may be called from other threads.
/// </summary>
public sealed unsafe class PollLoop : IDisposable
{
    private readonly PacketFlood _flood = new();
    private readonly EventQueue _queue = new();
    private readonly ListenerRests _rests;

    [Own("one for each descriptor that a part has open, and each part bounds its own")]
    private readonly Dictionary<int, Action<TimeSpan>> _watches = [];

    [Own("what the daemon's own tasks and signals post, emptied each round")]
    private readonly ConcurrentQueue<Action<TimeSpan>> _posted = new();

    private readonly FileDescriptor _wake;
    private volatile bool _stopping;
    private long _counted, _rounds, _restsTaken;
    private bool _hasRested;

    /// <summary>Makes a loop that watches nothing.</summary>
    public PollLoop()
    {
        _rests = new ListenerRests(_queue);
        _wake = new FileDescriptor(Interop.Libc.eventfd(0, Interop.Libc.EFD_NONBLOCK | Interop.Libc.EFD_CLOEXEC));
        if (_wake.IsInvalid)
        {
            _queue.Dispose();
            throw new IOException($"eventfd: {FileDescriptor.LastError()}");
        }

        Add(_wake.Value, _ => Drain());
    }

    /// <summary>
    /// Whether a loop that finds nothing ready amid a flood rests before it waits: what comes meanwhile is done at once, as network cards moderate their interrupts.
    /// </summary>
    public bool Rests { get; init; }

    /// <summary>Tells how many packets have come since the start, whoever took them. Without it there is never a flood.</summary>
    public Func<long>? CountPackets { get; set; }

    /// <summary>What the kernel had no descriptor or no memory for.</summary>
    public Shortages Shortages { get; } = new();

    /// <inheritdoc cref="PacketFlood.IsOn"/>
    public bool IsFlooded => _flood.IsOn;

    /// <summary>What it has done since it was made.</summary>
    public LoopCounts Counts => new(_rounds, _restsTaken, _flood.Bars, Shortages.Count);

    /// <summary>Calls <paramref name="ready"/> whenever the descriptor can be read, has failed or was closed by the peer.</summary>
    /// <param name="fd">Stays the caller's, who must <see cref="Remove"/> it before it is closed.</param>
    /// <param name="ready">Must not block.</param>
    public void Add(int fd, Action<TimeSpan> ready)
    {
        _queue.Add(fd, Interop.Libc.EPOLLIN);
        _watches.Add(fd, ready);
    }

    /// <summary>
    /// Calls <paramref name="accept"/> whenever somebody waits to be accepted. False says that the kernel has no descriptor or no memory for that (<see cref="Shortages"/>):
    /// then it is tried again a second later.
    /// </summary>
    /// <param name="fd">As in <see cref="Add"/>.</param>
    /// <param name="accept">Must not block.</param>
    public void Listen(int fd, Func<TimeSpan, bool> accept) => Add(fd, now =>
    {
        bool isTaken;
        try
        {
            isTaken = accept(now);
        }
        catch (IOException)
        {
            // Who was taken can't be watched: for that, too, the kernel needs memory.
            isTaken = false;
        }

        if (!isTaken)
        {
            Shortages.Note(now);
            _rests.Rest(now, fd);
        }
    });

    /// <summary>Says what a descriptor is waited for; what <see cref="Add"/> never saw is ignored. That the other side has gone altogether is told in any case.</summary>
    /// <param name="fd">Which one.</param>
    /// <param name="isWanted">Until it can be written.</param>
    /// <param name="mayCome">Until there is something to read, the end too.</param>
    public void AwaitWritable(int fd, bool isWanted, bool mayCome = true)
    {
        if (_watches.ContainsKey(fd))
        {
            _queue.Change(fd, (mayCome ? Interop.Libc.EPOLLIN : 0) | (isWanted ? Interop.Libc.EPOLLOUT : 0));
        }
    }

    /// <summary>Says whether a descriptor is left alone for a time, readable or not; what <see cref="Add"/> never saw is ignored.</summary>
    public void Hold(int fd, bool isHeld)
    {
        if (_watches.ContainsKey(fd))
        {
            _queue.Change(fd, isHeld ? 0 : Interop.Libc.EPOLLIN);
        }
    }

    /// <summary>Whether the last round was for the sake of time alone: no descriptor was ready, and nobody had posted work.</summary>
    public bool WasIdle { get; private set; }

    /// <summary>Forgets a descriptor; what <see cref="Add"/> never saw is ignored.</summary>
    public void Remove(int fd)
    {
        if (_watches.Remove(fd))
        {
            _queue.Remove(fd);
            _rests.Remove(fd);
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
        while (!_stopping)
        {
            int ready = Await(nextWake());
            TimeSpan now = BootClock.Now;
            for (int index = 0; index < ready; index++)
            {
                // A handler may have removed what is ready, too.
                if (_watches.TryGetValue(_queue[index], out Action<TimeSpan>? handler))
                {
                    handler(now);
                }
            }

            WasIdle = ready == 0 && _posted.IsEmpty;
            while (_posted.TryDequeue(out Action<TimeSpan>? work))
            {
                work(now);
            }

            _rests.Wake(now);
            CountRound(now);
            pass(now);
        }

        _stopping = false;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _queue.Dispose();
        _wake.Dispose();
    }

    private int Await(TimeSpan until)
    {
        _hasRested = Rests && _flood.RestPays;
        if (_hasRested)
        {
            if (!_flood.RestPaysAnyhow && _queue.Wait(TimeSpan.Zero) is > 0 and int ready)
            {
                _hasRested = false;
                return ready;
            }

            Interop.Libc.timespec rest = Interop.Libc.timespec.Of(PacketFlood.RestTime);
            _ = Interop.Libc.nanosleep(&rest, null);
            _restsTaken++;
        }

        until = until < _rests.NextTick ? until : _rests.NextTick;
        return _queue.Wait(until == TimeSpan.MaxValue ? TimeSpan.FromHours(1) : until - BootClock.Now);
    }

    private void CountRound(TimeSpan now)
    {
        long counted = CountPackets?.Invoke() ?? 0;
        _flood.OnRound(now, counted - _counted, _hasRested);
        _counted = counted;
        _rounds++;
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
}
