using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Ring;

/// <summary>The linked members in the order of the ring, so that whoever stands nearest to a position is found without looking at all of them.</summary>
internal sealed class MemberTable(LocalNode local, PeerTable peers)
{
    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly List<NodeAddress> _addresses = [];

    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly List<Peer> _peers = [];

    /// <summary>Peers that became members since the last look, or are none any more.</summary>
    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly List<Peer> _changed = [];

    private readonly PerPeer<Kept> _kept = new(peers);

    private int _version = -1;

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            Refresh();
            return _peers.Count;
        }
    }

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

    /// <summary>The nearest on both sides of a position, as <see cref="Neighbourhood.Nearest"/> finds them among any addresses.</summary>
    public List<NodeAddress> Around(NodeAddress position, int perSide)
    {
        Refresh();
        int place = PlaceOf(position);
        int itself = place < _addresses.Count && _addresses[place] == position ? 1 : 0;
        int others = _addresses.Count - itself;
        int after = Math.Min(perSide, others);
        int before = Math.Min(perSide, others - after);
        var result = new List<NodeAddress>(after + before);
        for (int i = 0; i < after; i++)
        {
            result.Add(At(place + itself + i));
        }

        for (int i = 1; i <= before; i++)
        {
            result.Add(At(place - i));
        }

        return result;
    }

    /// <summary>Whether a node is among them.</summary>
    public bool Contains(NodeAddress address)
    {
        Refresh();
        int place = PlaceOf(address);
        return place < _addresses.Count && _addresses[place] == address;
    }

    /// <summary>The members on one side of the local node, from the nearest on to its opposite.</summary>
    public IEnumerable<NodeAddress> Side(bool clockwise)
    {
        Refresh();
        int place = PlaceOf(local.Self);
        for (int i = 0; i < _addresses.Count; i++)
        {
            NodeAddress address = At(clockwise ? place + i : place - 1 - i);
            if (local.Self.ClockwiseTo(address) < address.ClockwiseTo(local.Self) != clockwise)
            {
                yield break;
            }

            yield return address;
        }
    }

    /// <summary>A fit one that follows a place drawn by chance; null if none is fit. What was linked a moment ago may be so no more.</summary>
    public Peer? ByChance(Func<Peer, bool> isFit)
    {
        Refresh();
        int place = local.Random.Next(_peers.Count);
        for (int i = 0; i < _peers.Count; i++)
        {
            Peer peer = _peers[(place + i) % _peers.Count];
            if (peers.IsMember(peer) && isFit(peer))
            {
                return peer;
            }
        }

        return null;
    }

    /// <summary>Something happened to a peer: at the next look it may be a member, or none any more.</summary>
    public void Note(Peer peer)
    {
        if (IsListed(peer) != peers.IsMember(peer))
        {
            _changed.Add(peer);
        }
    }

    /// <summary>A peer is forgotten.</summary>
    public void Forget(Peer peer)
    {
        if (_kept.Find(peer) is { IsListed: true } kept)
        {
            kept.IsListed = false;
            int place = PlaceOf(peer.Address);
            _addresses.RemoveAt(place);
            _peers.RemoveAt(place);
        }
    }

    /// <summary>What was linked a moment ago may be so no more.</summary>
    private Peer? Eligible(Peer peer, NodeAddress except, NodeAddress exceptToo, bool orDoubted) =>
        peer.Address != except && peer.Address != exceptToo && peers.IsMember(peer) && (orDoubted || peer.Best is { Pings.HasMissed: false }) ? peer : null;

    private void Refresh()
    {
        if (_version == peers.Version && _changed.Count == 0)
        {
            return;
        }

        _version = peers.Version;
        foreach (Peer peer in peers.Stirred)
        {
            Update(peer);
        }

        foreach (Peer peer in _changed)
        {
            Update(peer);
        }

        _changed.Clear();
    }

    private void Update(Peer peer)
    {
        bool isMember = peers.IsMember(peer);
        if (IsListed(peer) && !isMember)
        {
            Forget(peer);
        }
        else if (isMember && !IsListed(peer))
        {
            _kept.Of(peer).IsListed = true;
            int place = PlaceOf(peer.Address);
            _addresses.Insert(place, peer.Address);
            _peers.Insert(place, peer);
        }
    }

    private bool IsListed(Peer peer) => _kept.Find(peer) is { IsListed: true };

    private NodeAddress At(int place) => _addresses[(place + _addresses.Count) % _addresses.Count];

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

    private sealed class Kept
    {
        /// <summary>Whether the peer stands in the table.</summary>
        public bool IsListed { get; set; }
    }
}
