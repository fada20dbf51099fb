using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// What time does to a path next, each with its moment (<see cref="TimeSpan.MaxValue"/>: never, if nothing happens). The node is woken by these moments, and
/// what is done when one has passed is decided by the same.
/// </summary>
/// <param name="Miss">The ping under way has had no answer for as long as it may.</param>
/// <param name="Fall">The path is dead.</param>
/// <param name="Ping">The path is pinged.</param>
/// <param name="Forget">The path is forgotten, or sleeps.</param>
internal readonly record struct PathTimes(TimeSpan Miss, TimeSpan Fall, TimeSpan Ping, TimeSpan Forget)
{
    private const int MaxSpares = 2;

    /// <summary>Between two pings by a dead path.</summary>
    public static readonly TimeSpan DeadInterval = TimeSpan.FromSeconds(3);

    private static readonly TimeSpan DeadKept = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan SearchedKept = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan ProbeKept = TimeSpan.FromSeconds(4);
    private static readonly TimeSpan ProbeInterval = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan OverdueBy = TimeSpan.FromSeconds(5);

    /// <summary>A path that was heard so lately is not doubted because something on it has no answer yet.</summary>
    private static readonly TimeSpan HeardLately = TimeSpan.FromSeconds(1);

    /// <summary>The first of all.</summary>
    public TimeSpan Next => Earlier(Earlier(Miss, Fall), Earlier(Ping, Forget));

    /// <summary>The times of a path.</summary>
    /// <param name="now">The present: what ended before it ends no more.</param>
    /// <param name="peer">Where the path leads.</param>
    /// <param name="path">The path.</param>
    /// <param name="interval">Between two pings, by <see cref="MappingLife"/>.</param>
    public static PathTimes Of(TimeSpan now, Peer peer, Path path, TimeSpan interval) => path.IsAlive ? OfAlive(now, peer, path, interval) : OfDown(now, peer, path);

    private static PathTimes OfAlive(TimeSpan now, Peer peer, Path path, TimeSpan interval)
    {
        var none = new PathTimes(TimeSpan.MaxValue, TimeSpan.MaxValue, TimeSpan.MaxValue, TimeSpan.MaxValue);
        TimeSpan fall = path.Pings.HasMissedAll || IsElsewhere(peer, path) ? TimeSpan.Zero : TimeSpan.MaxValue;
        if (path.Pings.IsOutstanding || fall == TimeSpan.Zero)
        {
            return none with { Miss = path.Pings.IsOutstanding ? path.Pings.SentAt + path.Pings.Timeout : TimeSpan.MaxValue, Fall = fall };
        }

        TimeSpan ping = Earlier(PingAt(now, peer, path, interval), DoubtedAt(path));
        if (IsKept(isBusy: false, peer, path))
        {
            return none with { Ping = ping };
        }

        // The other end may keep it; what nobody keeps is forgotten without a word, so long after it was last heard.
        TimeSpan forget = path.LastReceived + (path.Way.Socket == 0 ? DeadKept + interval : SearchedKept);
        return IsKept(isBusy: true, peer, path)
            ? none with { Ping = Before(now, ping, peer.Use.BusyUntil), Forget = Later(forget, peer.Use.BusyUntil) }
            : none with { Forget = forget };
    }

    /// <summary>
    /// When a living path is pinged that carries nothing. Of a link that only the peer has a use for the peer lets hear; when it does not, it may be dead. Most
    /// likely the link is its shortcut, and others route over it in our direction, too: however long our own NAT would keep it, it is not to stand dead for
    /// longer than a shortcut of ours.
    /// </summary>
    private static TimeSpan PingAt(TimeSpan now, Peer peer, Path path, TimeSpan interval)
    {
        if (path.RoundTrip is null || path.Pings.HasMissed)
        {
            return path.Pings.Next;
        }

        TimeSpan wantedUntil = peer.Use.WantedUntil;
        TimeSpan overdue = path.LastReceived + Earlier(interval, PathKeeper.LongestRoutingSilence) + OverdueBy;
        return Earlier(Before(now, path.Pings.Next, wantedUntil), Later(wantedUntil, overdue));
    }

    /// <summary>
    /// When traffic makes a path doubtful that nothing came back for. What has no answer does so only where nothing was heard a moment ago either: else
    /// three of four pings of a forming ring would follow from it.
    /// </summary>
    private static TimeSpan DoubtedAt(Path path)
    {
        TimeSpan asked = path.UnansweredSince is { } since ? since + path.Pings.UnansweredLimit : TimeSpan.MaxValue;
        return path.HandedOnSince is { } handed ? Earlier(asked, Later(handed + path.Pings.UnansweredLimit, path.LastReceived + HeardLately)) : asked;
    }

    /// <summary>Of a path that is dead or never lived. One that never lived is tried quickly, and one that fell just now while packets come.</summary>
    private static PathTimes OfDown(TimeSpan now, Peer peer, Path path)
    {
        if (path.IsAsleep)
        {
            return new PathTimes(TimeSpan.MaxValue, TimeSpan.MaxValue, TimeSpan.MaxValue, TimeSpan.MaxValue);
        }

        bool isNew = path.RoundTrip is null;
        TimeSpan forget = path.DownSince + (isNew ? ProbeKept : DeadKept);
        forget = isNew && path.Kind == PathKind.Relay && peer.IsStraight ? Earlier(forget, peer.Use.BusyUntil) : forget;
        TimeSpan urgentUntil = isNew ? TimeSpan.MaxValue : Earlier(path.DownSince + ProbeKept, peer.Use.TalkingUntil);
        TimeSpan ping = Earlier(Before(now, path.Pings.SentAt + ProbeInterval, urgentUntil), path.Pings.SentAt + DeadInterval);
        return new PathTimes(TimeSpan.MaxValue, TimeSpan.MaxValue, ping, forget);
    }

    /// <summary>
    /// Whether a path is kept alive. A busy peer has two in reserve. One that is reached straight and has nothing to carry needs none:
    /// should the path die, the ring carries what there is while others are tried.
    /// </summary>
    private static bool IsKept(bool isBusy, Peer peer, Path path)
    {
        if (path == peer.Best || path.RoundTrip is null)
        {
            return true;
        }

        int left = isBusy || peer.Best is not { Kind: PathKind.Direct } ? MaxSpares : 0;
        foreach (Path other in peer.Paths)
        {
            left -= other != path && other != peer.Best && other is { IsAlive: true, RoundTrip: not null } && !IsWorse(other, path) ? 1 : 0;
        }

        return left > 0;
    }

    /// <summary>Whether the peer was heard another way since the path is in doubt, and not by it.</summary>
    private static bool IsElsewhere(Peer peer, Path path) =>
        path.Pings.HasMissed && peer.LastElsewhere > path.Pings.DoubtedSince && path.LastReceived <= path.Pings.DoubtedSince;

    private static bool IsWorse(Path path, Path other) => path.Rank != other.Rank ? path.Rank < other.Rank : path.RoundTrip > other.RoundTrip;
}
