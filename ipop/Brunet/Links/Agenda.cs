using System.Runtime.InteropServices;
using static Brunet.Moment;

namespace Brunet.Links;

/// <summary>
/// When the node wants to be woken. What time does to peers is worked out anew for those that something happened to; the other parts
/// say at the end of each tick when they have something to do, and between ticks if that becomes earlier. An idle node sleeps.
/// </summary>
internal sealed class Agenda(NodeCore core)
{
    /// <summary>Between two ticks: what falls due meanwhile is done together.</summary>
    private static readonly TimeSpan Shortest = TimeSpan.FromMilliseconds(50);

    /// <summary>A longer time between two ticks means that the machine slept, so a node that has nothing to do ticks all the same.</summary>
    private static readonly TimeSpan Longest = TimeSpan.FromSeconds(2);

    [Bounded(nameof(NodeCore.Peers), On = typeof(NodeCore))]
    private readonly List<Peer> _stirred = [];

    [Bounded(nameof(NodeCore.Peers), On = typeof(NodeCore))]
    private readonly List<Peer> _due = [];

    private TimeSpan _wake = TimeSpan.MinValue;
    private TimeSpan _ticked;
    private TimeSpan _earliest = TimeSpan.Zero;
    private TimeSpan _latest = TimeSpan.Zero;

    /// <summary>The peers that time matters to in this tick.</summary>
    public ReadOnlySpan<Peer> Due => CollectionsMarshal.AsSpan(_due);

    /// <summary>The peers that something happened to since the node's next tick was last worked out.</summary>
    public ReadOnlySpan<Peer> Stirred => CollectionsMarshal.AsSpan(_stirred);

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

    /// <summary>Something happened to a peer, so what time does to it may come earlier or later.</summary>
    public void Stir(Peer peer)
    {
        if (!peer.IsStirred)
        {
            peer.IsStirred = true;
            _stirred.Add(peer);
        }
    }

    /// <summary>A tick begins: finds the peers that are due.</summary>
    public void Begin(TimeSpan now)
    {
        Settle();
        _due.Clear();
        (_ticked, _wake, _earliest, _latest) = (now, TimeSpan.MaxValue, now + Shortest, now + Longest);
        foreach (Peer peer in core.Peers.Values)
        {
            if (peer.Due <= now)
            {
                _due.Add(peer);
                Stir(peer);
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
        foreach (Peer peer in core.Peers.Values)
        {
            Stir(peer);
        }

        Settle();
        foreach (Peer peer in core.Peers.Values)
        {
            peer.Due = TimeSpan.MinValue;
        }
    }

    /// <summary>No tick is of use before that time.</summary>
    public void Rest(TimeSpan until) => _earliest = _latest = until;

    private void Settle()
    {
        foreach (Peer peer in _stirred)
        {
            peer.IsStirred = false;
            core.Members.Note(peer);
            peer.Due = TimeSpan.MaxValue;
            foreach (IPeerTimed part in core.PeerTimed)
            {
                peer.Due = Earlier(part.NextOf(_ticked, peer), peer.Due);
            }

            Wake(peer.Due);
        }

        _stirred.Clear();
    }
}
