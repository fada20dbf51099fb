using Brunet.Addressing;
using Brunet.Wire;

namespace Brunet.Links;

/// <summary>
/// Limits what a node answers to questions that came from hop to hop: anybody may have written another's name into them, and most answers are longer. Whoever
/// asks in his own session is sent what he asks for.
/// </summary>
internal sealed class RoutedLimit(NodeAddress self)
{
    /// <summary>More than a node asks of one that it has no link to: it spreads over the ring.</summary>
    private const double PerSource = 16;

    /// <summary>About half a megabyte a second, if all answers are the longest.</summary>
    private const double All = 256;

    private readonly AnswerLimit _limit = new(PerSource, All);

    /// <summary>Whether a question may be answered.</summary>
    /// <param name="now">The time.</param>
    /// <param name="speaker">In whose session it came, or the local node.</param>
    /// <param name="header">Its header, of which nothing is proven.</param>
    public bool Take(TimeSpan now, NodeAddress speaker, in RoutedHeader header) =>
        speaker == header.Source || speaker == self || _limit.Take(now, header.Source);
}
