using Brunet.Addressing;
using Brunet.Links;

namespace Brunet.Handshakes;

/// <summary>
/// Who answers for what comes. Whoever has the pool's secret makes as many keys as he likes, and wraps his frames in messages of nodes that he made; addresses he has few.
/// So a share is one address's, with what its nodes bring as relays, or one member's through whose link the ring leads here.
/// </summary>
internal sealed class HandshakeSources(PeerTable peers, MessageTable messages)
{
    /// <summary>The source of a frame that is being looked at.</summary>
    public Arrival Of(in Arrival arrival) => arrival.Kind switch
    {
        PathKind.Direct => arrival.Source,
        PathKind.Relay => OfBringer(arrival.Via),
        _ => peers.TryGetValue(messages.Speaker, out Peer? speaker) && !peers.IsEntitled(speaker) ? Of(speaker) : Arrival.Ring(messages.Speaker),
    };

    /// <summary>The source of a peer: where it is reached straight, else who brought it.</summary>
    public static Arrival Of(Peer peer) =>
        peer.Best is { Kind: PathKind.Direct } best ? best.Way.Source : peer.Current?.Opening.Source ?? Arrival.Relay(peer.Address);

    private Arrival OfBringer(NodeAddress bringer) => peers.TryGetValue(bringer, out Peer? peer) ? Of(peer) : Arrival.Relay(bringer);
}
