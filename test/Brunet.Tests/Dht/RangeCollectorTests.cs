using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Links;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Dht;

/// <summary>A node that takes its place on the ring once more does not speak of what it has not heard of yet.</summary>
public sealed class RangeCollectorTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private readonly SimulatedNetwork _world = new(seed: 73);

    [Fact]
    public void Who_was_cut_off_does_not_say_what_is_missing_before_its_neighbours_have_told_it()
    {
        SimulatedNode cut = Cut();
        Assert.NotNull(_world.RunUntil(() => cut.Node.Parts.View.Near.Count > 0, TimeSpan.FromSeconds(60), TimeSpan.FromMilliseconds(1)));
        Assert.False(IsReady(cut));
        _world.Run(TimeSpan.FromSeconds(15));
        Assert.True(IsReady(cut));
        RecordKey[] nearest = [.. Keys().Where(key => Enumerable.Range(0, ProtocolConstants.Replicas).Any(replica => Nearest(key, replica) == cut))];
        Assert.InRange(nearest.Length, 3, 40);
        Assert.Equal(nearest, nearest.Where(key => StoreOf(cut.Node.Parts.DhtServer).Find(_world.Now, key) is not null));
    }

    [Fact]
    public void What_was_asked_of_neighbours_is_forgotten_when_the_place_is_taken_and_when_they_are_gone()
    {
        SimulatedNode cut = Cut();
        Assert.Empty(Parts(cut));
        Assert.NotNull(_world.RunUntil(() => Parts(cut).Count > 0, TimeSpan.FromSeconds(60), TimeSpan.FromMilliseconds(1)));
        _world.IsParted = (from, to) => from == cut || to == cut;
        Assert.NotNull(_world.RunUntil(() => Parts(cut).Count == 0, TimeSpan.FromSeconds(60)));
        _world.IsParted = null;
        _world.Run(TimeSpan.FromSeconds(60));
        Assert.True(IsReady(cut));
        Assert.Empty(Parts(cut));
    }

    /// <summary>What ends a part is a position, and all records of a key have the same.</summary>
    [Fact]
    public void All_that_is_kept_for_one_key_is_given_where_the_answer_comes_in_parts()
    {
        for (int i = 0; i < 2; i++)
        {
            _world.Add(NatKind.None, Policy);
        }

        _world.Run(TimeSpan.FromSeconds(15));
        (Node giver, Node asker) = (_world.Nodes[0].Node, _world.Nodes[1].Node);
        RecordStore store = StoreOf(giver.Parts.DhtServer);
        uint owners = 0;
        foreach (RecordKey key in Keys())
        {
            for (int word = 0; word < 3; word++)
            {
                var owner = new PeerIdentity(new NodeAddress(++owners, 0, 0), default, null);
                store.Put(_world.Now, new DhtRecord(key, word == 0 ? new byte[] { 1 } : default, owner, 1), [1], TimeSpan.FromSeconds(600), out _);
            }
        }

        int copies = 0;
        CollectedMessage? end = null;
        MessageHandler?[] handlers = HandlersField(asker.Parts.Messages);
        handlers[(byte)MessageType.Copy] = (in _, _) => copies++;
        handlers[(byte)MessageType.Collected] = (in _, message) => end = CollectedMessage.TryRead(message, out CollectedMessage collected) ? collected : null;
        byte[] collect = new byte[CollectMessage.Size];
        do
        {
            new CollectMessage(1, end?.Next ?? default).Write(collect);
            end = null;
            giver.Parts.DhtServer.OnCollect(_world.Now, giver.Parts.Peers[asker.Address], collect);
            Assert.NotNull(_world.RunUntil(() => end is not null, TimeSpan.FromSeconds(5)));
        }
        while (end!.Value.Next != default);
        Assert.Equal(3 * Keys().Count(), store.Count);
        Assert.Equal(store.Count, copies);
    }

    /// <summary>Else it would be woken twenty times a second: its part asks nobody any more.</summary>
    [Fact]
    public void Who_loses_its_certificate_while_it_asks_its_neighbours_waits_for_nothing_until_it_has_one_again()
    {
        for (int i = 0; i < 3; i++)
        {
            _world.Add(NatKind.None, Policy, isOpen: false);
            _world.Run(TimeSpan.FromSeconds(i == 0 ? 4 : 1));
        }

        SimulatedNode asker = _world.Add(NatKind.None, Policy, isOpen: false);
        Assert.NotNull(_world.RunUntil(() => Parts(asker).Count > 0, TimeSpan.FromSeconds(20), TimeSpan.FromMilliseconds(1)));
        RangeCollector collector = CollectorField(asker.Node.Parts.DhtServer);
        Assert.InRange(collector.NextTick, _world.Now, _world.Now + TimeSpan.FromSeconds(1));
        (asker.Identity.Certificate, var certificate) = (null, asker.Identity.Certificate);
        Assert.Equal(TimeSpan.MaxValue, collector.NextTick);
        asker.Identity.Certificate = certificate;
        Assert.InRange(collector.NextTick, _world.Now, _world.Now + TimeSpan.FromSeconds(1));
    }

    /// <summary>A ring in which records were made while one node was cut off, to which it comes back.</summary>
    private SimulatedNode Cut()
    {
        for (int i = 0; i < 20; i++)
        {
            _world.Add(NatKind.None, Policy);
            _world.Run(TimeSpan.FromMilliseconds(200));
        }

        _world.Run(TimeSpan.FromSeconds(30));
        SimulatedNode cut = _world.Nodes[7];
        Assert.True(IsReady(cut));
        _world.IsParted = (from, to) => from == cut || to == cut;
        _world.Run(TimeSpan.FromSeconds(120));
        int stand = 0;
        foreach (RecordKey key in Keys())
        {
            _world.Nodes[stand % 5].Node.Create(_world.Now, key, new byte[] { 1 }, (_, answer) => stand += answer.Status == DhtStatus.Done ? 1 : 0);
            _world.Run(TimeSpan.FromMilliseconds(100));
        }

        _world.Run(TimeSpan.FromSeconds(5));
        Assert.Equal(Keys().Count(), stand);
        _world.IsParted = null;
        return cut;
    }

    private static IEnumerable<RecordKey> Keys() => Enumerable.Range(0, 40).Select(i => new RecordKey(RecordKind.Address, $"10.128.3.{i}"));

    private SimulatedNode Nearest(RecordKey key, int replica) =>
        _world.Nodes.MinBy(node => node.Identity.Address.DistanceTo(ReplicaPositions.Of(key, replica)))!;

    private static bool IsReady(SimulatedNode node) => CollectorField(node.Node.Parts.DhtServer).IsReady;

    private static System.Collections.IDictionary Parts(SimulatedNode node) =>
        (System.Collections.IDictionary)typeof(RangeCollector)
            .GetField("_parts", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Instance)!
            .GetValue(CollectorField(node.Node.Parts.DhtServer))!;

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_collector")]
    private static extern ref RangeCollector CollectorField(DhtServer server);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_messages")]
    private static extern ref MessageHandler?[] HandlersField(MessageTable table);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_store")]
    private static extern ref RecordStore StoreField(DhtServer server);

    private static RecordStore StoreOf(DhtServer server) => StoreField(server);
}
