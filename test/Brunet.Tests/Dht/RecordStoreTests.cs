using System.Globalization;
using Brunet.Dht;
using Brunet.Sessions;
using Testing.Simulation;

namespace Brunet.Tests.Dht;

public sealed class RecordStoreTests
{
    private static readonly TimeSpan Whole = RecordStore.Lifetime;
    private static readonly RecordKey Key = new(RecordKind.Address, "10.128.0.7");

    [Fact]
    public void In_whatever_order_records_come_the_same_one_stands()
    {
        var random = new Random(1);
        DhtRecord[] records = [.. Enumerable.Range(0, 24).Select(i => Make((uint)(i % 6), (ulong)(i % 3), (byte)(i % 4)))];
        DhtRecord? first = null;
        for (int run = 0; run < 200; run++)
        {
            random.Shuffle(records);
            var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
            foreach (DhtRecord record in records)
            {
                store.Put(default, record, [1], Whole, out _);
            }

            DhtRecord standing = store.Find(default, Key)!.Record;
            first ??= standing;
            Assert.Equal((first.Owner.Address, first.Sequence, first.Value.Span[0]), (standing.Owner.Address, standing.Sequence, standing.Value.Span[0]));
        }
    }

    [Fact]
    public void A_record_stays_for_the_life_that_came_with_it_and_never_longer_than_the_limit()
    {
        var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        store.Put(default, Make(1, 1, 1), [1], TimeSpan.FromSeconds(10), out _);
        Assert.NotNull(store.Find(TimeSpan.FromSeconds(9), Key));
        Assert.Null(store.Find(TimeSpan.FromSeconds(10), Key));
        store.Put(default, Make(1, 2, 1), [1], TimeSpan.FromHours(1), out _);
        Assert.Null(store.Find(Whole, Key));
        store.Expire(Whole);
        Assert.Equal(0, store.Count);
    }

    [Fact]
    public void A_copy_that_was_handed_on_shortens_no_life()
    {
        var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        store.Put(default, Make(1, 1, 1), [1], Whole, out _);
        store.Put(default, Make(1, 1, 1), [2], TimeSpan.FromSeconds(5), out _);
        Assert.NotNull(store.Find(TimeSpan.FromSeconds(60), Key));
    }

    [Fact]
    public void One_owner_fills_no_replica()
    {
        var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        for (int i = 0; i < 100; i++)
        {
            var key = new RecordKey(RecordKind.HostName, i.ToString(CultureInfo.InvariantCulture));
            store.Put(default, Make(1, 1, 1) with { Key = key }, [1], Whole, out _);
        }

        Assert.Equal(16, store.Count);
    }

    [Fact]
    public void When_all_places_are_taken_the_records_of_bare_keys_give_way_and_never_a_certified_one_to_a_bare_key()
    {
        var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        Fill(store, RecordStore.MaxRecords, 0, null);
        Assert.Equal(RecordStore.MaxRecords, store.Count);
        Assert.Equal(100, Fill(store, 100, 100_000, Certificate));
        Assert.Equal(RecordStore.MaxRecords, store.Count);
        Assert.Equal(100, store.Entries.Count(entry => entry.Record.Owner.Certificate is not null));
        var full = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        Fill(full, RecordStore.MaxRecords, 0, Certificate);
        Assert.Equal(0, Fill(full, 100, 200_000, null));
    }

    [Fact]
    public void Whoever_has_most_records_gives_way_to_whoever_has_fewer()
    {
        var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        for (int i = 0; i < RecordStore.MaxRecords; i++)
        {
            store.Put(default, Numbered(i, (uint)(i / RecordStore.MaxPerOwner), null), [1], Whole, out _);
        }

        Assert.Equal(100, Fill(store, 100, 100_000, null));
        Assert.Equal(RecordStore.MaxRecords, store.Count);
    }

    [Fact]
    public void An_owner_that_withdraws_takes_back_only_its_own_word()
    {
        var store = new RecordStore(default, new SmallerOwnerWins(), _ => true);
        store.Put(default, Make(1, 1, 1), [1], Whole, out _);
        Assert.Equal(ReplyStatus.Stored, store.Put(default, Withdrawn(2, 5), [2], Whole, out _));
        Assert.Equal(new(1, 0), store.Find(default, Key)!.Record.Owner.Address);
        store.Put(default, Withdrawn(1, 2), [3], Whole, out _);
        Assert.Null(store.Find(default, Key));

        // Neither a copy that somebody still had brings it back, nor does the other's withdrawal make room for one.
        store.Put(default, Withdrawn(2, 6), [4], Whole, out _);
        Assert.Equal(ReplyStatus.Stands, store.Put(default, Make(1, 1, 1), [1], Whole, out _));
        Assert.Null(store.Find(default, Key));
        Assert.Equal(ReplyStatus.Stored, store.Put(default, Make(1, 3, 1), [1], Whole, out _));
    }

    private static readonly MemberCertificate Certificate =
        new(System.Net.IPAddress.Loopback, "host", false, "1", DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch, default, default);

    /// <summary>Puts records of as many owners; returns how many were stored.</summary>
    private static int Fill(RecordStore store, int count, int first, MemberCertificate? certificate)
    {
        int stored = 0;
        for (int i = first; i < first + count; i++)
        {
            stored += store.Put(default, Numbered(i, (uint)i, certificate), [1], Whole, out _) == ReplyStatus.Stored ? 1 : 0;
        }

        return stored;
    }

    private static DhtRecord Numbered(int number, uint owner, MemberCertificate? certificate) => new(
        new RecordKey(RecordKind.HostName, number.ToString(CultureInfo.InvariantCulture)), new byte[] { 1 }, new PeerIdentity(new(owner, 0), default, certificate), 1);

    private static DhtRecord Withdrawn(uint owner, ulong sequence) => Make(owner, sequence, 0) with { Value = default };

    private static DhtRecord Make(uint owner, ulong sequence, byte value) =>
        new(Key, new[] { value }, new PeerIdentity(new(owner, 0), default, null), sequence);
}
