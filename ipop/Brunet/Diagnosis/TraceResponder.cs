using Brunet.Addressing;
using Brunet.Links;
using Brunet.Ring;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Diagnosis;

/// <summary>
/// Answers traces that pass by. An answer is as long as the question, but each hop gives one, and a member may lie about the source: so what goes to
/// one source is limited, and what goes to all.
/// </summary>
internal sealed class TraceResponder(LocalNode local, GreedyRouter router) : IMessageTaker
{
    private readonly AnswerLimit<NodeAddress> _limit = new();

    /// <inheritdoc/>
    public void Register(MessageTable messages) =>
        messages.On(RoutedType.Trace, (now, _, in header, body) => OnTrace(now, header, body, next: null));

    /// <summary>A trace passes, arrives, or ends.</summary>
    /// <param name="now">The present.</param>
    /// <param name="header">Its header, with this node counted among the hops.</param>
    /// <param name="body">Its body.</param>
    /// <param name="next">Whom it goes to; null where it ends.</param>
    public void OnTrace(TimeSpan now, in RoutedHeader header, ReadOnlySpan<byte> body, Peer? next)
    {
        if (!TraceMessage.TryRead(body, out TraceMessage trace) || !_limit.Take(now, header.Source))
        {
            return;
        }

        byte flags = header.Destination == local.Self ? TracedMessage.ArrivedFlag
            : next is null ? TracedMessage.EndedFlag
            : next.Best is { Kind: PathKind.Direct } ? TracedMessage.StraightFlag
            : (byte)0;
        uint roundTrip = next?.Best?.RoundTrip is { } trip ? (uint)Math.Clamp(trip.TotalMicroseconds, 1, uint.MaxValue) : 0;
        Span<byte> answer = stackalloc byte[TracedMessage.Size];
        new TracedMessage(trace.Token, header.Hops, flags, next?.Address ?? default, roundTrip).Write(answer);
        router.Originate(now, exact: true, RoutedType.Traced, header.Source, header.SourceVia, answer);
    }
}
