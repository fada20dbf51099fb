using Brunet.Addressing;
using Brunet.Links;

namespace Brunet.Diagnosis;

/// <summary>One way to a peer that does not go over the ring, for people.</summary>
/// <param name="Kind">Straight or over a relay.</param>
/// <param name="Endpoint">Where, if straight.</param>
/// <param name="Relay">Over which node, if over a relay.</param>
/// <param name="IsUsed">Whether packets go this way now.</param>
/// <param name="IsAlive">Whether it worked both ways not long ago.</param>
/// <param name="RoundTrip">Smoothed; null if no ping came back yet.</param>
/// <param name="Loss">Share of the last pings that were not answered, 0 to 1; null while there is none to judge by.</param>
/// <param name="SinceHeard">Since something last came by it; null if nothing ever did.</param>
public sealed record PathStatus(
    PathKind Kind, TransportAddress? Endpoint, NodeAddress? Relay, bool IsUsed, bool IsAlive, TimeSpan? RoundTrip, double? Loss, TimeSpan? SinceHeard)
{
    /// <summary>All paths to a peer; the one in use first.</summary>
    internal static List<PathStatus> Of(TimeSpan now, Peer peer)
    {
        var result = new List<PathStatus>(peer.Paths.Count);
        foreach (Path path in peer.Paths)
        {
            var status = new PathStatus(
                path.Kind,
                path.Kind == PathKind.Direct ? path.Way.Endpoint : null,
                path.Kind == PathKind.Relay ? path.Way.Via : null,
                path == peer.Best,
                path.IsAlive,
                path.RoundTrip,
                path.Pings.Loss(now),
                path.LastReceived == default ? null : now - path.LastReceived);
            result.Insert(path == peer.Best ? 0 : result.Count, status);
        }

        return result;
    }
}
