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
            var store = new RecordStore(new SmallerOwnerWins());
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
        var store = new RecordStore(new SmallerOwnerWins());
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
        var store = new RecordStore(new SmallerOwnerWins());
        store.Put(default, Make(1, 1, 1), [1], Whole, out _);
        store.Put(default, Make(1, 1, 1), [2], TimeSpan.FromSeconds(5), out _);
        Assert.NotNull(store.Find(TimeSpan.FromSeconds(60), Key));
    }

    [Fact]
    public void One_owner_fills_no_replica()
    {
        var store = new RecordStore(new SmallerOwnerWins());
        for (int i = 0; i < 100; i++)
        {
            var key = new RecordKey(RecordKind.HostName, i.ToString(CultureInfo.InvariantCulture));
            store.Put(default, Make(1, 1, 1) with { Key = key }, [1], Whole, out _);
        }

        Assert.Equal(16, store.Count);
    }

    private static DhtRecord Make(uint owner, ulong sequence, byte value) =>
        new(Key, new[] { value }, new PeerIdentity(new(owner, 0), default, null), sequence);
}
