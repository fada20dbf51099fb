namespace Brunet.Links;

/// <summary>
/// What one part of the node keeps with each peer. It is made when the part first writes it and goes with the peer, and no other part
/// can reach it: <typeparamref name="T"/> is a private class of the owner.
/// </summary>
/// <param name="peers">The table; no peer is in it yet.</param>
internal sealed class PerPeer<T>(PeerTable peers)
    where T : class, new()
{
    private readonly int _slot = peers.NewSlot();

    /// <summary>What is kept with a peer, made new if nothing was written yet.</summary>
    public T Of(Peer peer)
    {
        ref object? kept = ref peer.Kept(_slot);
        return (T)(kept ??= new T());
    }

    /// <summary>What is kept with a peer; null if nothing was written yet.</summary>
    public T? Find(Peer peer) => (T?)peer.Kept(_slot);
}
