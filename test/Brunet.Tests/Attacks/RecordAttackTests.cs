using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>Records that should not be: forged, oversized, and too many of them.</summary>
public sealed class RecordAttackTests(ITestOutputHelper output)
{
    private const int MostOfOneOwner = 16;

    private static readonly SmallerOwnerWins Policy = new();
    private static readonly RecordKey Key = new(RecordKind.Address, "10.128.0.7");

    [Fact]
    public void Forged_and_oversized_records_are_stored_nowhere()
    {
        SimulatedNetwork world = Ring();
        SimulatedNode evil = world.Nodes[5];
        byte[] good = new RecordCodec(evil.Identity, null).Sign(Key, [1, 2, 3, 4, 5], 1);
        byte[] ofAnother = [.. good];
        int owner = good.AsSpan().IndexOf(evil.Identity.PublicKey.Span);
        world.Nodes[1].Identity.PublicKey.CopyTo(ofAnother.AsMemory(owner));
        byte[] raised = [.. good];
        raised[13] ^= 0xff;
        foreach (byte[] record in (byte[][])[ofAnother, raised, good[..^1], [.. good, 0], [.. good, .. new byte[ProtocolConstants.MaxRecordSize]], []])
        {
            StoreEverywhere(world, evil, Key, record);
        }

        world.Run(TimeSpan.FromSeconds(2));
        Assert.All(world.Nodes, node => Assert.Equal(0, node.Node.StoredRecords));
        Assert.Equal(DhtStatus.NotFound, Lookup(world, world.Nodes[2]).Status);
        StoreEverywhere(world, evil, Key, good);
        world.Run(TimeSpan.FromSeconds(2));
        Assert.Equal(evil.Node.Address, Lookup(world, world.Nodes[2]).Record!.Owner.Address);
    }

    [Fact]
    public void One_owner_fills_no_replica_and_the_others_get_their_records_stored()
    {
        SimulatedNetwork world = Ring();
        SimulatedNode evil = world.Nodes[5];
        var codec = new RecordCodec(evil.Identity, null);
        for (int i = 0; i < 300; i++)
        {
            var key = new RecordKey(RecordKind.HostName, $"name-{i}");
            StoreEverywhere(world, evil, key, codec.Sign(key, [10, 128, 0, 1], 1));
            world.Run(TimeSpan.FromMilliseconds(10));
        }

        output.WriteLine(string.Join(' ', world.Nodes.Select(node => node.Node.StoredRecords)));
        Assert.Contains(world.Nodes, node => node.Node.StoredRecords == MostOfOneOwner);
        Assert.All(world.Nodes, node => Assert.InRange(node.Node.StoredRecords, 0, MostOfOneOwner));
        DhtAnswer? created = null;
        world.Nodes[1].Node.Create(world.Now, Key, new byte[] { 1 }, (_, answer) => created ??= answer);
        Assert.NotNull(world.RunUntil(() => created is not null, TimeSpan.FromSeconds(15)));
        Assert.Equal(DhtStatus.Done, created!.Value.Status);
    }

    [Fact]
    public void A_key_that_one_owner_floods_with_sequences_stays_one_record()
    {
        SimulatedNetwork world = Ring();
        SimulatedNode evil = world.Nodes[5];
        var codec = new RecordCodec(evil.Identity, null);
        for (ulong sequence = 1; sequence <= 200; sequence++)
        {
            StoreEverywhere(world, evil, Key, codec.Sign(Key, new byte[ProtocolConstants.MaxRecordValueSize], sequence));
        }

        world.Run(TimeSpan.FromSeconds(2));
        Assert.Contains(world.Nodes, node => node.Node.StoredRecords == 1);
        Assert.All(world.Nodes, node => Assert.InRange(node.Node.StoredRecords, 0, 1));
    }

    [Fact]
    public void An_old_record_that_somebody_kept_does_not_come_back()
    {
        SimulatedNetwork world = Ring();
        SimulatedNode owner = world.Nodes[1];
        var codec = new RecordCodec(owner.Identity, null);
        byte[] old = codec.Sign(Key, [1], 1);
        StoreEverywhere(world, owner, Key, codec.Sign(Key, [2], 2));
        world.Run(TimeSpan.FromSeconds(1));
        StoreEverywhere(world, world.Nodes[5], Key, old);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(2, Lookup(world, world.Nodes[2]).Record!.Value.Span[0]);
    }

    [Fact]
    public void A_record_is_stored_only_where_its_replicas_stand()
    {
        SimulatedNetwork world = Ring();
        SimulatedNode evil = world.Nodes[5];
        byte[] record = new RecordCodec(evil.Identity, null).Sign(Key, [1], 1);
        byte[] body = new byte[StoreMessage.HeaderSize + record.Length];
        foreach (SimulatedNode victim in world.Nodes)
        {
            for (byte replica = 0; replica < ProtocolConstants.Replicas; replica++)
            {
                new StoreMessage(1, replica, 600, record).Write(body);
                evil.Node.Parts.GreedyRouter.Originate(world.Now, exact: true, RoutedType.Store, victim.Node.Address, default, body);
                evil.Node.Parts.GreedyRouter.Originate(world.Now, exact: false, RoutedType.Store, victim.Node.Address, default, body);
            }
        }

        world.Run(TimeSpan.FromSeconds(2));
        Assert.All(world.Nodes, node => Assert.Equal(0, node.Node.StoredRecords));
    }

    [Fact]
    public void A_neighbour_gives_no_copies_that_belong_elsewhere()
    {
        SimulatedNetwork world = Ring(60);
        SimulatedNode[] order = [.. world.Nodes.OrderBy(node => node.Node.Address)];
        (SimulatedNode victim, SimulatedNode evil) = (order[0], order[1]);
        var codec = new RecordCodec(evil.Identity, null);
        for (int i = 0; i < MostOfOneOwner; i++)
        {
            var key = new RecordKey(RecordKind.HostName, $"name-{i}");
            byte[] record = codec.Sign(key, [1], 1);
            byte[] message = new byte[CopyMessage.HeaderSize + record.Length];
            new CopyMessage(0, 600, record).Write(message);
            evil.Node.Parts.Transport.SendMessage(world.Now, evil.Node.Parts.Peers[victim.Node.Address], message);
        }

        world.Run(TimeSpan.FromSeconds(1));

        // Four replicas each, twelve nodes a place at most: of sixty nodes it is near to about one record in five of no replica, and never to all.
        int expected = Enumerable.Range(0, MostOfOneOwner).Count(i => IsNear(order, new RecordKey(RecordKind.HostName, $"name-{i}")));
        Assert.InRange(expected, 1, MostOfOneOwner - 1);
        Assert.Equal(expected, victim.Node.StoredRecords);
    }

    [Fact]
    public void What_one_replica_alone_has_a_lookup_puts_at_the_others()
    {
        SimulatedNetwork world = Ring();
        SimulatedNode owner = world.Nodes[1];
        byte[] record = new RecordCodec(owner.Identity, null).Sign(Key, [7], 1);
        byte[] body = new byte[StoreMessage.HeaderSize + record.Length];
        new StoreMessage(1, 0, 60, record).Write(body);
        owner.Node.Parts.GreedyRouter.Originate(world.Now, exact: false, RoutedType.Store, ReplicaPositions.Of(Key, 0), default, body);
        world.Run(TimeSpan.FromSeconds(1));
        int before = world.Nodes.Count(node => node.Node.StoredRecords == 1);
        Assert.Equal(DhtStatus.Done, Lookup(world, world.Nodes[2]).Status);
        world.Run(TimeSpan.FromSeconds(2));
        int after = world.Nodes.Count(node => node.Node.StoredRecords == 1);
        output.WriteLine($"{before} nodes had it, {after} have it");
        Assert.True(after > before);

        // It gets no longer life by it.
        world.Run(TimeSpan.FromSeconds(60));
        Assert.All(world.Nodes, node => Assert.Equal(0, node.Node.StoredRecords));
    }

    /// <summary>Whether fewer than six nodes stand nearer to one of a record's replicas than the first.</summary>
    private static bool IsNear(SimulatedNode[] order, RecordKey key) => Enumerable.Range(0, ProtocolConstants.Replicas).Any(replica =>
    {
        var position = ReplicaPositions.Of(key, replica);
        var own = order[0].Node.Address.DistanceTo(position);
        return order.Count(node => node.Node.Address.DistanceTo(position) < own) < 6;
    });

    private static SimulatedNetwork Ring(int nodes = 6)
    {
        var world = new SimulatedNetwork(seed: 51);
        for (int i = 0; i < nodes; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        world.Run(TimeSpan.FromSeconds(10));
        return world;
    }

    /// <summary>Sends a record to all its replicas without asking the own node whether that is right.</summary>
    private static void StoreEverywhere(SimulatedNetwork world, SimulatedNode from, RecordKey key, byte[] record)
    {
        byte[] body = new byte[StoreMessage.HeaderSize + record.Length];
        for (int replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            int length = new StoreMessage(1, (byte)replica, 120, record).Write(body);
            NodeParts parts = from.Node.Parts;
            parts.GreedyRouter.Originate(world.Now, exact: false, RoutedType.Store, ReplicaPositions.Of(key, replica), default, body.AsSpan(0, length));
        }
    }

    private static DhtAnswer Lookup(SimulatedNetwork world, SimulatedNode node)
    {
        DhtAnswer? result = null;
        node.Node.Lookup(world.Now, Key, (_, answer) => result ??= answer);
        Assert.NotNull(world.RunUntil(() => result is not null, TimeSpan.FromSeconds(15)));
        return result!.Value;
    }
}
