using Brunet.Addressing;

namespace Brunet.Diagnosis;

/// <summary>Token buckets: so many answers a second to one source, and so many to all together.</summary>
internal sealed class AnswerLimit
{
    private const double PerSource = 4, BurstPerSource = 8;
    private const double All = 64, BurstAll = 128;

    /// <summary>Sources that are remembered; while so many are in debt, no other gets an answer.</summary>
    private const int MaxSources = 256;

    /// <summary>In that time every bucket is full again; as often those that owe nothing are forgotten.</summary>
    private static readonly TimeSpan Refill = TimeSpan.FromSeconds(BurstPerSource / PerSource);

    [Bounded(nameof(MaxSources))]
    private readonly Dictionary<NodeAddress, (double Left, TimeSpan At)> _sources = [];

    private double _left = BurstAll;
    private TimeSpan _at;
    private TimeSpan _forgetAt;

    /// <summary>Takes one answer's worth; false if there is none left.</summary>
    public bool Take(TimeSpan now, NodeAddress source)
    {
        double all = Math.Min(BurstAll, _left + ((now - _at).TotalSeconds * All));
        if (now >= _forgetAt)
        {
            _forgetAt = now + Refill;
            Forget(now);
        }

        double own = _sources.TryGetValue(source, out (double Left, TimeSpan At) bucket)
            ? Math.Min(BurstPerSource, bucket.Left + ((now - bucket.At).TotalSeconds * PerSource))
            : BurstPerSource;
        if (all < 1 || own < 1 || (_sources.Count >= MaxSources && !_sources.ContainsKey(source)))
        {
            return false;
        }

        (_left, _at) = (all - 1, now);
        _sources[source] = (own - 1, now);
        return true;
    }

    /// <summary>Forgets the sources whose buckets are full again.</summary>
    private void Forget(TimeSpan now)
    {
        foreach ((NodeAddress source, (double left, TimeSpan at)) in _sources)
        {
            if (left + ((now - at).TotalSeconds * PerSource) >= BurstPerSource)
            {
                _sources.Remove(source);
            }
        }
    }
}
