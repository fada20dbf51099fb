using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>Limits how many paths to a peer are kept. A peer can name as many endpoints as it likes.</summary>
internal static class PathRoom
{
    /// <summary>Paths to one peer; beyond it the dead one that was heard least gives way.</summary>
    public const int Most = 24;

    private static readonly TimeSpan HeardKept = TimeSpan.FromSeconds(4);

    /// <summary>The path of a way; a new one is dead yet.</summary>
    public static Path GetOrAdd(TimeSpan now, Peer peer, Arrival way)
    {
        Path? path = peer.FindPath(way);
        if (path is null)
        {
            if (peer.Paths.Count >= Most)
            {
                Path? victim = LeastHeard(peer);
                peer.Paths.RemoveAt(victim is null ? peer.Paths.Count - 1 : peer.Paths.IndexOf(victim));
            }

            path = new Path(way) { DownSince = now };
            peer.Paths.Add(path);
        }

        return path;
    }

    /// <summary>Whether one more way may be tried: not in the place of one that the peer was just heard by and that may win any moment.</summary>
    public static bool IsLeft(TimeSpan now, Peer peer) =>
        peer.Paths.Count < Most || (LeastHeard(peer) is { } victim && (victim.LastReceived == default || now - victim.LastReceived > HeardKept));

    private static Path? LeastHeard(Peer peer)
    {
        Path? least = null;
        foreach (Path path in peer.Paths)
        {
            least = !path.IsAlive && (least is null || path.LastReceived < least.LastReceived) ? path : least;
        }

        return least;
    }
}
