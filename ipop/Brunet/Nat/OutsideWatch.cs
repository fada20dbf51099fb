using Brunet.Links;
using Brunet.Wire;

namespace Brunet.Nat;

/// <summary>
/// Finds out at once that this machine's NAT has forgotten and maps elsewhere now. Where a peer behind a strict NAT falls silent, neither end
/// reaches the other before the peer is told the new port, and only somebody who answers can tell it: so a few others are asked where they see
/// us while the silence is still looked into.
/// </summary>
internal sealed class OutsideWatch(NodeCore core)
{
    private const int AskedEarly = 2, AskedLate = 16;

    private static readonly TimeSpan EarlyInterval = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan LateInterval = TimeSpan.FromSeconds(1);

    [Bounded(nameof(NodeCore.Peers), On = typeof(NodeCore))]
    private readonly List<(Peer Peer, Path Path)> _best = [];

    [Bounded(nameof(PathKeeper.MaxPaths), On = typeof(PathKeeper))]
    private readonly List<(Peer Peer, Path Path)> _other = [];

    private TimeSpan _nextEarly, _nextLate;

    /// <summary>A conversation fell silent, as most do when they are over: it costs little to ask.</summary>
    public void OnSilence(TimeSpan now, Peer silent)
    {
        if (now >= _nextEarly)
        {
            _nextEarly = now + EarlyInterval;
            Ask(now, silent, AskedEarly);
        }
    }

    /// <summary>A peer that packets go to does not answer.</summary>
    public void OnMiss(TimeSpan now, Peer silent)
    {
        if (now >= _nextLate)
        {
            _nextEarly = _nextLate = now + LateInterval;
            Ask(now, silent, AskedLate);
        }
    }

    /// <summary>
    /// Another outside address was seen: peers that we talk to shall know before they miss us, by way of the witness, for of all our links
    /// that one alone is known to have outlived it.
    /// </summary>
    public void OnMoved(TimeSpan now, Peer witness)
    {
        foreach (Peer peer in core.Peers.Values)
        {
            if (peer.Current is not null && peer != witness && peer.IsBusy(now) && peer.Best is not { Way.IsUdp: false })
            {
                peer.Via = core.IsMemberPeer(witness) ? witness.Address : peer.Via;
                core.Puncher.TellPlace(now, peer);
            }
        }
    }

    /// <summary>Pings some others, best such as have no NAT: a strict one lets nothing in that comes from where its machine never sent to.</summary>
    private void Ask(TimeSpan now, Peer silent, int count)
    {
        foreach (Peer peer in core.Peers.Values)
        {
            if (peer != silent && peer is { PartedAt: null, Best: { IsAlive: true, IsInDoubt: false, Way: { IsUdp: true, Socket: 0 } way } path }
                && !PrivateAddresses.Contains(way.Endpoint))
            {
                (peer.Nat.Mapping == NatMapping.None ? _best : _other).Add((peer, path));
            }
        }

        Take(now, _best, count - Math.Min(1, _other.Count));
        Take(now, _other, count - Math.Min(_best.Count, count - 1));
        _best.Clear();
        _other.Clear();
    }

    private void Take(TimeSpan now, List<(Peer Peer, Path Path)> from, int count)
    {
        for (int i = 0; i < from.Count && i < count; i++)
        {
            int chosen = core.Random.Next(i, from.Count);
            (from[i], from[chosen]) = (from[chosen], from[i]);
            core.Paths.Ping(now, from[i].Peer, from[i].Path);
        }
    }
}
