using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>
/// One way to a peer that does not go over the ring. It may be used once a ping came back over it; only sealed messages prove
/// anything about it. Parts say what happened to it; what follows for its state is written here alone.
/// </summary>
/// <param name="way">Straight to an endpoint, or over a relay.</param>
/// <param name="now">The present: the path has never lived yet.</param>
internal sealed class Path(Arrival way, TimeSpan now)
{
    /// <summary>A path on which nothing passed for so long before it died was perhaps forgotten by a NAT.</summary>
    private static readonly TimeSpan SilentFor = TimeSpan.FromSeconds(20);

    private readonly Arrival _way = way;

    /// <summary>Straight to an endpoint, or over a relay.</summary>
    public ref readonly Arrival Way => ref _way;

    public PathKind Kind => Way.Kind;

    /// <summary>The better kind of way is the greater: relayed, straight by TCP, straight by UDP.</summary>
    public int Rank => Way.Kind == PathKind.Relay ? 0 : Way.IsUdp ? 2 : 1;

    /// <summary>Whether it worked both ways not long ago.</summary>
    public bool IsAlive { get; private set; }

    /// <summary>What was pinged by it, and what came back.</summary>
    public PathPings Pings { get; } = new();

    /// <summary>Whether what is sent by it reaches the peer, or did: something came back. Over a relay it goes to nobody else.</summary>
    public bool IsProven => IsAlive || RoundTrip is not null || Kind == PathKind.Relay;

    /// <summary>Smoothed round trip, null before the first pong.</summary>
    public TimeSpan? RoundTrip => Pings.RoundTrip;

    public TimeSpan LastReceived { get; private set; }

    /// <summary>First send since something was last received, or null: unanswered traffic brings the next ping forward.</summary>
    public TimeSpan? UnansweredSince { get; private set; }

    /// <summary>First send, since something was last received, of what has no answer; or null.</summary>
    public TimeSpan? HandedOnSince { get; private set; }

    /// <summary>Since when it is dead or was never alive.</summary>
    public TimeSpan DownSince { get; private set; } = now;

    /// <summary>Whether it waits, dead, for the way in use to be in doubt (<see cref="SleepingPaths"/>).</summary>
    public bool IsAsleep { get; private set; }

    /// <summary>Whether it died when nothing had passed for long: perhaps a NAT forgot it.</summary>
    public bool DiedInSilence { get; private set; }

    /// <summary>What it carries in one piece; null while nothing was sent by it.</summary>
    public PathMtu? Mtu { get; private set; }

    /// <summary>Something that should be answered was sent by it.</summary>
    public void OnSent(TimeSpan now) => UnansweredSince ??= now;

    /// <summary>Something that has no answer was sent by it.</summary>
    public void OnHandedOn(TimeSpan now) => HandedOnSince ??= now;

    /// <summary>Something sealed by the peer came by it.</summary>
    public void OnHeard(TimeSpan now)
    {
        LastReceived = now;
        UnansweredSince = HandedOnSince = null;
    }

    /// <summary>A ping is sent by it now.</summary>
    public void OnPing(TimeSpan now, ulong nonce) => Pings.OnPing(now, nonce, IsAlive);

    /// <summary>Takes the answer to a ping; tells when that was sent, null if it answers none of this path.</summary>
    public TimeSpan? OnPong(TimeSpan now, ulong nonce) => Pings.OnPong(now, nonce, IsAlive);

    /// <summary>Something went both ways by it.</summary>
    public void Live(TimeSpan now)
    {
        DiedInSilence = IsAsleep = false;
        IsAlive = true;
        Pings.Clear();
        OnHeard(now);
    }

    /// <summary>Nothing comes by it any more.</summary>
    public void Fall(TimeSpan now)
    {
        IsAlive = false;
        Pings.Abandon();
        DownSince = now;
        DiedInSilence = Way.IsUdp && Pings.DoubtedSince - LastReceived > SilentFor;
    }

    /// <summary>It is not forgotten, and costs nothing either, until it is woken.</summary>
    public void Sleep()
    {
        IsAlive = false;
        IsAsleep = true;
    }

    /// <summary>It is tried from now on.</summary>
    public void Wake(TimeSpan now)
    {
        IsAsleep = false;
        DownSince = now;
    }

    /// <summary>What finds out what it carries, which begins with these sizes (<see cref="PathMtu"/>) if there is none yet.</summary>
    public PathMtu Measure(int assumed, int largest) => Mtu ??= new PathMtu(assumed, largest);

    /// <summary>
    /// Takes the place of a path to the same machine, whose round trip and MTU will hardly be others. What came by a connection has a way back; what came
    /// from a port may have none.
    /// </summary>
    public void Replace(TimeSpan now, Path before)
    {
        Pings.TakeOver(before.Pings, Way.IsUdp ? now : null);
        Mtu = before.Mtu;
    }
}
