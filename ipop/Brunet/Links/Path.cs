namespace Brunet.Links;

/// <summary>
/// One way to a peer that does not go over the ring. It may be used once a ping came back over it; only sealed messages prove
/// anything about it.
/// </summary>
internal sealed class Path(Arrival way)
{
    /// <summary>Straight to an endpoint, or over a relay.</summary>
    public Arrival Way { get; } = way;

    public PathKind Kind => Way.Kind;

    /// <summary>Whether it worked both ways not long ago.</summary>
    public bool IsAlive { get; set; }

    /// <summary>Smoothed round trip, null before the first pong.</summary>
    public TimeSpan? RoundTrip { get; set; }

    /// <summary>Nonce of the last ping.</summary>
    public ulong Nonce { get; set; }

    public TimeSpan PingSentAt { get; set; }

    public bool IsPingOutstanding { get; set; }

    /// <summary>Pings in a row without an answer.</summary>
    public int Missed { get; set; }

    public TimeSpan NextPing { get; set; }

    public TimeSpan LastReceived { get; set; }

    /// <summary>First send since something was last received, or null: unanswered traffic brings the next ping forward.</summary>
    public TimeSpan? UnansweredSince { get; set; }

    /// <summary>Since when it is dead or was never alive.</summary>
    public TimeSpan DownSince { get; set; }
}
