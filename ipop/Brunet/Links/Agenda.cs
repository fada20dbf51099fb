using System.Runtime.InteropServices;
using Brunet.Sessions;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// When the node wants to be woken. What time does to peers is worked out anew for those that something happened to; the other parts
/// say at the end of each tick when they have something to do, and between ticks if that becomes earlier. An idle node sleeps.
/// </summary>
internal sealed class Agenda(PeerTable peers)
{
    /// <summary>Between two ticks: what falls due meanwhile is done together.</summary>
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(50);

    /// <summary>A longer time between two ticks means that the machine slept, so a node that has nothing to do ticks all the same.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(2);

    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly List<Peer> _due = [];

    /// <summary>The parts that time matters to, in the order of their turns.</summary>
    [Own("the parts of a node")]
    private readonly List<ITimed> _timed = [];

    /// <summary>Parts that keep a timer for each peer.</summary>
    [Own("the parts of a node")]
    private readonly List<IPeerTimed> _peerTimed = [];

    private TimeSpan _wake = TimeSpan.MinValue;
    private TimeSpan _ticked;
    private TimeSpan _earliest = TimeSpan.Zero;
    private TimeSpan _latest = TimeSpan.Zero;

    /// <summary>The peers that time matters to in this tick.</summary>
    public ReadOnlySpan<Peer> Due => CollectionsMarshal.AsSpan(_due);

    /// <summary>Called for each changed peer, before its next time is computed.</summary>
    public Action<Peer>? Settling { get; set; }

    /// <summary>When the next tick is wanted.</summary>
    public TimeSpan Next
    {
        get
        {
            Settle();
            return _wake < _earliest ? _earliest : _wake < _latest ? _wake : _latest;
        }
    }

    /// <summary>A part of the node has something to do then.</summary>
    public void Wake(TimeSpan at) => _wake = Earlier(at, _wake);

    /// <summary>A part of the node has something to do, or shall say when it has.</summary>
    public void WakeSoon() => _wake = TimeSpan.MinValue;

    /// <summary>Notes what time a part wants its turns at; parts have them in the order in which they are noted.</summary>
    public void Add(object part)
    {
        if (part is ITimed timed)
        {
            _timed.Add(timed);
        }

        if (part is IPeerTimed peerTimed)
        {
            _peerTimed.Add(peerTimed);
        }
    }

    /// <summary>Lets time pass for all parts.</summary>
    public void Tick(TimeSpan now)
    {
        Begin(now);
        foreach (ITimed part in _timed)
        {
            part.Tick(now);
        }

        foreach (ITimed part in _timed)
        {
            Wake(part.NextTick);
        }
    }

    /// <summary>Finds the peers that are due.</summary>
    private void Begin(TimeSpan now)
    {
        Settle();
        _due.Clear();
        (_ticked, _wake, _earliest, _latest) = (now, TimeSpan.MaxValue, now + Shortest, now + Longest);
        foreach (Peer peer in peers.Values)
        {
            if (peer.Due <= now)
            {
                _due.Add(peer);
                peers.Stir(peer);
            }
            else
            {
                Wake(peer.Due);
            }
        }
    }

    /// <summary>Lets the next tick look at all peers, as if each were due: a test sees by it whether anybody's time was forgotten.</summary>
    public void Distrust()
    {
        foreach (Peer peer in peers.Values)
        {
            peers.Stir(peer);
        }

        Settle();
        foreach (Peer peer in peers.Values)
        {
            peer.Due = TimeSpan.MinValue;
        }
    }

    /// <summary>No tick is of use before that time.</summary>
    public void Rest(TimeSpan until) => _earliest = _latest = until;

    private void Settle()
    {
        foreach (Peer peer in peers.Stirred)
        {
            Settling?.Invoke(peer);
            peer.Due = TimeSpan.MaxValue;
            foreach (IPeerTimed part in _peerTimed)
            {
                peer.Due = Earlier(part.NextOf(_ticked, peer), peer.Due);
            }

            Wake(peer.Due);
        }

        peers.Settle();
    }
}
