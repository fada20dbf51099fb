using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>
/// One way to a peer that does not go over the ring. It may be used once a ping came back over it; only sealed messages prove
/// anything about it.
/// </summary>
internal sealed class Path(Arrival way)
{
    /// <summary>Pings that an answer is still known for: probes follow each other faster than a long round trip.</summary>
    private const int RememberedPings = 16;

    /// <summary>An answer that comes later than this counts as none.</summary>
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(1);

    private readonly (ulong Nonce, TimeSpan At, bool IsAnswered)[] _pings = new (ulong, TimeSpan, bool)[RememberedPings];
    private int _nextPing;
    private Misses _misses = new();
    private RoundTripEstimate _estimate;

    /// <summary>Straight to an endpoint, or over a relay.</summary>
    public Arrival Way { get; } = way;

    public PathKind Kind => Way.Kind;

    /// <summary>The better kind of way is the greater: relayed, straight by TCP, straight by UDP.</summary>
    public int Rank => Way.Kind == PathKind.Relay ? 0 : Way.IsUdp ? 2 : 1;

    /// <summary>Whether it worked both ways not long ago.</summary>
    public bool IsAlive { get; set; }

    /// <summary>When the first ping of this life was sent.</summary>
    public TimeSpan LivesSince { get; private set; }

    /// <summary>Smoothed round trip, null before the first pong.</summary>
    public TimeSpan? RoundTrip => _estimate.Smoothed;

    /// <summary>How long the ping under way may take.</summary>
    public TimeSpan Timeout => _estimate.After(_misses.Count);

    /// <summary>How long traffic may stay unanswered.</summary>
    public TimeSpan UnansweredLimit => _estimate.Timeout;

    public TimeSpan PingSentAt { get; private set; }

    public bool IsPingOutstanding { get; set; }

    /// <summary>Pings in a row without an answer.</summary>
    public ref Misses Misses => ref _misses;

    /// <summary>Whether its last ping is not answered yet.</summary>
    public bool IsInDoubt => IsPingOutstanding || _misses.Count > 0;

    /// <summary>When the first of them was sent.</summary>
    public TimeSpan DoubtedSince { get; set; }

    public TimeSpan NextPing { get; set; }

    public TimeSpan LastReceived { get; set; }

    /// <summary>First send since something was last received, or null: unanswered traffic brings the next ping forward.</summary>
    public TimeSpan? UnansweredSince { get; set; }

    /// <summary>First send, since something was last received, of what has no answer; or null.</summary>
    public TimeSpan? HandedOnSince { get; set; }

    /// <summary>Since when it is dead or was never alive.</summary>
    public TimeSpan DownSince { get; set; }

    /// <summary>Whether it died when nothing had passed for long: perhaps a NAT forgot it.</summary>
    public bool DiedInSilence { get; set; }

    /// <summary>What it carries in one piece; null while nothing was sent by it.</summary>
    public PathMtu? Mtu { get; set; }

    /// <summary>Notes a ping that is sent now.</summary>
    public void OnPing(TimeSpan now, ulong nonce)
    {
        _pings[_nextPing++ % RememberedPings] = (nonce, now, false);
        PingSentAt = now;
        IsPingOutstanding = true;
    }

    /// <summary>Takes an answer, however late; false if it answers none of the last pings, or one that was answered before.</summary>
    public bool OnPong(TimeSpan now, ulong nonce)
    {
        for (int i = 0; i < RememberedPings && i < _nextPing; i++)
        {
            if (_pings[i].Nonce == nonce)
            {
                // What was sent before a NAT opened says nothing of the path.
                LivesSince = IsAlive && RoundTrip is not null ? LivesSince : _pings[i].At;
                _estimate.Add(now - _pings[i].At);
                _pings[i].Nonce = ~nonce;
                _pings[i].IsAnswered = true;
                IsPingOutstanding = false;
                return true;
            }
        }

        return false;
    }

    /// <summary>The share of the last pings, since it lives, that nothing answered; null while there is none to judge by.</summary>
    public double? Loss(TimeSpan now)
    {
        int judged = 0, lost = 0;
        for (int i = 0; i < RememberedPings && i < _nextPing; i++)
        {
            (_, TimeSpan at, bool isAnswered) = _pings[i];
            if (at >= LivesSince && (isAnswered || now - at > LostAfter))
            {
                judged++;
                lost += isAnswered ? 0 : 1;
            }
        }

        return judged == 0 ? null : (double)lost / judged;
    }

    /// <summary>Takes the place of a path to the same machine, whose round trip and MTU will hardly be others.</summary>
    public void Replace(Path before) => (_estimate, Mtu) = (before._estimate, before.Mtu);
}
