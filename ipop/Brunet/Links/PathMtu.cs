using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// How long a datagram one straight path carries in one piece (packetization layer path MTU discovery, RFC 8899). Sizes are bytes of the underlay's IP packet.
/// Pure arithmetic: it says what to probe and learns what was answered; who sends is <see cref="MtuKeeper"/>. Nothing is asked while the
/// path carries no packets of the virtual network.
/// </summary>
/// <param name="assumed">What data may use of a path that nothing is known of.</param>
/// <param name="largest">What is of use at most.</param>
internal sealed class PathMtu(int assumed, int largest)
{
    /// <summary>What no path is narrower than (RFC 791 lets less, nobody has it).</summary>
    public const int Smallest = 576;

    /// <summary>The widest that is probed where something is lost or the peer is far.</summary>
    public const int Ethernet = 1500;

    /// <summary>Shorter packets pass everywhere, so they neither show nor suffer from a path that became narrower.</summary>
    private const int LargeData = 1000;

    /// <summary>Where no usual size is left, the search ends at this distance.</summary>
    private const int Resolution = 64;

    /// <summary>Losses of one size, while small datagrams pass, after which it counts as too large (RFC 8899 section 5.1.2, MAX_PROBES).</summary>
    private const int MostMisses = 3;

    /// <summary>Tries that not even small datagrams came through, after which it is no question of size.</summary>
    private const int MostSilences = 4;

    private static readonly TimeSpan ActiveFor = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RaiseAfter = TimeSpan.FromMinutes(10);
    private static readonly TimeSpan RaiseAfterHole = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan RetryAfter = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan RetryUnheardAfter = TimeSpan.FromMinutes(5);
    private static readonly TimeSpan ConfirmAfter = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan ShortestDoubt = TimeSpan.FromSeconds(0.25);

    /// <summary>A sender whose long packets stopped for so long and begin again may be one that waits for what was swallowed (RFC 6298: 200 ms and more).</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(150);

    /// <summary>Room for every probe of two tries.</summary>
    private readonly (ulong Token, int Size, TimeSpan At)[] _sent = new (ulong, int, TimeSpan)[16];
    private int _nextSent;
    private Phase _phase;
    private int _passed;
    private int _failed = largest + 1;
    private int _hint;
    private int _limit;
    private int _probed;
    private int _misses;
    private int _silences;
    private bool _isSmallOut;
    private bool _hasSmallCome;
    private bool _isHole;
    private bool _wasHeard;
    private TimeSpan _deadline;
    private TimeSpan _searchAt;
    private TimeSpan _confirmedAt;
    private TimeSpan _lastData = TimeSpan.MinValue / 2;
    private TimeSpan _lastLarge = TimeSpan.MinValue / 2;
    private TimeSpan? _unansweredSince;
    private int _doubts;
    private bool _isOdd;
    private bool _isDoubted;
    private TimeSpan _begunAt;
    private int _meanwhile;

    private enum Phase
    {
        Resting,
        Searching,
        Confirming,
    }

    /// <summary>The usual sizes: of hosts, tunnels, access networks, Ethernet and its jumbo frames.</summary>
    private static ReadOnlySpan<ushort> Usual =>
        [Smallest, 1006, 1200, 1280, 1300, 1320, 1340, 1360, 1380, 1400, 1420, 1440, 1450, 1460, 1480, 1492, Ethernet, 2000, 4000, 8000, 9000];

    /// <summary>What goes beside a size that is in doubt, the size itself once more before them: the longest that comes is used until the doubt is settled.</summary>
    private static ReadOnlySpan<ushort> Rungs => [1280, 1200, 1006, Smallest];

    /// <summary>What data may use now.</summary>
    public int Size => _meanwhile > 0 ? _meanwhile : _passed > 0 ? _passed : assumed < _failed ? assumed : Math.Max(Candidate(), Smallest);

    /// <summary>Whether a probe has shown it; else it is assumed.</summary>
    public bool IsKnown => _passed > 0;

    /// <summary>Whether the kernel's opinion would help now: it may have been told by a router. It is only tried, never believed.</summary>
    public bool WantsHint { get; private set; } = true;

    /// <summary>The shortest round trip of a probe: how far the peer is, whatever else was slow meanwhile.</summary>
    public TimeSpan Shortest { get; private set; } = TimeSpan.MaxValue;

    /// <summary>A packet of the virtual network goes.</summary>
    public void OnSent(TimeSpan now, int size)
    {
        _lastData = now;
        if (size > LargeData)
        {
            _isOdd |= now - _lastLarge >= Pause && now - _lastLarge < ActiveFor;
            _lastLarge = now;
            _unansweredSince ??= now;
        }
    }

    /// <summary>A packet of the virtual network came from the peer.</summary>
    public void OnHeard()
    {
        _unansweredSince = null;
        _doubts = 0;
    }

    /// <summary>When <see cref="TryProbe"/> has something to do, if nothing else happens before.</summary>
    /// <param name="patience">How long an answer may take.</param>
    public TimeSpan Next(TimeSpan patience)
    {
        if (_phase != Phase.Resting)
        {
            return _probed > 0 ? _deadline : TimeSpan.Zero;
        }

        TimeSpan next = Earlier(_searchAt, ConfirmAt(patience));
        return next < _lastData + ActiveFor ? next : TimeSpan.MaxValue;
    }

    /// <summary>What to probe now.</summary>
    /// <param name="now">The present.</param>
    /// <param name="patience">How long an answer may take.</param>
    /// <param name="isGood">Whether the path loses nothing and is short, so that jumbo frames are worth it.</param>
    /// <param name="size">Bytes of the IP packet to send.</param>
    /// <param name="withSmall">Whether a small probe shall go beside it: if that one comes and this one does not, it is the size.</param>
    public bool TryProbe(TimeSpan now, TimeSpan patience, bool isGood, out int size, out bool withSmall)
    {
        (size, withSmall) = (0, false);
        if (now < Next(patience))
        {
            return false;
        }

        if (_phase == Phase.Resting)
        {
            Begin(now, patience, isGood);
        }
        else if (_probed > 0)
        {
            Miss(now);
        }

        if (_phase == Phase.Searching && _probed == 0 && (_probed = Candidate()) == 0)
        {
            Rest(now, _isHole ? RaiseAfterHole : _limit < largest && _passed == _limit ? RetryAfter : RaiseAfter);
        }

        if (_phase == Phase.Resting)
        {
            return false;
        }

        size = _probed;
        withSmall = _isSmallOut = _isDoubted || _misses + _silences > 0;
        _hasSmallCome = false;
        _deadline = now + (patience * (1 << Math.Min(_silences, 3)));
        return true;
    }

    /// <summary>Sizes to probe beside the one that <see cref="TryProbe"/> has just named, after it: nothing, unless what passed before seems to pass no more.</summary>
    public int[] Beside()
    {
        if (_phase != Phase.Confirming || !_isSmallOut || _meanwhile > 0)
        {
            return [];
        }

        List<int> sizes = [_probed];
        foreach (ushort rung in Rungs)
        {
            if (rung < _probed)
            {
                sizes.Add(rung);
            }
        }

        return [.. sizes];
    }

    /// <summary>What the kernel takes for the path's MTU; 0 if it knows nothing.</summary>
    public void TakeHint(int size)
    {
        WantsHint = false;
        _hint = Math.Min(size, largest);
        if (_phase == Phase.Searching && IsOpen(_hint) && _hint < _probed)
        {
            // A router told the kernel: that size first, what lies above later.
            _probed = _misses = _silences = 0;
        }
    }

    /// <summary>A probe went.</summary>
    public void OnProbed(TimeSpan now, ulong token, int size) => _sent[_nextSent++ % _sent.Length] = (token, size, now);

    /// <summary>The machine itself can't send that much in one piece.</summary>
    public void OnRefused(TimeSpan now, int size)
    {
        _failed = Math.Min(_failed, size);
        if (_passed >= size)
        {
            FallInto(size);
        }

        _probed = 0;
        _misses = _silences = 0;
        _deadline = now;
    }

    /// <summary>A probe arrived; false if it is none of the last.</summary>
    public bool OnAnswer(TimeSpan now, ulong token)
    {
        int index = _sent.Length - 1;
        while (index >= 0 && (_sent[index].Token != token || _sent[index].Size == 0))
        {
            index--;
        }

        if (index < 0)
        {
            return false;
        }

        int size = _sent[index].Size;
        TimeSpan at = _sent[index].At, took = now - at;
        Shortest = took < Shortest ? took : Shortest;
        _sent[index] = default;
        _wasHeard = true;
        if (size < Smallest)
        {
            _hasSmallCome = true;
            return true;
        }

        if (_phase == Phase.Confirming && size < _probed && at >= _begunAt)
        {
            // It went after the one in doubt and is here before: data does not wait until that one's tries are over.
            _hasSmallCome = true;
            _meanwhile = Math.Max(_meanwhile, size);
        }

        _passed = Math.Max(_passed, size);
        _failed = Math.Max(_failed, size + 1);
        if (size >= _probed && _probed > 0)
        {
            _probed = _misses = _silences = _meanwhile = 0;
            _isDoubted = false;
            _confirmedAt = now;
            _unansweredSince = null;
            _doubts++;
            _phase = _phase == Phase.Confirming ? Phase.Resting : _phase;
        }

        return true;
    }

    private void Begin(TimeSpan now, TimeSpan patience, bool isGood)
    {
        _misses = _silences = 0;
        _probed = _meanwhile = 0;
        _begunAt = now;
        _isDoubted = false;
        _isOdd = false;
        if (now < _searchAt)
        {
            _isDoubted = IsUnanswered(now, patience);
            (_phase, _probed) = (Phase.Confirming, _passed);
            return;
        }

        _limit = isGood ? largest : Math.Min(largest, Math.Max(Ethernet, assumed));
        _phase = Phase.Searching;
        _passed = Math.Min(_passed, _limit);
        _failed = _limit + 1;
        WantsHint = true;
    }

    private void Miss(TimeSpan now)
    {
        if (_isSmallOut && !_hasSmallCome)
        {
            if (++_silences >= MostSilences)
            {
                // Nothing passes, or the peer is too old to answer: what was known stands.
                _failed = Math.Max(_failed, _passed + 1);
                _confirmedAt = now;
                Rest(now, _wasHeard ? RetryAfter : RetryUnheardAfter);
            }

            return;
        }

        WantsHint = true;
        if (++_misses < MostMisses)
        {
            return;
        }

        int size = _probed;
        _probed = _misses = _silences = 0;
        _failed = Math.Min(_failed, size);
        if (_phase == Phase.Confirming)
        {
            FallInto(size);
        }
    }

    /// <summary>What passed before passes no more.</summary>
    private void FallInto(int hole)
    {
        _phase = Phase.Searching;
        (_passed, _failed) = (_meanwhile < hole ? _meanwhile : 0, hole);
        _meanwhile = 0;
        _isDoubted = false;
        _isHole = true;
        WantsHint = true;
    }

    private void Rest(TimeSpan now, TimeSpan until)
    {
        _phase = Phase.Resting;
        _probed = _meanwhile = 0;
        _isHole = _isDoubted = false;
        _searchAt = now + until;
    }

    private TimeSpan ConfirmAt(TimeSpan patience)
    {
        if (_passed == 0)
        {
            return TimeSpan.MaxValue;
        }

        TimeSpan periodic = _lastLarge > _confirmedAt ? _confirmedAt + ConfirmAfter : TimeSpan.MaxValue;
        TimeSpan allowed = _confirmedAt + (ShortestDoubt * (1 << Math.Min(_doubts, 6)));
        TimeSpan doubted = _isOdd ? _lastLarge : _unansweredSince is { } since ? since + patience : TimeSpan.MaxValue;
        return Earlier(periodic, doubted > allowed ? doubted : allowed);
    }

    private bool IsUnanswered(TimeSpan now, TimeSpan patience) => _unansweredSince is { } since && now >= since + patience;

    /// <summary>The next size to try; 0 if nothing is left that would be worth it.</summary>
    private int Candidate()
    {
        if (IsOpen(_hint))
        {
            return _hint;
        }

        if (!_isHole && IsOpen(Ethernet))
        {
            return Ethernet;
        }

        if (IsOpen(assumed))
        {
            return assumed;
        }

        int first = 0;
        while (first < Usual.Length && Usual[first] <= _passed)
        {
            first++;
        }

        int end = first;
        while (end < Usual.Length && Usual[end] < _failed)
        {
            end++;
        }

        return end > first ? Usual[(first + end) / 2]
            : _passed > 0 && _failed - _passed > Resolution ? (_passed + _failed) / 2
            : 0;
    }

    private bool IsOpen(int size) => size >= Smallest && size > _passed && size < _failed;
}
