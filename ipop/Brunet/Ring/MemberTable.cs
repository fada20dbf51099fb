using Brunet.Addressing;
using Brunet.Links;

namespace Brunet.Ring;

/// <summary>The linked members in the order of the ring, so that whoever stands nearest to a position is found without looking at all of them.</summary>
internal sealed class MemberTable(NodeCore core)
{
    private readonly List<NodeAddress> _addresses = [];
    private readonly List<Peer> _peers = [];
    private int _version = -1;

    /// <summary>The addresses of all, as a list of the caller's own.</summary>
    public List<NodeAddress> Addresses()
    {
        Refresh();
        return [.. _addresses];
    }

    /// <summary>The linked member that stands nearest to a position; null if there is none but those that do not count.</summary>
    /// <param name="position">Where.</param>
    /// <param name="except">One that does not count.</param>
    /// <param name="exceptToo">Another that does not.</param>
    /// <param name="orDoubted">Whether those count whose link has missed a ping.</param>
    public Peer? Nearest(NodeAddress position, NodeAddress except, NodeAddress exceptToo, bool orDoubted = true)
    {
        Refresh();
        int place = PlaceOf(position);
        Peer? after = null;
        Peer? before = null;
        for (int i = 0; i < _peers.Count && (after is null || before is null); i++)
        {
            after ??= Eligible(_peers[(place + i) % _peers.Count], except, exceptToo, orDoubted);
            before ??= Eligible(_peers[(place + _peers.Count - 1 - i) % _peers.Count], except, exceptToo, orDoubted);
        }

        return after is null || before is null || after.Address.DistanceTo(position) <= before.Address.DistanceTo(position) ? after : before;
    }

    /// <summary>A peer is forgotten.</summary>
    public void Forget(Peer peer)
    {
        if (peer.IsListed)
        {
            peer.IsListed = false;
            int place = PlaceOf(peer.Address);
            _addresses.RemoveAt(place);
            _peers.RemoveAt(place);
        }
    }

    /// <summary>What was linked a moment ago may be so no more.</summary>
    private Peer? Eligible(Peer peer, NodeAddress except, NodeAddress exceptToo, bool orDoubted) =>
        peer.Address != except && peer.Address != exceptToo && core.IsMemberPeer(peer) && (orDoubted || peer.Best is { Missed: 0 }) ? peer : null;

    private void Refresh()
    {
        if (_version == core.Ring.Version)
        {
            return;
        }

        _version = core.Ring.Version;
        foreach (Peer peer in core.Peers.Values)
        {
            bool isMember = core.IsMemberPeer(peer);
            if (peer.IsListed && !isMember)
            {
                Forget(peer);
            }
            else if (isMember && !peer.IsListed)
            {
                peer.IsListed = true;
                int place = PlaceOf(peer.Address);
                _addresses.Insert(place, peer.Address);
                _peers.Insert(place, peer);
            }
        }
    }

    /// <summary>The first place whose address is not below this one.</summary>
    private int PlaceOf(NodeAddress address)
    {
        int low = 0;
        for (int high = _addresses.Count; low < high;)
        {
            int middle = (low + high) / 2;
            (low, high) = _addresses[middle] < address ? (middle + 1, high) : (low, middle);
        }

        return low;
    }
}
