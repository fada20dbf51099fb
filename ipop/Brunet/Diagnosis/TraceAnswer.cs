using Brunet.Addressing;

namespace Brunet.Diagnosis;

/// <summary>The way of a packet over the ring, as far as it answered.</summary>
/// <param name="HasArrived">Whether the destination itself answered.</param>
/// <param name="Hops">Who answered, in the order of the way; a hop that kept silent is missing.</param>
public sealed record TraceAnswer(bool HasArrived, IReadOnlyList<TraceHop> Hops);

/// <summary>One node on the way.</summary>
/// <param name="Number">Its place: 1 is the node that the asker hands the packet to.</param>
/// <param name="Node">Its ring address, as it says itself.</param>
/// <param name="Elapsed">From the question to this node's answer.</param>
/// <param name="Next">Whom it hands the packet to; null at the end.</param>
/// <param name="IsNextStraight">Whether it reaches that one straight, not over a relay.</param>
/// <param name="NextRoundTrip">Its round trip to that one; null if it knows none.</param>
/// <param name="End">Whether the way ends here.</param>
public sealed record TraceHop(
    int Number, NodeAddress Node, TimeSpan Elapsed, NodeAddress? Next, bool IsNextStraight, TimeSpan? NextRoundTrip, TraceEnd End);

/// <summary>How a way ends at a hop.</summary>
public enum TraceEnd
{
    /// <summary>It goes on.</summary>
    None,

    /// <summary>The hop is the destination.</summary>
    Arrived,

    /// <summary>The hop knows nobody nearer to the destination, which therefore is not on the ring.</summary>
    NobodyNearer,
}
