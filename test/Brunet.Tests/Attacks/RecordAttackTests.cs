using Brunet.Dht;
using Brunet.Links;
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

    private static SimulatedNetwork Ring()
    {
        var world = new SimulatedNetwork(seed: 51);
        for (int i = 0; i < 6; i++)
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
            NodeCore core = from.Node.Core;
            core.Router.Originate(world.Now, exact: false, RoutedType.Store, ReplicaPositions.Of(key, replica), default, body.AsSpan(0, length));
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
