using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>
/// One of the four replicas of a key lies in every way that it can, over the wire: in its own answer, for the others, and by what it kept of an owner who has left
/// and who had more claim than all who are there.
/// </summary>
public sealed class LyingReplicaTests : IDisposable
{
    private const int Nodes = 40, Keys = 50, Lookups = 10_000, Creates = 500;
    private static readonly TimeSpan Way = TimeSpan.FromMilliseconds(2);

    private readonly ITestOutputHelper _output;
    private readonly SimulatedNetwork _world = new(seed: 95) { Latency = (_, _, _) => Way };
    private readonly Random _random = new(96);
    private readonly SimulatedNode _liar;
    private readonly SimulatedIdentity _departed;
    private int _lies;

    public LyingReplicaTests(ITestOutputHelper output)
    {
        _output = output;
        for (int i = 0; i < Nodes; i++)
        {
            _world.Add(NatKind.None, new SmallerOwnerWins());
            _world.Run(TimeSpan.FromMilliseconds(200));
        }

        _world.Run(TimeSpan.FromSeconds(30));

        // The policy of this world lets the smaller owner win, so the liar is the greatest: what it signs itself wins nowhere.
        _liar = _world.Nodes.MaxBy(node => node.Identity.Address)!;
        NodeAddress least = _world.Nodes.Min(node => node.Identity.Address);
        _departed = new SimulatedIdentity(_random);
        while (_departed.Address > least)
        {
            _departed.Dispose();
            _departed = new SimulatedIdentity(_random);
        }
    }

    public void Dispose() => _departed.Dispose();

    [Fact]
    public void One_liar_of_four_hides_no_record_and_fakes_no_owner_in_ten_thousand_lookups()
    {
        List<(RecordKey Key, byte Replica, SimulatedNode Owner)> records = [.. Records().Take(Keys)];
        foreach ((RecordKey key, _, SimulatedNode owner) in records)
        {
            Assert.Equal(DhtStatus.Done, Create(owner, key).Status);
        }

        for (int i = 0; i < Lookups; i++)
        {
            (RecordKey key, byte replica, SimulatedNode owner) = records[_random.Next(records.Count)];
            SimulatedNode asker = Other();
            DhtAnswer? found = null;
            asker.Node.Lookup(_world.Now, key, (_, answer) => found ??= answer);
            Lie(asker, key, replica);
            if (i % 20 == 0)
            {
                StoreWhatDepartedLeft(key);
            }

            Assert.NotNull(_world.RunUntil(() => found is not null, TimeSpan.FromSeconds(15)));
            Assert.True(
                found!.Value.Status == DhtStatus.Done && found.Value.Record?.Owner.Address == owner.Node.Address,
                $"lookup {i} of {key}: {found.Value.Status}, owner {found.Value.Record?.Owner.Address}");
        }

        AssertLied(atLeast: Lookups);
    }

    [Fact]
    public void One_liar_of_four_takes_no_record_from_its_owner_at_his_create_and_at_his_renewals()
    {
        int created = 0;
        foreach ((RecordKey key, byte replica, SimulatedNode owner) in Records().Take(Creates))
        {
            var statuses = new List<DhtStatus>();
            owner.Node.Create(_world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => statuses.Add(answer.Status));
            Lie(owner, key, replica);
            Assert.NotNull(_world.RunUntil(() => statuses.Count > 0, TimeSpan.FromSeconds(15)));
            Assert.True(statuses[0] == DhtStatus.Done, $"create {created} of {key}: {string.Join(", ", statuses)}");

            // A doubt makes him renew it, and that the liar has no part in the answer.
            _world.Run(TimeSpan.FromSeconds(6));
            StoreWhatDepartedLeft(key);
            Tell(owner, new ReplyMessage(0, 0, ReplyStatus.Stands, 600, Departed(key)));
            Assert.NotNull(_world.RunUntil(() => Lie(owner, key, replica) > 0, TimeSpan.FromSeconds(1), TimeSpan.FromMilliseconds(1)));
            _world.Run(TimeSpan.FromSeconds(2));
            Assert.True(statuses.TrueForAll(status => status == DhtStatus.Done), $"create {created} of {key}: {string.Join(", ", statuses)}");

            // A replica keeps few records of one owner.
            owner.Node.Release(_world.Now, key);
            created++;
        }

        AssertLied(atLeast: 2 * Creates);
    }

    [Fact]
    public void One_liar_of_four_takes_no_record_by_what_its_owner_signed_in_lives_before()
    {
        int passedOver = 0;
        foreach ((RecordKey key, byte replica, SimulatedNode owner) in Records().Take(Keys))
        {
            var statuses = new List<DhtStatus>();
            ulong sequence = 0;
            uint answered = 0;
            owner.Node.Create(_world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => statuses.Add(answer.Status));
            bool IsOver()
            {
                if (Number(owner, key, replica) is var number && number != 0 && number != answered)
                {
                    answered = number;
                    sequence += 2;
                    byte[] shown = new RecordCodec(owner.Identity, null).Sign(key, [10, 128, 0, 1], sequence);
                    Tell(owner, new ReplyMessage(number, replica, ReplyStatus.Stands, 600, shown));
                }

                return statuses.Count > 0;
            }

            Assert.NotNull(_world.RunUntil(IsOver, TimeSpan.FromSeconds(15), TimeSpan.FromMilliseconds(1)));
            Assert.Equal([DhtStatus.Done], statuses);
            passedOver += sequence > 2ul * OwnRecord.MaxBumps ? 1 : 0;
            owner.Node.Release(_world.Now, key);
        }

        // Of some keys the others have answered before a lie is there.
        Assert.InRange(passedOver, Keys / 4, Keys);
    }

    [Fact]
    public void What_an_owner_has_left_takes_no_place_from_what_stands_whoever_keeps_it()
    {
        (RecordKey key, _, SimulatedNode owner) = Records().First();
        Assert.Equal(DhtStatus.Done, Create(owner, key).Status);
        for (int second = 0; second < 60; second++)
        {
            StoreWhatDepartedLeft(key);
            _world.Run(TimeSpan.FromSeconds(1));
        }

        Assert.Equal(Enumerable.Repeat(owner.Node.Address, ProtocolConstants.Replicas), Standing(key));
    }

    [Fact]
    public void Who_has_more_claim_takes_the_place_by_himself()
    {
        (RecordKey key, _, _) = Records().First();
        SimulatedNode[] byClaim = [.. _world.Nodes.Where(node => node != _liar).OrderBy(node => node.Identity.Address)];
        foreach (SimulatedNode owner in (SimulatedNode[])[byClaim[20], byClaim[10], byClaim[0]])
        {
            Assert.Equal(DhtStatus.Done, Create(owner, key).Status);

            // Who had no link to a replica brings it there with his first renewal.
            _world.Run(TimeSpan.FromSeconds(40));
            Assert.Equal(Enumerable.Repeat(owner.Node.Address, ProtocolConstants.Replicas), Standing(key));
        }

        Assert.Equal(DhtStatus.Lost, Create(byClaim[15], key).Status);
    }

    [Theory]
    [InlineData(RecordKind.HostName)]
    [InlineData(RecordKind.Service)]
    public void What_somebody_keeps_standing_after_its_owner_left_gives_way_to_who_wants_the_key(RecordKind kind)
    {
        RecordKey key = Records().First().Key with { Kind = kind };
        SimulatedNode owner = Other();
        StoreWhatDepartedLeft(key);
        _world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(Enumerable.Repeat(_departed.Address, ProtocolConstants.Replicas), Standing(key));
        DhtStatus status = Create(owner, key).Status;
        Assert.Equal(DhtStatus.Lost, status);
        for (TimeSpan asked = _world.Now; status != DhtStatus.Done; status = Create(owner, key).Status)
        {
            Assert.InRange(_world.Now - asked, TimeSpan.Zero, RecordLife.Of(kind) + TimeSpan.FromSeconds(61));
            for (int second = 0; second < 60; second++)
            {
                StoreWhatDepartedLeft(key);
                _world.Run(TimeSpan.FromSeconds(1));
            }
        }

        Assert.Equal(Enumerable.Repeat(owner.Node.Address, ProtocolConstants.Replicas), Standing(key));
    }

    [Fact]
    public void Who_is_there_keeps_his_record_though_somebody_else_wants_its_key_again_and_again()
    {
        RecordKey key = Records().First().Key with { Kind = RecordKind.Service };
        SimulatedNode[] byClaim = [.. _world.Nodes.OrderBy(node => node.Identity.Address)];
        var statuses = new List<DhtStatus>();
        byClaim[0].Node.Create(_world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => statuses.Add(answer.Status));
        _world.Run(TimeSpan.FromSeconds(2));
        for (int i = 0; i < 60; i++)
        {
            Assert.Equal(DhtStatus.Lost, Create(byClaim[20], key).Status);
            _world.Run(TimeSpan.FromSeconds(30));
            Assert.Equal(Enumerable.Repeat(byClaim[0].Node.Address, ProtocolConstants.Replicas), Standing(key));
        }

        Assert.Equal([DhtStatus.Done], statuses);
    }

    private void AssertLied(int atLeast)
    {
        _output.WriteLine($"{_lies} lies");
        Assert.True(_lies > atLeast, $"only {_lies} lies were told");
    }

    private DhtAnswer Create(SimulatedNode owner, RecordKey key)
    {
        DhtAnswer? created = null;
        owner.Node.Create(_world.Now, key, new byte[] { 10, 128, 0, 1 }, (_, answer) => created ??= answer);
        Assert.NotNull(_world.RunUntil(() => created is not null, TimeSpan.FromSeconds(15)));
        return created!.Value;
    }

    /// <summary>
    /// The liar's own answer, which overtakes all others, and with its number an answer in the place of each of the other three. What it answered before the
    /// question reached it counts as an answer to it.
    /// </summary>
    private int Lie(SimulatedNode asker, RecordKey key, byte replica)
    {
        uint number = Number(asker, key, replica);
        for (int i = 0; number != 0 && i < ProtocolConstants.Replicas; i++)
        {
            byte[] shown = _random.Next(4) switch
            {
                0 => Departed(key),
                2 => [.. Departed(key).AsSpan(0, Departed(key).Length - 1), 0],
                1 => new RecordCodec(_liar.Identity, null).Sign(key, _random.Next(2) == 0 ? [] : [10, 128, 6, 6], (ulong)_random.NextInt64(int.MaxValue)),
                _ => [],
            };
            Tell(asker, new ReplyMessage(number, (byte)((replica + i) % ProtocolConstants.Replicas), (ReplyStatus)_random.Next(5), 600, shown));
            _lies++;
        }

        return number == 0 ? 0 : 1;
    }

    /// <summary>The number of the question that a replica is asked now; 0 if it is asked none.</summary>
    private static uint Number(SimulatedNode asker, RecordKey key, byte replica) => Asked(asker.Node.Parts.DhtClient)
        .FirstOrDefault(asked => !asked.Value.Operation.IsOver && asked.Value.Operation.Key == key && asked.Value.Replica == replica).Key;

    private void Tell(SimulatedNode asker, in ReplyMessage reply)
    {
        byte[] body = new byte[ReplyMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        _liar.Node.Parts.GreedyRouter.Originate(_world.Now, exact: true, RoutedType.Reply, asker.Node.Address, default, body.AsSpan(0, reply.Write(body)));
    }

    private byte[] Departed(RecordKey key) => new RecordCodec(_departed, null).Sign(key, [10, 128, 7, 7], 1000);

    private void StoreWhatDepartedLeft(RecordKey key)
    {
        byte[] record = Departed(key);
        byte[] body = new byte[StoreMessage.HeaderSize + record.Length];
        for (byte replica = 0; replica < ProtocolConstants.Replicas; replica++)
        {
            new StoreMessage(1, replica, (ushort)RecordLife.Of(key.Kind).TotalSeconds, record).Write(body);
            _liar.Node.Parts.GreedyRouter.Originate(_world.Now, exact: false, RoutedType.Store, ReplicaPositions.Of(key, replica), default, body);
        }
    }

    /// <summary>Whose record each of the four replicas has.</summary>
    private IEnumerable<NodeAddress> Standing(RecordKey key) => Enumerable.Range(0, ProtocolConstants.Replicas)
        .Select(replica => StoreOf(Nearest(key, replica).Node.Parts.DhtServer).Find(_world.Now, key)?.Record.Owner.Address ?? default);

    /// <summary>Keys of which the liar holds one replica, with which one.</summary>
    private IEnumerable<(RecordKey Key, byte Replica, SimulatedNode Owner)> Records()
    {
        for (int i = 0; ; i++)
        {
            var key = new RecordKey(RecordKind.HostName, $"name-{i}");
            byte[] held = [.. Enumerable.Range(0, ProtocolConstants.Replicas).Where(replica => Nearest(key, replica) == _liar).Select(replica => (byte)replica)];
            if (held.Length == 1)
            {
                yield return (key, held[0], Other());
            }
        }
    }

    private SimulatedNode Other()
    {
        SimulatedNode node = _world.Nodes[_random.Next(_world.Nodes.Count)];
        return node == _liar ? Other() : node;
    }

    private SimulatedNode Nearest(RecordKey key, int replica) =>
        _world.Nodes.MinBy(node => node.Identity.Address.DistanceTo(ReplicaPositions.Of(key, replica)))!;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_questions")]
    private static extern ref ReplicaQuestions QuestionsField(DhtClient client);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_asked")]
    private static extern ref Dictionary<uint, (DhtOperation Operation, byte Replica)> AskedField(ReplicaQuestions questions);

    private static Dictionary<uint, (DhtOperation Operation, byte Replica)> Asked(DhtClient client) => AskedField(QuestionsField(client));

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_store")]
    private static extern ref RecordStore StoreField(DhtServer server);

    private static RecordStore StoreOf(DhtServer server) => StoreField(server);
}
