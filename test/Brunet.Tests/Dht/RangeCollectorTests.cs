using System.Runtime.CompilerServices;
using Brunet.Dht;
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

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_store")]
    private static extern ref RecordStore StoreField(DhtServer server);

    private static RecordStore StoreOf(DhtServer server) => StoreField(server);
}
