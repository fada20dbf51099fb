using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>
/// The records that this node keeps for others. Which of two stands is decided by the records alone, so it does not matter in which
/// order they come. A record that nobody renews goes away.
/// </summary>
internal sealed class RecordStore(IRecordPolicy policy)
{
    /// <summary>How long a record stays without being renewed.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(ProtocolConstants.MaxRecordLife);

    private const int MaxRecords = 65536;
    private const int MaxPerOwner = 16;

    private readonly Dictionary<RecordKey, Entry> _entries = [];

    /// <summary>A record with its wire form.</summary>
    public sealed record Entry(DhtRecord Record, byte[] Encoded, TimeSpan Expires);

    public int Count => _entries.Count;

    public IEnumerable<Entry> Entries => _entries.Values;

    /// <summary>What stands for a key; null if nothing does. A withdrawn record is nothing.</summary>
    public Entry? Find(TimeSpan now, RecordKey key) =>
        _entries.TryGetValue(key, out Entry? entry) && entry.Expires > now && !entry.Record.Value.IsEmpty ? entry : null;

    /// <summary>Puts a verified record in, unless a better one stands; <paramref name="standing"/> is what stands afterwards.</summary>
    /// <param name="now">The time.</param>
    /// <param name="record">The record, verified.</param>
    /// <param name="encoded">Its wire form.</param>
    /// <param name="life">How long it may stay; at most <see cref="Lifetime"/>.</param>
    /// <param name="standing">What stands afterwards; null if the record was refused.</param>
    public ReplyStatus Put(TimeSpan now, DhtRecord record, byte[] encoded, TimeSpan life, out Entry? standing)
    {
        standing = null;
        if (!policy.IsAllowed(record))
        {
            return ReplyStatus.Refused;
        }

        if (_entries.TryGetValue(record.Key, out Entry? present) && present.Expires > now && !Beats(record, present.Record))
        {
            standing = present;
            return ReplyStatus.Stands;
        }

        if (present is null && (_entries.Count >= MaxRecords || CountOf(record) >= MaxPerOwner))
        {
            return ReplyStatus.Refused;
        }

        TimeSpan expires = now + (life < Lifetime ? life : Lifetime);
        if (present is not null && present.Expires > expires && present.Record.Owner.Address == record.Owner.Address
            && present.Record.Sequence == record.Sequence)
        {
            // The same once more, from a replica that knows it from before its renewal.
            expires = present.Expires;
        }

        standing = new Entry(record, encoded, expires);
        _entries[record.Key] = standing;
        return ReplyStatus.Stored;
    }

    public void Expire(TimeSpan now)
    {
        foreach ((RecordKey key, Entry entry) in _entries)
        {
            if (entry.Expires <= now)
            {
                _entries.Remove(key);
            }
        }
    }

    /// <summary>
    /// Whether a record takes another's place. Of one owner the newer sequence does (of equal ones the greater value); a withdrawn one
    /// yields to anybody.
    /// </summary>
    public bool Beats(DhtRecord challenger, DhtRecord present)
    {
        if (challenger.Owner.Address == present.Owner.Address)
        {
            return challenger.Sequence != present.Sequence
                ? challenger.Sequence > present.Sequence
                : challenger.Value.Span.SequenceCompareTo(present.Value.Span) >= 0;
        }

        return present.Value.IsEmpty || (!challenger.Value.IsEmpty && policy.Compare(challenger, present) < 0);
    }

    private int CountOf(DhtRecord record)
    {
        int count = 0;
        foreach (Entry entry in _entries.Values)
        {
            count += entry.Record.Owner.Address == record.Owner.Address ? 1 : 0;
        }

        return count;
    }
}
