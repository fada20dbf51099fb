using Brunet;
using Brunet.Dht;

namespace Ipop.Dns;

/// <summary>
/// What the DHT said of names a moment ago. Programs ask for A and AAAA at once, and for the same name again and again: they share one
/// lookup, and the second question need not wait.
/// </summary>
internal sealed class NameCache
{
    /// <summary>Names remembered; beyond, every question is a lookup.</summary>
    public const int Capacity = 1024;

    /// <summary>Shorter than the records' life with resolvers (<see cref="DnsReply.PositiveSeconds"/>), which adds to it.</summary>
    private static readonly TimeSpan FoundFor = TimeSpan.FromSeconds(5);

    /// <summary>The machine that is waited for may come any moment.</summary>
    private static readonly TimeSpan MissingFor = TimeSpan.FromSeconds(2);

    private readonly Action<TimeSpan, RecordKey, Action<TimeSpan, NameAnswer>> _lookup;

    [Bounded(nameof(Capacity))]
    private readonly Dictionary<RecordKey, Entry> _entries = [];

    /// <summary>Makes an empty cache.</summary>
    /// <param name="lookup">Asks the DHT.</param>
    public NameCache(Action<TimeSpan, RecordKey, Action<TimeSpan, NameAnswer>> lookup) => _lookup = lookup;

    /// <summary>Finds what a record says, from memory or from the DHT.</summary>
    /// <param name="now">The present.</param>
    /// <param name="key">Of the record.</param>
    /// <param name="mayAsk">Whether the DHT may be asked, or its answer be waited for; else what is not in memory is unknown.</param>
    /// <param name="done">Takes the answer, at once or later.</param>
    public void Find(TimeSpan now, RecordKey key, Func<bool> mayAsk, Action<TimeSpan, NameAnswer> done)
    {
        if (_entries.TryGetValue(key, out Entry? entry) && entry.Waiting is null && now < entry.Until)
        {
            done(now, entry.Answer);
            return;
        }

        if (!mayAsk())
        {
            done(now, new NameAnswer(NameStatus.Unknown, null));
            return;
        }

        if (entry?.Waiting is { } waiting)
        {
            waiting.Add(done);
            return;
        }

        if (entry is null && _entries.Count >= Capacity && !MakeRoom(now))
        {
            _lookup(now, key, done);
            return;
        }

        entry = _entries[key] = new Entry { Waiting = [done] };
        _lookup(now, key, (then, answer) => End(then, key, entry, answer));
    }

    private void End(TimeSpan now, RecordKey key, Entry entry, NameAnswer answer)
    {
        List<Action<TimeSpan, NameAnswer>> waiting = entry.Waiting!;
        entry.Waiting = null;
        entry.Answer = answer;
        entry.Until = now + (answer.Status == NameStatus.Found ? FoundFor : MissingFor);
        if (answer.Status == NameStatus.Unknown)
        {
            _entries.Remove(key);
        }

        foreach (Action<TimeSpan, NameAnswer> done in waiting)
        {
            done(now, answer);
        }
    }

    private bool MakeRoom(TimeSpan now)
    {
        foreach ((RecordKey key, Entry entry) in _entries)
        {
            // Removing is allowed while a dictionary is walked.
            if (entry.Waiting is null && now >= entry.Until)
            {
                _entries.Remove(key);
            }
        }

        return _entries.Count < Capacity;
    }

    private sealed class Entry
    {
        [field: Bounded(nameof(DnsServer.OpenQueries), On = typeof(DnsServer))]
        public List<Action<TimeSpan, NameAnswer>>? Waiting { get; set; }

        public NameAnswer Answer { get; set; }

        public TimeSpan Until { get; set; }
    }
}
