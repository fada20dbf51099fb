using System.Runtime.CompilerServices;
using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>One of the four replicas of a key lies in every way that it can, in its own answer and for the others.</summary>
public sealed class LyingReplicaTests(ITestOutputHelper output)
{
    private const int Nodes = 40, Keys = 50, Lookups = 10_000;
    private static readonly TimeSpan Way = TimeSpan.FromMilliseconds(2);

    [Fact]
    public void One_liar_of_four_hides_no_record_and_fakes_no_owner_in_ten_thousand_lookups()
    {
        var world = new SimulatedNetwork(seed: 95) { Latency = (_, _, _) => Way };
        for (int i = 0; i < Nodes; i++)
        {
            world.Add(NatKind.None, new SmallerOwnerWins());
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        world.Run(TimeSpan.FromSeconds(30));
        var random = new Random(96);

        // The policy of this world lets the smaller owner win, so the liar is the greatest: what it signs itself wins nowhere.
        SimulatedNode liar = world.Nodes.MaxBy(node => node.Identity.Address)!;
        List<(RecordKey Key, byte Replica, SimulatedNode Owner)> records = [.. Records(world, liar, random).Take(Keys)];
        foreach ((RecordKey key, _, SimulatedNode owner) in records)
        {
            DhtStatus? created = null;
            owner.Node.Create(world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => created ??= answer.Status);
            Assert.NotNull(world.RunUntil(() => created is not null, TimeSpan.FromSeconds(15)));
            Assert.Equal(DhtStatus.Done, created);
        }

        int lies = 0;
        for (int i = 0; i < Lookups; i++)
        {
            (RecordKey key, byte replica, SimulatedNode owner) = records[random.Next(records.Count)];
            SimulatedNode asker = Other(world, liar, random);
            DhtAnswer? found = null;
            asker.Node.Lookup(world.Now, key, (_, answer) => found ??= answer);
            lies += found is null ? Lie(world, liar, asker, key, replica, random) : 0;
            Assert.NotNull(world.RunUntil(() => found is not null, TimeSpan.FromSeconds(15)));
            Assert.True(
                found!.Value.Status == DhtStatus.Done && found.Value.Record?.Owner.Address == owner.Node.Address,
                $"lookup {i} of {key}: {found.Value.Status}, owner {found.Value.Record?.Owner.Address}");
        }

        output.WriteLine($"{lies} lies");
        Assert.True(lies > Lookups, $"only {lies} lies were told");
    }

    /// <summary>The liar's own answer, which overtakes all others, and with its number an answer in the place of each of the other three.</summary>
    private static int Lie(SimulatedNetwork world, SimulatedNode liar, SimulatedNode asker, RecordKey key, byte replica, Random random)
    {
        uint number = Asked(asker.Node.Core.DhtClient).Single(asked => asked.Value.Operation is { IsOver: false, Encoded: null } operation && operation.Key == key && asked.Value.Replica == replica).Key;
        byte[] body = new byte[ReplyMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        byte[] own = new RecordCodec(liar.Identity, null).Sign(key, random.Next(2) == 0 ? [] : new byte[] { 10, 128, 6, 6 }, (ulong)random.NextInt64(int.MaxValue));
        int told = 0;
        for (byte other = 0; other < ProtocolConstants.Replicas; other++)
        {
            var status = (ReplyStatus)random.Next(5);
            int length = new ReplyMessage(number, other, status, 600, status is ReplyStatus.Stands or ReplyStatus.Missing && random.Next(2) == 0 ? own : []).Write(body);
            asker.Node.Core.DhtClient.OnReply(world.Now, body.AsSpan(0, length));
            told++;
        }

        return told;
    }

    /// <summary>Keys of which the liar holds one replica, with which one.</summary>
    private static IEnumerable<(RecordKey Key, byte Replica, SimulatedNode Owner)> Records(SimulatedNetwork world, SimulatedNode liar, Random random)
    {
        for (int i = 0; ; i++)
        {
            var key = new RecordKey(RecordKind.HostName, $"name-{i}");
            byte[] held = [.. Enumerable.Range(0, ProtocolConstants.Replicas).Where(replica => Nearest(world, key, replica) == liar).Select(replica => (byte)replica)];
            if (held.Length == 1)
            {
                yield return (key, held[0], Other(world, liar, random));
            }
        }
    }

    private static SimulatedNode Other(SimulatedNetwork world, SimulatedNode liar, Random random)
    {
        SimulatedNode node = world.Nodes[random.Next(world.Nodes.Count)];
        return node == liar ? Other(world, liar, random) : node;
    }

    private static SimulatedNode Nearest(SimulatedNetwork world, RecordKey key, int replica) =>
        world.Nodes.MinBy(node => node.Identity.Address.DistanceTo(ReplicaPositions.Of(key, replica)))!;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_asked")]
    private static extern ref Dictionary<uint, (DhtOperation Operation, byte Replica)> AskedField(DhtClient client);

    private static Dictionary<uint, (DhtOperation Operation, byte Replica)> Asked(DhtClient client) => AskedField(client);
}
