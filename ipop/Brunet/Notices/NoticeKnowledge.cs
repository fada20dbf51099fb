using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;

namespace Brunet.Notices;

/// <summary>
/// The highest number of each kind that a peer said to have, and in which session: a machine that begins another may have been set back to before.
/// </summary>
internal sealed class NoticeKnowledge(PeerTable peers)
{
    [Bounded(nameof(SessionTable.MaxPeers), On = typeof(SessionTable))]
    private readonly Dictionary<(byte Kind, NodeAddress Peer), (ulong Number, uint Session)> _known = [];

    /// <summary>A peer said that it has a notice.</summary>
    public void Add(NodeAddress peer, byte kind, ulong number)
    {
        if (kind is >= 1 and <= Notice.MaxKind && peers.TryGetValue(peer, out Peer? present))
        {
            ref (ulong Number, uint Session) known = ref CollectionsMarshal.GetValueRefOrAddDefault(_known, (kind, peer), out _);
            known = (known.Session == SessionOf(present) ? Math.Max(known.Number, number) : number, SessionOf(present));
        }
    }

    /// <summary>Whether a peer has a notice of that number, or a newer one.</summary>
    public bool Has(NodeAddress peer, byte kind, ulong number) =>
        _known.TryGetValue((kind, peer), out (ulong Number, uint Session) known) && known.Number >= number
        && peers.TryGetValue(peer, out Peer? present) && SessionOf(present) == known.Session;

    public void Forget(NodeAddress peer)
    {
        for (byte kind = 1; kind <= Notice.MaxKind; kind++)
        {
            _known.Remove((kind, peer));
        }
    }

    /// <summary>Nobody is known to have a notice of that kind: what counted was signed by a key that is believed no more.</summary>
    public void Forget(byte kind)
    {
        foreach ((byte Kind, NodeAddress Peer) known in _known.Keys.Where(known => known.Kind == kind).ToList())
        {
            _known.Remove(known);
        }
    }

    /// <summary>What a peer's session is known by; 0 if it has none. The session itself would be kept with its keys long after it has ended.</summary>
    private static uint SessionOf(Peer peer) => peer.Current?.LocalIndex ?? 0;
}
