using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>
/// Limits what a node answers to questions that came from hop to hop: anybody may have written another's name into them, and most answers are longer. Whoever
/// asks in his own session is sent what he asks for. The others' answers are shared by those who handed the questions on, for that alone is proven: so a flood
/// takes none from whom it borrows the name of, nor from those whose questions come by another peer.
/// </summary>
internal sealed class RoutedLimit(NodeAddress self, PeerTable peers)
{
    /// <summary>More than a node asks of one that it has no link to: it spreads over the ring.</summary>
    private const double PerSource = 16;

    /// <summary>About half a megabyte a second, if all answers are the longest.</summary>
    private const double All = 256;

    /// <summary>What is kept for each who hands questions on, while others hand on all that they can.</summary>
    private const double Share = All / 8;

    private readonly AnswerLimit<(NodeAddress Speaker, NodeAddress Source)> _limit = new(PerSource, All);
    private readonly AnswerLimit<NodeAddress> _shares = new(Share, all: SessionTable.MaxPeers * Share);

    /// <summary>Whether a question may be answered.</summary>
    /// <param name="now">The time.</param>
    /// <param name="speaker">In whose session it came, or the local node.</param>
    /// <param name="header">Its header, of which nothing is proven.</param>
    public bool Take(TimeSpan now, NodeAddress speaker, in RoutedHeader header)
    {
        if (speaker == header.Source || speaker == self)
        {
            return true;
        }

        // Members alone hand on. Whoever has the pool's secret makes as many other peers as he likes: they have one share together.
        NodeAddress handedOnBy = peers.TryGetValue(speaker, out Peer? peer) && peers.IsEntitled(peer) ? speaker : default;
        return _limit.Take(now, (handedOnBy, header.Source), kept: _shares.Take(now, handedOnBy) ? 0 : All);
    }
}
