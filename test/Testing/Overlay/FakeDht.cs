using Brunet;
using Brunet.Dht;

namespace Testing.Overlay;

/// <summary>
/// A DHT in memory that never loses anything. It applies the policy as every replica does, and can be slow (answers wait for
/// <see cref="Run"/>) or silent (operations time out).
/// </summary>
public sealed class FakeDht(IRecordPolicy policy)
{
    private readonly Queue<Action<TimeSpan>> _waiting = [];

    /// <summary>What stands.</summary>
    public Dictionary<RecordKey, DhtRecord> Records { get; } = [];

    /// <summary>Whether answers wait for <see cref="Run"/>.</summary>
    public bool IsSlow { get; set; }

    /// <summary>Whether everything times out.</summary>
    public bool IsSilent { get; set; }

    /// <summary>How many lookups were made.</summary>
    public int Lookups { get; private set; }

    /// <summary>How many creates were made.</summary>
    public int Creates { get; private set; }

    /// <summary>Gives the answers that wait, and those that they cause, but not more than <paramref name="most"/>.</summary>
    public void Run(TimeSpan now, int most = int.MaxValue)
    {
        for (int given = 0; given < most && _waiting.TryDequeue(out Action<TimeSpan>? answer); given++)
        {
            answer(now);
        }
    }

    /// <summary>Puts a record as its owner would; false if a better one stands or it is not allowed.</summary>
    public bool Put(DhtRecord record)
    {
        if (!policy.IsAllowed(record))
        {
            return false;
        }

        if (Records.TryGetValue(record.Key, out DhtRecord? standing) && standing.Owner.Address != record.Owner.Address
            && policy.IsAllowed(standing) && policy.Compare(standing, record) < 0)
        {
            return false;
        }

        Records[record.Key] = record;
        return true;
    }

    internal void Lookup(TimeSpan now, RecordKey key, Action<TimeSpan, DhtAnswer> done)
    {
        Lookups++;
        Answer(now, () => true, done, () => Records.TryGetValue(key, out DhtRecord? record) && policy.IsAllowed(record)
            ? new DhtAnswer(DhtStatus.Done, record)
            : new DhtAnswer(DhtStatus.NotFound, null));
    }

    internal void Create(TimeSpan now, DhtRecord record, Func<bool> isWanted, Action<TimeSpan, DhtAnswer> done)
    {
        Creates++;

        // The replicas have it before its owner knows, and a better one may come meanwhile.
        bool isStored = !IsSilent && Put(record);
        Answer(now, isWanted, done, () => Records.GetValueOrDefault(record.Key) is var standing && isStored && ReferenceEquals(standing, record)
            ? new DhtAnswer(DhtStatus.Done, record)
            : new DhtAnswer(DhtStatus.Lost, standing));
    }

    private void Answer(TimeSpan now, Func<bool> isWanted, Action<TimeSpan, DhtAnswer> done, Func<DhtAnswer> operation)
    {
        void End(TimeSpan then)
        {
            if (isWanted())
            {
                done(then, IsSilent ? new DhtAnswer(DhtStatus.TimedOut, null) : operation());
            }
        }

        if (IsSlow)
        {
            _waiting.Enqueue(End);
        }
        else
        {
            End(now);
        }
    }
}
