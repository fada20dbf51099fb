using Brunet.Clocks;

namespace Ipop.Clock;

/// <summary>
/// Keeps the time: says what it is, and how the wall clock is to be moved. A pure machine; the caller looks at the clocks when it is told to, and does
/// what comes out. What it believes does not jump with the wall clock, so certificates are judged rightly before that is mended.
/// </summary>
/// <param name="known">What the CA signed.</param>
/// <param name="isOpen">Whether the pool has no CA: then bare keys are heard, too.</param>
public sealed class ClockKeeper(SignedTimes known, bool isOpen)
{
    /// <summary>How often the clocks are looked at. A machine that slept knows nothing of it, so this is part of how long its clock stays wrong.</summary>
    public static readonly TimeSpan LookEvery = TimeSpan.FromSeconds(15);

    /// <summary>How soon they are looked at again while they disagree.</summary>
    public static readonly TimeSpan LookAgain = TimeSpan.FromSeconds(2);

    /// <summary>A clock that is ahead by no more is slowed; setting it back costs more than the error does.</summary>
    public static readonly TimeSpan LargestSlew = TimeSpan.FromSeconds(10);

    /// <summary>How long a source must say the same before the clock is moved forward; back, or past the end of every certificate.</summary>
    private static readonly TimeSpan ProofForward = TimeSpan.FromSeconds(1), ProofBack = TimeSpan.FromSeconds(9);

    /// <summary>A wall clock that jumped is not believed so long, where nobody knows better.</summary>
    private static readonly TimeSpan Doubt = TimeSpan.FromMinutes(1);

    /// <summary>More than reading it in whole seconds explains.</summary>
    private static readonly TimeSpan Slept = TimeSpan.FromSeconds(3);

    /// <summary>How often peers are asked: where there is a hypervisor's clock, and where there is none.</summary>
    private static readonly TimeSpan AskBeside = TimeSpan.FromMinutes(5), AskAlone = TimeSpan.FromSeconds(30);

    /// <summary>As exact as peers are, and the least error that is worth anything.</summary>
    private static readonly TimeSpan PeersError = TimeSpan.FromSeconds(0.5), Least = TimeSpan.FromSeconds(0.2);

    private readonly ClockJudge _judge = new(known);
    private DateTimeOffset? _origin;
    private DateTimeOffset? _hostOrigin;
    private (DateTimeOffset Origin, TimeSpan Since)? _claim;
    private TimeSpan? _doubtedSince;
    private TimeSpan _nextAsk;

    /// <summary>When the clocks want to be looked at next.</summary>
    public TimeSpan NextLook { get; private set; }

    /// <summary>What the clock follows.</summary>
    public ClockSource Source { get; private set; }

    /// <summary>How far the wall clock is ahead of what it follows, at the last look; null if it follows nothing.</summary>
    public TimeSpan? Error { get; private set; }

    /// <summary>How far the hypervisor's clock is behind UTC because it shows a local time.</summary>
    public TimeSpan Zone => _judge.Zone;

    /// <summary>Peers whose word counted when they were asked last.</summary>
    public int Voices => _judge.Voices;

    /// <summary>What time it is; null before the first look.</summary>
    public DateTimeOffset? TimeAt(TimeSpan now) => _origin + now;

    /// <summary>What may be told to others: null while the sources disagree.</summary>
    public DateTimeOffset? TellableAt(TimeSpan now) => _claim is null && _doubtedSince is null ? TimeAt(now) : null;

    /// <summary>Whether peers are to be asked for the time now. Say so once.</summary>
    public bool WantsVoices(TimeSpan now)
    {
        if (now < _nextAsk)
        {
            return false;
        }

        bool isAlone = _hostOrigin is null || Source is not (ClockSource.Hypervisor or ClockSource.Ntp or ClockSource.Server);
        _nextAsk = now + (isAlone || Voices < ClockJudge.FewestVoices ? AskAlone : AskBeside);
        return true;
    }

    /// <summary>Takes what peers said.</summary>
    public void Hear(TimeSpan now, IReadOnlyList<ClockVoice> voices)
    {
        ArgumentNullException.ThrowIfNull(voices);
        _judge.Hear(now, voices, isOpen);
        NextLook = now;
    }

    /// <summary>Takes what the time server said that the configuration names.</summary>
    /// <param name="now">The present.</param>
    /// <param name="origin">When the node's own time was zero, by the server.</param>
    public void HearServer(TimeSpan now, DateTimeOffset origin)
    {
        _judge.HearServer(now, origin);
        NextLook = now;
    }

    /// <summary>Looks at the clocks.</summary>
    /// <returns>What is to be done to the wall clock now.</returns>
    public ClockMove Look(TimeSpan now, ClockReading reading)
    {
        NextLook = now + LookEvery;
        DateTimeOffset wall = reading.Wall - now;
        _origin ??= wall;
        NoticeSleep(now, reading);
        if (reading.IsDisciplined)
        {
            (Source, Error, _claim, _doubtedSince, _origin) = (ClockSource.Ntp, null, null, null, wall);
            return ClockMove.None;
        }

        if (_judge.Choose(now, reading.Wall, _hostOrigin) is not { } choice)
        {
            (Source, Error, _claim) = (ClockSource.Nothing, null, null);
            FollowWall(now, wall);
            return ClockMove.None;
        }

        TimeSpan exact = choice.Source == ClockSource.Hypervisor ? reading.HostError : PeersError;
        TimeSpan tolerance = exact * 3 > Least ? exact * 3 : Least;
        (Source, Error, _doubtedSince) = (choice.Source, wall - choice.Origin, null);
        return Follow(now, wall, choice.Origin, tolerance);
    }

    /// <summary>The caller moved the wall clock as it was told.</summary>
    public void Moved(TimeSpan by) => Error += by;

    private ClockMove Follow(TimeSpan now, DateTimeOffset wall, DateTimeOffset target, TimeSpan tolerance)
    {
        TimeSpan behind = target - wall;
        if (behind.Duration() <= tolerance)
        {
            (_origin, _claim) = (wall, null);
            return ClockMove.None;
        }

        if (behind < TimeSpan.Zero && behind >= -LargestSlew)
        {
            (_origin, _claim) = (wall, null);
            return new ClockMove(ClockMoveKind.Slew, behind);
        }

        // What is believed already needs no further proof: it is the wall clock that jumped.
        bool isKnown = (target - _origin!.Value).Duration() <= tolerance;
        if (_claim is not { } claim || (claim.Origin - target).Duration() > tolerance)
        {
            claim = (target, now);
            _claim = claim;
        }

        // Past the end of every certificate, peers shall have a word first.
        bool isEasy = behind > TimeSpan.Zero && !(target + now > known.LatestEnd);
        if (!isKnown && now - claim.Since < (isEasy ? ProofForward : ProofBack))
        {
            NextLook = now + LookAgain;
            return ClockMove.None;
        }

        (_origin, _claim) = (target, null);
        return new ClockMove(ClockMoveKind.Step, behind);
    }

    /// <summary>Nobody knows better: the wall clock is believed, one that jumped after a while only.</summary>
    private void FollowWall(TimeSpan now, DateTimeOffset wall)
    {
        if ((wall - _origin!.Value).Duration() <= Least)
        {
            (_origin, _doubtedSince) = (wall, null);
            return;
        }

        _doubtedSince ??= now;
        if (now - _doubtedSince >= Doubt)
        {
            (_origin, _doubtedSince) = (wall, null);
        }
    }

    /// <summary>Where the hypervisor's clock went on and the machine's time did not, the machine slept or was set back.</summary>
    private void NoticeSleep(TimeSpan now, ClockReading reading)
    {
        DateTimeOffset? before = _hostOrigin;
        _hostOrigin = reading.Host - now;
        if (_hostOrigin is { } origin && before is { } former && (origin - former).Duration() > Slept)
        {
            _judge.ForgetVoices();
            _nextAsk = now;
        }
    }
}
