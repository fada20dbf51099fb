using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Handshakes;

/// <summary>
/// Whether whoever called and proved its key becomes a peer, and which peer gives way to it. Keys cost nothing, so those without a certificate get a part of the table,
/// and of that part no source gets more than half. In an open pool nobody has one: there the part is the whole table.
/// </summary>
internal sealed class PeerRoom(LocalNode local, PeerTable peers, Transport transport)
{
    /// <summary>Peers without a certificate, where the pool has certificates.</summary>
    public const int MaxUncertified = SessionTable.MaxPeers / 4;

    /// <summary>What one source may have of the uncertified: one part of so many. Many true machines share the address of a campus.</summary>
    public const int Sources = 2;

    /// <summary>Makes room for who ended a handshake that it began; false if there is none for it, and it was told so.</summary>
    public bool TryMake(TimeSpan now, Session session, in Arrival arrival)
    {
        NodeAddress address = session.Identity!.Address;
        if (session.IsClient || peers.TryGetValue(address, out _))
        {
            return true;
        }

        int most = local.Settings.IsOpen ? SessionTable.MaxPeers : MaxUncertified;
        bool isLimited = local.Settings.IsOpen || session.Identity.Certificate is null;
        if (peers.Count < (isLimited ? most / Sources : SessionTable.MaxPeers))
        {
            return true;
        }

        Dictionary<Arrival, Share> shares = Shares(now);
        Share own = shares.GetValueOrDefault(session.Opening.Source);
        Share largest = own;
        int uncertified = 0;
        foreach (Share share in shares.Values)
        {
            uncertified += share.Count;
            largest = share.GivesWayBefore(largest) ? share : largest;
        }

        bool hasShare = isLimited && own.Count >= most / Sources;
        if (!hasShare && peers.Count < SessionTable.MaxPeers && !(isLimited && uncertified >= most))
        {
            return true;
        }

        local.Refusals.Add(hasShare ? Full.PeersOfSource : Full.Peers);
        if ((hasShare ? own : largest).Least is not { } least)
        {
            // It has the keys already, and shall not wait for us.
            transport.Send(now, new Peer(address, now, peers), session, [(byte)MessageType.Goodbye], arrival);
            return false;
        }

        transport.SendGoodbye(now, least);
        peers.Remove(least);
        return true;
    }

    /// <summary>What each source has of the uncertified.</summary>
    private Dictionary<Arrival, Share> Shares(TimeSpan now)
    {
        var shares = new Dictionary<Arrival, Share>();
        foreach (Peer peer in peers.Values)
        {
            if (peer.Identity is { Certificate: null })
            {
                ref Share share = ref CollectionsMarshal.GetValueRefOrAddDefault(shares, HandshakeSources.Of(peer), out _);
                share.Add(now, peer);
            }
        }

        return shares;
    }

    private struct Share
    {
        public int Count { get; private set; }

        /// <summary>Which of them is needed least; null if all are needed.</summary>
        public Peer? Least { get; private set; }

        private (bool IsUseful, TimeSpan Heard) Need { get; set; }

        public void Add(TimeSpan now, Peer peer)
        {
            Count++;

            // Who says something just now may have brought what asks for room.
            (bool, TimeSpan) need = (peer.Use.IsUseful(now), peer.LastReceived);
            bool isNeeded = peer.Use.IsNear || peer.Use.IsShortcut || peer.Pending is not null || peer.LastReceived >= now;
            if (!isNeeded && (Least is null || need.CompareTo(Need) < 0))
            {
                (Least, Need) = (peer, need);
            }
        }

        /// <summary>Of the largest shares the one gives way whose peer is needed least.</summary>
        public readonly bool GivesWayBefore(in Share other) =>
            Least is not null && (other.Least is null || Count > other.Count || (Count == other.Count && Need.CompareTo(other.Need) < 0));
    }
}
