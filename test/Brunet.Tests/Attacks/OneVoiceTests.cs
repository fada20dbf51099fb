using System.Runtime.CompilerServices;
using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

public sealed class OneVoiceTests
{
    private static readonly TimeSpan Way = TimeSpan.FromMilliseconds(20);

    [Fact]
    public void One_replica_that_lies_for_all_four_does_not_hide_a_record()
    {
        var world = new SimulatedNetwork(seed: 93) { Latency = (_, _, _) => Way };
        for (int i = 0; i < 40; i++)
        {
            world.Add(NatKind.None, i == 5 ? new TakesNothing() : new SmallerOwnerWins());
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        world.Run(TimeSpan.FromSeconds(60));
        SimulatedNode evil = world.Nodes[5];

        // Evil holds one replica and stands one hop from the asker; the other three are further away.
        (SimulatedNode asker, RecordKey key) = (
            from node in world.Nodes
            where node != evil && node.IsLinkedTo(evil)
            from i in Enumerable.Range(0, 3000)
            let candidate = new RecordKey(RecordKind.HostName, $"name-{i}")
            let holders = Enumerable.Range(0, ProtocolConstants.Replicas).Select(replica => Nearest(world, candidate, replica)).ToList()
            where holders.Count(holder => holder == evil) == 1 && holders.TrueForAll(holder => holder == evil || (holder != node && !node.IsLinkedTo(holder)))
            select (node, candidate)).First();
        SimulatedNode owner = world.Nodes.First(node => node != evil && node != asker);
        DhtAnswer? created = null;
        owner.Node.Create(world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => created ??= answer);
        Assert.NotNull(world.RunUntil(() => created is not null, TimeSpan.FromSeconds(15)));
        Assert.Equal(DhtStatus.Done, created!.Value.Status);
        world.Run(TimeSpan.FromSeconds(3));

        DhtAnswer? found = null;
        asker.Node.Lookup(world.Now, key, (_, answer) => found ??= answer);
        world.Run(Way);

        // What evil reads in the question that has just reached it: of the four it holds one.
        uint request = NumberFor(asker.Node.Parts.DhtClient, (byte)Enumerable.Range(0, ProtocolConstants.Replicas).Single(i => Nearest(world, key, i) == evil));
        byte[] body = new byte[ReplyMessage.HeaderSize];
        for (byte replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            new ReplyMessage(request, replica, ReplyStatus.Missing, 0, []).Write(body);
            evil.Node.Parts.GreedyRouter.Originate(world.Now, exact: true, RoutedType.Reply, asker.Node.Address, default, body);
        }

        Assert.NotNull(world.RunUntil(() => found is not null, TimeSpan.FromSeconds(15)));
        Assert.Equal((DhtStatus.Done, owner.Node.Address), (found!.Value.Status, found.Value.Record?.Owner.Address ?? default));
    }

    private static SimulatedNode Nearest(SimulatedNetwork world, RecordKey key, int replica) =>
        world.Nodes.MinBy(node => node.Identity.Address.DistanceTo(ReplicaPositions.Of(key, replica)))!;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_questions")]
    private static extern ref ReplicaQuestions QuestionsField(DhtClient client);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_asked")]
    private static extern ref Dictionary<uint, (DhtOperation Operation, byte Replica)> AskedField(ReplicaQuestions questions);

    private static uint NumberFor(DhtClient client, byte replica) => AskedField(QuestionsField(client)).Single(asked => asked.Value.Replica == replica).Key;

    private sealed class TakesNothing : IRecordPolicy
    {
        public bool IsAllowed(DhtRecord record) => false;

        public int Compare(DhtRecord left, DhtRecord right) => left.Owner.Address.CompareTo(right.Owner.Address);
    }
}
