namespace Brunet.Links;

/// <summary>The pings by one path: what was sent, what came back and how soon, and when the next one goes.</summary>
internal sealed class PathPings
{
    /// <summary>Pings that an answer is still known for: probes follow each other faster than a long round trip.</summary>
    private const int Remembered = 32;

    /// <summary>An answer that comes later than this counts as none.</summary>
    private static readonly TimeSpan LostAfter = TimeSpan.FromSeconds(1);

    /// <summary>What was lost earlier says nothing of the path any more.</summary>
    private static readonly TimeSpan JudgedFor = TimeSpan.FromMinutes(5);

    /// <summary>What was sent while the path was dead says nothing of the path, unless it is answered.</summary>
    private readonly (ulong Nonce, TimeSpan At, bool IsAnswered, bool Counts)[] _sent = new (ulong, TimeSpan, bool, bool)[Remembered];
    private int _count;
    private Misses _misses = new();
    private RoundTripEstimate _estimate;

    /// <summary>When the first ping of the path's life was sent.</summary>
    public TimeSpan LivesSince { get; private set; }

    /// <summary>Smoothed round trip, null before the first pong.</summary>
    public TimeSpan? RoundTrip => _estimate.Smoothed;

    /// <summary>How long the ping under way may take.</summary>
    public TimeSpan Timeout => _estimate.After(_misses.Count);

    /// <summary>How long traffic may stay unanswered.</summary>
    public TimeSpan UnansweredLimit => _estimate.Timeout;

    /// <summary>When the last one was sent.</summary>
    public TimeSpan SentAt { get; private set; }

    /// <summary>Whether the last one is under way.</summary>
    public bool IsOutstanding { get; private set; }

    /// <summary>Whether the last one is not answered yet, or was not.</summary>
    public bool IsInDoubt => IsOutstanding || HasMissed;

    /// <summary>Whether the last ones stayed without an answer.</summary>
    public bool HasMissed => _misses.Count > 0;

    /// <summary>Whether as many did as may: the path is dead.</summary>
    public bool HasMissedAll => _misses.AreAll;

    /// <summary>When the first of those was sent.</summary>
    public TimeSpan DoubtedSince { get; private set; }

    /// <summary>Since when the path has another one's place, of which no answer came by it yet; null if it lives by itself.</summary>
    public TimeSpan? PresumedSince { get; private set; }

    /// <summary>Whether it died before one came: it needs one to live again.</summary>
    public bool IsDisproved { get; private set; }

    /// <summary>When the next one is sent.</summary>
    public TimeSpan Next { get; private set; }

    /// <summary>Notes a ping that is sent now.</summary>
    /// <param name="now">The present.</param>
    /// <param name="nonce">What the answer will carry.</param>
    /// <param name="isAlive">Whether the path is alive.</param>
    public void OnPing(TimeSpan now, ulong nonce, bool isAlive)
    {
        _sent[_count++ % Remembered] = (nonce, now, false, isAlive);
        SentAt = now;
        IsOutstanding = true;
    }

    /// <summary>Takes an answer, however late; tells when its ping was sent, null if it answers none of the last ones, or one that was answered before.</summary>
    /// <param name="now">The present.</param>
    /// <param name="nonce">What the answer carries.</param>
    /// <param name="isAlive">Whether the path is alive already.</param>
    public TimeSpan? OnPong(TimeSpan now, ulong nonce, bool isAlive)
    {
        for (int i = 0; i < Remembered && i < _count; i++)
        {
            if (_sent[i].Nonce == nonce)
            {
                // What was sent before a NAT opened says nothing of the path.
                LivesSince = isAlive && RoundTrip is not null ? LivesSince : _sent[i].At;
                _estimate.Add(now - _sent[i].At);
                _sent[i].Nonce = ~nonce;
                _sent[i].IsAnswered = _sent[i].Counts = true;
                IsOutstanding = false;
                return _sent[i].At;
            }
        }

        return null;
    }

    /// <summary>The last ping stayed without answer for as long as it may, and the next one is due; true if it is the first of some in a row.</summary>
    public bool OnMiss(TimeSpan now)
    {
        PlanAnew(now);
        if (!_misses.Add())
        {
            return false;
        }

        DoubtedSince = SentAt;
        return true;
    }

    /// <summary>The path works: what spoke against it counts no more.</summary>
    public void Clear()
    {
        _misses.Clear();
        PresumedSince = null;
        IsDisproved = false;
    }

    /// <summary>What the path leads through has most likely forgotten it: one miss is enough.</summary>
    public void Suspect() => _misses.Suspect();

    /// <summary>The path is dead: nothing under way is waited for.</summary>
    public void Abandon()
    {
        IsDisproved |= PresumedSince is not null;
        PresumedSince = null;
        IsOutstanding = false;
    }

    /// <summary>The next one goes at that time.</summary>
    public void Plan(TimeSpan at) => Next = at;

    /// <summary>The next one goes at that time at the latest.</summary>
    public void Hasten(TimeSpan at) => Next = Moment.Earlier(Next, at);

    /// <summary>One that is under way is not waited for; the next one goes at that time.</summary>
    public void PlanAnew(TimeSpan at)
    {
        IsOutstanding = false;
        Next = at;
    }

    /// <summary>The share of the last pings, those while the path lived, that nothing answered; null while there is none to judge by.</summary>
    public double? Loss(TimeSpan now) => Judge(now) is { Judged: > 0 } last ? (double)last.Lost / last.Judged : null;

    /// <summary>Of the last pings, those while the path lived: how many there is something to say of, and how many of these nothing answered.</summary>
    public (int Judged, int Lost) Judge(TimeSpan now)
    {
        int judged = 0, lost = 0;
        for (int i = 0; i < Remembered && i < _count; i++)
        {
            (_, TimeSpan at, bool isAnswered, bool counts) = _sent[i];
            if (counts && now - at < JudgedFor && (isAnswered || now - at > LostAfter))
            {
                judged++;
                lost += isAnswered ? 0 : 1;
            }
        }

        return (judged, lost);
    }

    /// <summary>The path leads to the machine that another one leads to, so its round trip will hardly be another.</summary>
    /// <param name="before">The other one's.</param>
    /// <param name="presumed">The present where the path has that one's place until one of them answers; null where it lives by itself.</param>
    public void TakeOver(PathPings before, TimeSpan? presumed)
    {
        _estimate = before._estimate;
        PresumedSince = presumed;
    }
}
