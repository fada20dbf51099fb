using Brunet.Addressing;

namespace Brunet.Nat;

/// <summary>
/// Whether a move is one. A peer that sees us elsewhere than before is believed at once: what our NAT forgot for one it forgot for all. But
/// who is asked after that and sees us where he did before speaks against it. Once hosts that do are as many as those that saw a move, what
/// was seen before counts again. A host whose move nobody of another host confirms is believed again only after a pause, which doubles.
/// </summary>
internal sealed class MoveTrial
{
    private const int MostDoubted = 32;

    /// <summary>Everybody is pinged at a move, and has answered by then, though the first ping or answer was lost.</summary>
    private static readonly TimeSpan Length = TimeSpan.FromSeconds(4);

    private static readonly TimeSpan Unconfirmed = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Refuted = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan Longest = TimeSpan.FromMinutes(10);

    /// <summary>What peers said before the move.</summary>
    private readonly ReflectedWords _before = new();

    /// <summary>Hosts that see us elsewhere now.</summary>
    [Bounded(nameof(ReflectedWords.Most), On = typeof(ReflectedWords))]
    private readonly HashSet<TransportAddress> _for = [];

    /// <summary>Hosts that see us where they did, as far as they would see that we moved.</summary>
    [Bounded(nameof(ReflectedWords.Most), On = typeof(ReflectedWords))]
    private readonly HashSet<TransportAddress> _against = [];

    /// <summary>Hosts that saw moves alone: until when they are not believed, and for how long that is.</summary>
    [Bounded(nameof(MostDoubted))]
    private readonly Dictionary<TransportAddress, (TimeSpan Until, TimeSpan Pause)> _doubted = [];

    private TimeSpan _begun;
    private TransportAddress _at;

    /// <summary>Whether a peer is believed that sees us elsewhere than before.</summary>
    public bool IsBelieved(TimeSpan now, TransportAddress at) => !_doubted.TryGetValue(at.Source, out (TimeSpan Until, TimeSpan) doubt) || now >= doubt.Until;

    /// <summary>A peer that is believed sees us elsewhere: what all said before is put aside.</summary>
    public void Begin(TimeSpan now, TransportAddress at, ReflectedWords words)
    {
        if (!IsUnderWay(now))
        {
            End();
            (_begun, _at) = (now, at);
        }

        if (_for.Count < ReflectedWords.Most)
        {
            _for.Add(at.Source);
        }

        Doubt(now, at.Source, Unconfirmed);
        _before.PutAll(words);
        words.Clear();
    }

    /// <summary>A peer says where it sees us, for the first time since the move; true if the move is refuted by that, and what was put aside counts again.</summary>
    /// <param name="now">The present.</param>
    /// <param name="who">The peer, and where it was spoken to.</param>
    /// <param name="observed">Where it sees us.</param>
    /// <param name="asked">When the ping was sent that it answers: what it saw before the move speaks for nothing.</param>
    /// <param name="words">What was said since the move.</param>
    public bool Hear(TimeSpan now, (NodeAddress Witness, TransportAddress At) who, TransportAddress observed, TimeSpan asked, ReflectedWords words)
    {
        if (!IsUnderWay(now) || _before.Find(who.Witness, who.At) is not { } former || !IsLike(who.At))
        {
            return false;
        }

        TransportAddress host = who.At.Source;
        if (former != observed)
        {
            OnConfirmed(host);
        }
        else if (asked >= _begun && !_for.Contains(host) && (PrivateAddresses.Contains(who.At) || !PrivateAddresses.Contains(observed)))
        {
            _against.Add(host);
        }

        if (_against.Count < _for.Count(IsLike))
        {
            return false;
        }

        foreach (TransportAddress mover in _for)
        {
            Doubt(now, mover, Refuted);
        }

        _before.PutAll(words);
        words.Clear();
        words.PutAll(_before);
        End();
        return true;
    }

    public void Clear()
    {
        End();
        _doubted.Clear();
    }

    private bool IsUnderWay(TimeSpan now) => _for.Count > 0 && now - _begun < Length;

    /// <summary>Whether who is spoken to at an endpoint sees what the first who saw a move does: a NAT moves for one version of IP, and on its outside.</summary>
    private bool IsLike(TransportAddress at) => at.IsIPv4 == _at.IsIPv4 && PrivateAddresses.Contains(at) == PrivateAddresses.Contains(_at);

    private void OnConfirmed(TransportAddress host)
    {
        if (_for.Count < ReflectedWords.Most && _for.Add(host))
        {
            foreach (TransportAddress mover in _for)
            {
                _doubted.Remove(mover);
            }
        }
    }

    private void Doubt(TimeSpan now, TransportAddress host, TimeSpan least)
    {
        TimeSpan pause = _doubted.TryGetValue(host, out (TimeSpan Until, TimeSpan Pause) before) && now < before.Until + Longest ? 2 * before.Pause : least;
        pause = pause < least ? least : pause < Longest ? pause : Longest;
        if (_doubted.Count == MostDoubted && !_doubted.ContainsKey(host))
        {
            _doubted.Remove(_doubted.MinBy(one => one.Value.Until).Key);
        }

        _doubted[host] = (now + pause, pause);
    }

    private void End()
    {
        _before.Clear();
        _for.Clear();
        _against.Clear();
    }
}
