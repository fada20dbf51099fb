using Brunet.Addressing;

namespace Brunet.Links;

/// <summary>Token buckets: so many answers a second to one source, and so many to all together. Both gather twice as many as they get in a second.</summary>
/// <param name="perSource">Answers a second to one.</param>
/// <param name="all">To all.</param>
internal sealed class AnswerLimit(double perSource = 4, double all = 64)
{
    /// <summary>How many seconds' worth a bucket holds.</summary>
    private const double Burst = 2;

    /// <summary>Sources that are remembered; while so many are in debt, no other gets an answer.</summary>
    private const int MaxSources = 256;

    /// <summary>In that time every bucket is full again; as often those that owe nothing are forgotten.</summary>
    private static readonly TimeSpan Refill = TimeSpan.FromSeconds(Burst);

    [Bounded(nameof(MaxSources))]
    private readonly Dictionary<NodeAddress, (double Left, TimeSpan At)> _sources = [];

    private double _left = Burst * all;
    private TimeSpan _at;
    private TimeSpan _forgetAt;

    /// <summary>Takes one answer's worth; false if there is none left.</summary>
    public bool Take(TimeSpan now, NodeAddress source)
    {
        double left = Math.Min(Burst * all, _left + ((now - _at).TotalSeconds * all));
        if (now >= _forgetAt || (_sources.Count >= MaxSources && !_sources.ContainsKey(source)))
        {
            _forgetAt = now + Refill;
            Forget(now);
        }

        double own = _sources.TryGetValue(source, out (double Left, TimeSpan At) bucket)
            ? Math.Min(Burst * perSource, bucket.Left + ((now - bucket.At).TotalSeconds * perSource))
            : Burst * perSource;
        if (left < 1 || own < 1 || (_sources.Count >= MaxSources && !_sources.ContainsKey(source)))
        {
            return false;
        }

        (_left, _at) = (left - 1, now);
        _sources[source] = (own - 1, now);
        return true;
    }

    /// <summary>Forgets the sources whose buckets are full again.</summary>
    private void Forget(TimeSpan now)
    {
        foreach ((NodeAddress source, (double left, TimeSpan at)) in _sources)
        {
            if (left + ((now - at).TotalSeconds * perSource) >= Burst * perSource)
            {
                _sources.Remove(source);
            }
        }
    }
}
