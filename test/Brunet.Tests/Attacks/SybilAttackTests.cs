using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>
/// Sybil placement: nodes of one hand that stand nearest to a key. To stand near all four of its replicas takes four places evenly spread over the ring.
/// </summary>
public sealed class SybilAttackTests(ITestOutputHelper output)
{
    private const int Honest = 18;
    private const int Evil = 8;
    private const int Tried = 8;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly HashSet<NodeAddress> _evil = [];

    [Fact]
    public void Sybils_nearest_to_one_replica_of_a_key_keep_nobody_from_taking_it_and_nobody_from_finding_him()
    {
        SimulatedNetwork world = new(seed: 71);
        AddHonest(world);
        AddEvil(world);
        foreach (RecordKey key in Keys(world, sybils: 1).Take(Tried))
        {
            // A Sybil with less claim names itself where it can; it must not get the key.
            SimulatedNode owner = world.Nodes.Take(Honest).MinBy(node => node.Node.Address)!;
            SimulatedNode thief = world.Nodes.Skip(Honest).MaxBy(node => node.Node.Address)!;
            Assert.True(owner.Node.Address < thief.Node.Address, $"{thief.Node.Address} has more claim than {owner.Node.Address}");
            Assert.Equal(DhtStatus.Done, Create(world, owner, key));
            Assert.NotEqual(DhtStatus.Done, Create(world, thief, key));
            AssertFound(world, key, owner);
        }
    }

    [Fact]
    public void Sybils_nearest_to_two_replicas_of_a_key_do_not_hide_the_record_that_stands_there()
    {
        SimulatedNetwork world = new(seed: 72);
        AddHonest(world);
        var owners = new Dictionary<RecordKey, SimulatedNode>();
        for (int i = 0; i < 6 * Honest; i++)
        {
            SimulatedNode owner = world.Nodes[i % Honest];
            owners.Add(Key(i), owner);
            Assert.Equal(DhtStatus.Done, Create(world, owner, Key(i)));
        }

        AddEvil(world);
        foreach (RecordKey key in Keys(world, sybils: 2).Where(owners.ContainsKey).Take(Tried))
        {
            AssertFound(world, key, owners[key]);
        }
    }

    private static RecordKey Key(int i) => new(RecordKind.HostName, $"name-{i}");

    private static void AddHonest(SimulatedNetwork world)
    {
        for (int i = 0; i < Honest; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        world.Run(TimeSpan.FromSeconds(15));
    }

    /// <summary>They keep no record but their own, and say of others' that there is none.</summary>
    private void AddEvil(SimulatedNetwork world)
    {
        for (int i = 0; i < Evil; i++)
        {
            _evil.Add(world.Add(NatKind.None, new OwnRecordsAlone(_evil)).Node.Address);
        }

        world.Run(TimeSpan.FromSeconds(15));
    }

    /// <summary>Keys of which so many replicas stand on evil nodes: one hand that chooses its places and one that chooses its victims see the same.</summary>
    private List<RecordKey> Keys(SimulatedNetwork world, int sybils)
    {
        var keys = new List<RecordKey>();
        for (int i = 0; i < 6 * Honest; i++)
        {
            int count = Enumerable.Range(0, ProtocolConstants.Replicas).Count(replica =>
                _evil.Contains(world.Nodes.MinBy(node => node.Node.Address.DistanceTo(ReplicaPositions.Of(Key(i), replica)))!.Node.Address));
            if (count == sybils)
            {
                keys.Add(Key(i));
            }
        }

        output.WriteLine($"{keys.Count} keys with {sybils} of 4 replicas on Sybils");
        Assert.True(keys.Count >= Tried, $"only {keys.Count} keys");
        return keys;
    }

    private static DhtStatus Create(SimulatedNetwork world, SimulatedNode node, RecordKey key)
    {
        DhtAnswer? created = null;
        node.Node.Create(world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => created ??= answer);
        Assert.NotNull(world.RunUntil(() => created is not null, TimeSpan.FromSeconds(15)));
        return created!.Value.Status;
    }

    private static void AssertFound(SimulatedNetwork world, RecordKey key, SimulatedNode owner)
    {
        foreach (SimulatedNode asker in world.Nodes.Take(Honest))
        {
            DhtAnswer? found = null;
            asker.Node.Lookup(world.Now, key, (_, answer) => found ??= answer);
            Assert.NotNull(world.RunUntil(() => found is not null, TimeSpan.FromSeconds(15)));
            Assert.Equal((DhtStatus.Done, owner.Node.Address), (found!.Value.Status, found.Value.Record?.Owner.Address ?? default));
        }
    }

    private sealed class OwnRecordsAlone(HashSet<NodeAddress> own) : IRecordPolicy
    {
        public bool IsAllowed(DhtRecord record) => own.Contains(record.Owner.Address);

        public int Compare(DhtRecord left, DhtRecord right) => Policy.Compare(left, right);
    }
}
