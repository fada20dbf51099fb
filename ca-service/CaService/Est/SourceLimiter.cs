using System.Net;

namespace CaService.Est;

/// <summary>A token bucket for each source address, so that one machine can't keep the CA busy.</summary>
/// <remarks>Safe for concurrent use. Forgets full buckets, so it holds only who asked lately, and no more than <see cref="MostSources"/> of them.</remarks>
internal sealed class SourceLimiter(int burst, TimeSpan refillEvery, TimeProvider time)
{
    /// <summary>Sources whose buckets are not full, at most; others wait until one is. A forger of sources gets no memory of ours for them.</summary>
    internal const int MostSources = 4096;

    private const int SweepAbove = 1024;
    private readonly Dictionary<IPAddress, long> _fullAt = [];
    private readonly Lock _lock = new();

    /// <summary>Takes a token.</summary>
    /// <returns>False if the source has none left.</returns>
    public bool TryTake(IPAddress source)
    {
        long step = (long)(refillEvery.TotalSeconds * time.TimestampFrequency);
        long now = time.GetTimestamp();
        lock (_lock)
        {
            // A bucket is kept as the moment at which it is full again; each token moves it by one step (GCRA).
            long full = Math.Max(_fullAt.GetValueOrDefault(source, now), now);
            if (full + step - now > burst * step)
            {
                return false;
            }

            if (_fullAt.Count > SweepAbove)
            {
                Sweep(now);
            }

            if (_fullAt.Count >= MostSources && !_fullAt.ContainsKey(source))
            {
                return false;
            }

            _fullAt[source] = full + step;
            return true;
        }
    }

    private void Sweep(long now)
    {
        foreach ((IPAddress source, long full) in _fullAt)
        {
            if (full <= now)
            {
                _fullAt.Remove(source);
            }
        }
    }
}
