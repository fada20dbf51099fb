namespace Brunet.Links;

/// <summary>
/// Ways to a peer's other networks that worked, and that neither end keeps. Where both ends have two cards, either network may begin to swallow everything; the
/// other one is then known and need not be asked for over a ring that is cut off, too. A way that sleeps costs nothing: it is pinged when the way in use misses
/// its first ping, and not before.
/// </summary>
internal static class SleepingPaths
{
    /// <summary>Of one peer: two cards have two addresses each, of which one is in use.</summary>
    public const int Most = 3;

    /// <summary>Lets a path sleep that would be forgotten; false if it is to be forgotten all the same.</summary>
    public static bool Take(Peer peer, Path path)
    {
        if (peer.Best is null || path is not { RoundTrip: not null, Way: { Kind: PathKind.Direct, IsUdp: true, Socket: 0 } })
        {
            return false;
        }

        int asleep = 0;
        foreach (Path other in peer.Paths)
        {
            if (other != path && (other.IsAlive || other.IsAsleep))
            {
                if (other.Kind == PathKind.Direct && other.Way.Endpoint.IsSameSource(path.Way.Endpoint))
                {
                    return false;
                }

                asleep += other.IsAsleep ? 1 : 0;
            }
        }

        if (asleep >= Most)
        {
            return false;
        }

        path.Sleep();
        return true;
    }
}
