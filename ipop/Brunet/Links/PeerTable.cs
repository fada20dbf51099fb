using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Sessions;

namespace Brunet.Links;

/// <summary>The nodes that we talk to.</summary>
internal sealed class PeerTable(LocalNode local, SessionTable sessions)
{
    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly Dictionary<NodeAddress, Peer> _peers = [];

    [Bounded(nameof(_peers))]
    private readonly List<Peer> _stirred = [];

    /// <summary>Hears of each peer that is forgotten.</summary>
    public Action<Peer>? Removed { get; set; }

    /// <summary>Hears that a link came or went.</summary>
    public Action? LinksChanged { get; set; }

    /// <summary>Grows whenever a link came or went.</summary>
    public int Version { get; private set; }

    /// <summary>The peers that something happened to since the node's next tick was last worked out.</summary>
    public ReadOnlySpan<Peer> Stirred => CollectionsMarshal.AsSpan(_stirred);

    public int Count => _peers.Count;

    /// <summary>How many parts keep something of their own with each peer.</summary>
    public int Slots { get; private set; }

    public Dictionary<NodeAddress, Peer>.KeyCollection Keys => _peers.Keys;

    public Dictionary<NodeAddress, Peer>.ValueCollection Values => _peers.Values;

    /// <summary>A peer that is known.</summary>
    public Peer this[NodeAddress address] => _peers[address];

    public bool TryGetValue(NodeAddress address, [MaybeNullWhen(false)] out Peer peer) => _peers.TryGetValue(address, out peer);

    public Peer? GetValueOrDefault(NodeAddress address) => _peers.GetValueOrDefault(address);

    /// <summary>Whether an address is this node's own.</summary>
    public bool IsSelf(NodeAddress address) => address == local.Self;

    /// <summary>A peer that there is a session with, to which something is about to be sent.</summary>
    public bool TryReach(NodeAddress address, [MaybeNullWhen(false)] out Peer peer)
    {
        if (!_peers.TryGetValue(address, out peer) || !peer.HasSession)
        {
            return false;
        }

        Stir(peer);
        return true;
    }

    /// <summary>Whether a connected peer may store, route and relay.</summary>
    public bool IsMember(Peer peer) => peer.IsConnected && IsEntitled(peer);

    /// <summary>Whether a peer would be a member if it were connected.</summary>
    public bool IsEntitled(Peer peer) => local.IsEntitled(peer.Identity);

    /// <summary>A place for what a part keeps with each peer; parts ask before there is any.</summary>
    public int NewSlot() => _peers.Count == 0 ? Slots++ : throw new InvalidOperationException("A part asks for its place when peers are there already.");

    public Peer GetOrAdd(TimeSpan now, NodeAddress address)
    {
        if (_peers.TryGetValue(address, out Peer? peer) && peer is { PartedAt: not null, Pending: null })
        {
            // Goodbye was said; this is the beginning of something new.
            Remove(peer);
            peer = null;
        }

        if (peer is null)
        {
            peer = new Peer(address, now, this);
            _peers.Add(address, peer);
        }

        Stir(peer);
        return peer;
    }

    /// <summary>Something happened to a peer, so what time does to it may come earlier or later.</summary>
    public void Stir(Peer peer)
    {
        if (!peer.IsStirred)
        {
            peer.IsStirred = true;
            _stirred.Add(peer);
        }
    }

    /// <summary>What happened to the stirred was looked at.</summary>
    public void Settle()
    {
        foreach (Peer peer in _stirred)
        {
            peer.IsStirred = false;
        }

        _stirred.Clear();
    }

    /// <summary>A link came or went.</summary>
    public void Touch()
    {
        Version++;
        LinksChanged?.Invoke();
    }

    /// <summary>Goodbye was said. For a moment what is on its way from the peer is still taken, and what it wants handed on: its goodbyes to others.</summary>
    public void Part(TimeSpan now, Peer peer)
    {
        ForgetHandshakes(peer);
        peer.PartedAt = now;
        Touch();
    }

    /// <summary>Forgets a peer with everything that belongs to it.</summary>
    public void Remove(Peer peer)
    {
        if (_peers.TryGetValue(peer.Address, out Peer? present) && present == peer)
        {
            _peers.Remove(peer.Address);
            local.Losses.Unsent += peer.Waiting.Count;
        }

        Removed?.Invoke(peer);
        ForgetSessions(peer);
        Touch();
    }

    /// <summary>Forgets a peer's sessions and handshakes, not the peer.</summary>
    public void ForgetSessions(Peer peer)
    {
        Stir(peer);
        ForgetHandshakes(peer);
        sessions.Forget(peer.Current);
        peer.Older.ForEach(sessions.Forget);
        peer.Older.Clear();
        peer.Current = null;
    }

    private void ForgetHandshakes(Peer peer)
    {
        sessions.Forget(peer.Pending);
        sessions.Forget(peer.Next);
        peer.Pending = peer.Next = null;
    }
}
