using System.Runtime.InteropServices;
using Brunet.Addressing;
using Brunet.Sessions;
using Brunet.Wire;

namespace Brunet.Dht;

/// <summary>
/// The records that this node keeps for others. Which of two stands is decided by the records alone, so it does not matter in which
/// order they come. A record that nobody renews goes away, and so does one whose owner's certificate counts no longer: nobody could read it, and it would stand
/// in the way of whoever comes after him. When all places are taken, records give way by justice: first those of bare keys,
/// then the withdrawn, then those of whoever has most here, then those that belong farthest from here.
/// </summary>
/// <param name="self">The local node.</param>
/// <param name="policy">Which records may stand.</param>
/// <param name="counts">Whether an owner's certificate counts still.</param>
internal sealed class RecordStore(NodeAddress self, IRecordPolicy policy, Func<PeerIdentity, bool> counts)
{
    /// <summary>How long a record stays at most without being renewed.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromSeconds(ProtocolConstants.MaxRecordLife);

    /// <summary>A ring of 10,000 nodes with three records each puts about 40 on a node, the unluckiest ten times as many.</summary>
    public const int MaxRecords = 8192;

    /// <summary>Most records of one owner, unless the policy says otherwise.</summary>
    public const int MaxPerOwner = 16;

    /// <summary>Most owners of whom it is remembered that they withdrew one key.</summary>
    private const int MaxWithdrawn = 4;

    [Bounded(nameof(MaxRecords))]
    private readonly Dictionary<RecordKey, Entry> _standing = [];

    /// <summary>A withdrawn record says nothing of the key, only that an earlier word of its owner does not count any more.</summary>
    [Bounded(nameof(MaxRecords))]
    private readonly Dictionary<RecordKey, List<Entry>> _withdrawn = [];

    [Bounded(nameof(MaxRecords))]
    private readonly Dictionary<NodeAddress, int> _perOwner = [];

    /// <summary>A record with its wire form, the place of its first replica, and the way to its owner if that brought it.</summary>
    public sealed record Entry(DhtRecord Record, byte[] Encoded, TimeSpan Expires, NodeAddress Position, NodeAddress OwnerVia)
    {
        /// <summary>The life that is left, for a message.</summary>
        public ushort LifeLeft(TimeSpan now) => (ushort)Math.Clamp((Expires - now).TotalSeconds, 0, ProtocolConstants.MaxRecordLife);
    }

    /// <summary>Records that are kept, the withdrawn ones too.</summary>
    public int Count { get; private set; }

    /// <summary>All of them.</summary>
    public IEnumerable<Entry> Entries
    {
        get
        {
            foreach (Entry entry in _standing.Values)
            {
                yield return entry;
            }

            foreach (List<Entry> entries in _withdrawn.Values)
            {
                foreach (Entry entry in entries)
                {
                    yield return entry;
                }
            }
        }
    }

    /// <summary>What stands for a key; null if nothing does. What the policy does not allow any more, by what the CA signed since, stands no longer.</summary>
    public Entry? Find(TimeSpan now, RecordKey key) =>
        _standing.TryGetValue(key, out Entry? entry) && Lives(now, entry) && policy.IsAllowed(entry.Record) ? entry : null;

    /// <summary>What last withdrew a record for a key; null if nothing did.</summary>
    public Entry? FindWithdrawn(TimeSpan now, RecordKey key) =>
        _withdrawn.TryGetValue(key, out List<Entry>? entries) && Lives(now, entries[^1]) ? entries[^1] : null;

    /// <summary>Puts a verified record in, unless a better one stands; <paramref name="standing"/> is what stands afterwards.</summary>
    /// <param name="now">The time.</param>
    /// <param name="record">The record, verified.</param>
    /// <param name="encoded">Its wire form.</param>
    /// <param name="life">How long it may stay; at most <see cref="Lifetime"/>.</param>
    /// <param name="standing">The record as it is kept, or what speaks against it; null if it was refused.</param>
    /// <param name="ownerVia">A node with a link to the owner, if it is known.</param>
    /// <param name="mayDisplace">Whether it may take the place of another owner's that stands; else the answer is <see cref="ReplyStatus.NotYet"/>.</param>
    public ReplyStatus Put(
        TimeSpan now, DhtRecord record, byte[] encoded, TimeSpan life, out Entry? standing, NodeAddress ownerVia = default, bool mayDisplace = true)
    {
        standing = null;
        if (!policy.IsAllowed(record))
        {
            return ReplyStatus.Refused;
        }

        // The owner's own last word decides first; against others' records only one that has a value speaks.
        Entry? own = OfOwner(now, record);
        Entry? present = record.Value.IsEmpty ? own : Find(now, record.Key);
        Entry? better = own is not null && !RecordOrder.Beats(policy, record, own.Record) ? own
            : present is not null && !RecordOrder.Beats(policy, record, present.Record) ? present : null;
        if (better is not null)
        {
            standing = better;
            return ReplyStatus.Stands;
        }

        if (!mayDisplace && present is not null && present.Record.Owner.Address != record.Owner.Address)
        {
            standing = present;
            return ReplyStatus.NotYet;
        }

        NodeAddress position = (own ?? present)?.Position ?? record.Key.Position();
        bool takesPlace = own is not null || present is not null;
        if ((own is null && CountOf(record) >= policy.MaxPerOwner) || (!takesPlace && Count >= MaxRecords && !MakeRoom(now, record, position)))
        {
            return ReplyStatus.Refused;
        }

        TimeSpan expires = now + (life < Lifetime ? life : Lifetime);
        if (own is not null && own.Expires > expires && RecordOrder.AreSame(own.Record, record))
        {
            // The same once more, from a replica that knows it from before its renewal.
            expires = own.Expires;
        }

        standing = new Entry(record, encoded, expires, position, ownerVia == default && own is not null ? own.OwnerVia : ownerVia);
        if (own is not null)
        {
            Remove(own);
        }

        if (!record.Value.IsEmpty && _standing.TryGetValue(record.Key, out Entry? displaced))
        {
            Remove(displaced);
        }

        Add(standing);
        return ReplyStatus.Stored;
    }

    public void Expire(TimeSpan now)
    {
        List<Entry>? old = null;
        foreach (Entry entry in Entries)
        {
            if (!Lives(now, entry))
            {
                (old ??= []).Add(entry);
            }
        }

        old?.ForEach(Remove);
    }

    private bool Lives(TimeSpan now, Entry entry) => entry.Expires > now && counts(entry.Record.Owner);

    /// <summary>The last word of a record's owner for its key.</summary>
    private Entry? OfOwner(TimeSpan now, DhtRecord record)
    {
        if (_standing.TryGetValue(record.Key, out Entry? standing) && Lives(now, standing) && standing.Record.Owner.Address == record.Owner.Address)
        {
            return standing;
        }

        return _withdrawn.TryGetValue(record.Key, out List<Entry>? withdrawn)
            ? withdrawn.Find(entry => Lives(now, entry) && entry.Record.Owner.Address == record.Owner.Address)
            : null;
    }

    private void Add(Entry entry)
    {
        if (!entry.Record.Value.IsEmpty)
        {
            _standing.Add(entry.Record.Key, entry);
        }
        else
        {
            ref List<Entry>? withdrawn = ref CollectionsMarshal.GetValueRefOrAddDefault(_withdrawn, entry.Record.Key, out _);
            withdrawn ??= [];
            withdrawn.Add(entry);
            if (withdrawn.Count > MaxWithdrawn)
            {
                Uncount(withdrawn[0]);
                withdrawn.RemoveAt(0);
            }
        }

        Count++;
        CollectionsMarshal.GetValueRefOrAddDefault(_perOwner, entry.Record.Owner.Address, out _)++;
    }

    private void Remove(Entry entry)
    {
        if (!entry.Record.Value.IsEmpty)
        {
            _standing.Remove(entry.Record.Key);
        }
        else if (_withdrawn.TryGetValue(entry.Record.Key, out List<Entry>? withdrawn) && withdrawn.Remove(entry) && withdrawn.Count == 0)
        {
            _withdrawn.Remove(entry.Record.Key);
        }

        Uncount(entry);
    }

    private void Uncount(Entry entry)
    {
        Count--;
        ref int count = ref CollectionsMarshal.GetValueRefOrAddDefault(_perOwner, entry.Record.Owner.Address, out _);
        if (--count <= 0)
        {
            _perOwner.Remove(entry.Record.Owner.Address);
        }
    }

    /// <summary>Removes what has expired, else the record with the least claim to its place, if a new one has a better claim.</summary>
    private bool MakeRoom(TimeSpan now, DhtRecord record, NodeAddress position)
    {
        Expire(now);
        if (Count < MaxRecords)
        {
            return true;
        }

        Entry? victim = null;
        Claim least = ClaimOf(record, position, CountOf(record) + 1);
        foreach (Entry entry in Entries)
        {
            Claim claim = ClaimOf(entry.Record, entry.Position, CountOf(entry.Record));
            if (claim.CompareTo(least) < 0)
            {
                (victim, least) = (entry, claim);
            }
        }

        if (victim is null)
        {
            return false;
        }

        Remove(victim);
        return true;
    }

    private int CountOf(DhtRecord record) => _perOwner.GetValueOrDefault(record.Owner.Address);

    private Claim ClaimOf(DhtRecord record, NodeAddress position, int records)
    {
        NodeAddress distance = self.DistanceTo(position);
        for (int replica = 1; replica < ProtocolConstants.Replicas; replica++)
        {
            NodeAddress other = self.DistanceTo(ReplicaPositions.Of(position, replica));
            distance = other < distance ? other : distance;
        }

        return new Claim(record.Owner.Certificate is not null, !record.Value.IsEmpty, records, distance);
    }

    /// <summary>How good a record's claim to its place is; the less gives way first.</summary>
    private readonly record struct Claim(bool IsCertified, bool Stands, int RecordsOfOwner, NodeAddress Distance) : IComparable<Claim>
    {
        public int CompareTo(Claim other) =>
            IsCertified != other.IsCertified ? IsCertified.CompareTo(other.IsCertified)
            : Stands != other.Stands ? Stands.CompareTo(other.Stands)
            : RecordsOfOwner != other.RecordsOfOwner ? other.RecordsOfOwner.CompareTo(RecordsOfOwner)
            : other.Distance.CompareTo(Distance);
    }
}
