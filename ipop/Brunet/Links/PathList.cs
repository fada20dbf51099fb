using System.Collections;
using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>
/// The paths to one peer. A peer can name as many endpoints as it likes, so only so many are kept. Everybody may look;
/// <see cref="PathKeeper"/> alone adds and removes.
/// </summary>
internal sealed class PathList : IEnumerable<Path>
{
    /// <summary>Paths to one peer; beyond it the dead one that was heard least gives way.</summary>
    public const int Most = 24;

    private static readonly TimeSpan HeardKept = TimeSpan.FromSeconds(4);

    [Bounded(nameof(Most))]
    private readonly List<Path> _paths = [];

    /// <summary>When they are compared closely.</summary>
    public PathComparison Comparison { get; } = new();

    public int Count => _paths.Count;

    public Path this[int index] => _paths[index];

    /// <summary>The path of a way; null if there is none.</summary>
    public Path? Find(in Arrival way)
    {
        foreach (Path path in _paths)
        {
            if (path.Way.Is(way))
            {
                return path;
            }
        }

        return null;
    }

    /// <summary>The path of a way; a new one is dead yet.</summary>
    public Path GetOrAdd(TimeSpan now, Arrival way)
    {
        Path? path = Find(way);
        if (path is null)
        {
            if (_paths.Count >= Most)
            {
                _paths.Remove(LeastHeard() ?? _paths[^1]);
            }

            path = new Path(way, now);
            _paths.Add(path);
        }

        return path;
    }

    /// <summary>Whether one more way may be tried: not in the place of one that the peer was just heard by and that may win any moment.</summary>
    public bool HasRoom(TimeSpan now) =>
        _paths.Count < Most || (LeastHeard() is { } victim && (victim.LastReceived == default || now - victim.LastReceived > HeardKept));

    /// <summary>Forgets a path.</summary>
    public void Remove(Path path) => _paths.Remove(path);

    public List<Path>.Enumerator GetEnumerator() => _paths.GetEnumerator();

    IEnumerator<Path> IEnumerable<Path>.GetEnumerator() => _paths.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => _paths.GetEnumerator();

    private Path? LeastHeard()
    {
        Path? least = null;
        foreach (Path path in _paths)
        {
            least = !path.IsAlive && (least is null || path.LastReceived < least.LastReceived) ? path : least;
        }

        return least;
    }
}
