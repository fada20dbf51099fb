namespace Brunet.Links;

/// <summary>Token buckets: so many answers a second to one source, and so many to all together. Both gather twice as many as they get in a second.</summary>
/// <typeparam name="TSource">What a source is known by.</typeparam>
/// <param name="perSource">Answers a second to one.</param>
/// <param name="all">To all.</param>
internal sealed class AnswerLimit<TSource>(double perSource = 4, double all = 64)
    where TSource : struct, IEquatable<TSource>
{
    /// <summary>How many seconds' worth a bucket holds.</summary>
    private const double Burst = 2;

    /// <summary>Sources that are remembered; while so many are in debt, no other gets an answer.</summary>
    private const int MaxSources = 256;

    /// <summary>In that time every bucket is full again; as often those that owe nothing are forgotten.</summary>
    private static readonly TimeSpan Refill = TimeSpan.FromSeconds(Burst);

    [Bounded(nameof(MaxSources))]
    private readonly Dictionary<TSource, (double Left, TimeSpan At)> _sources = [];

    private double _left = Burst * all;
    private TimeSpan _at;
    private TimeSpan _forgetAt;

    /// <summary>Takes one answer's worth; false if there is none left.</summary>
    /// <param name="now">The time.</param>
    /// <param name="source">For whom.</param>
    /// <param name="kept">Answers to all that are kept for others, 0 to twice as many as there are in a second.</param>
    public bool Take(TimeSpan now, TSource source, double kept = 0)
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
        if (left < 1 + kept || own < 1 || (_sources.Count >= MaxSources && !_sources.ContainsKey(source)))
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
        foreach ((TSource source, (double left, TimeSpan at)) in _sources)
        {
            if (left + ((now - at).TotalSeconds * perSource) >= Burst * perSource)
            {
                _sources.Remove(source);
            }
        }
    }
}
