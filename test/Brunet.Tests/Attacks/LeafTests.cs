using System.Net;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>
/// Who has no certificate relays, routes and stores for nobody, whoever asks. Once it is certified it does all that it is asked for here, so nothing else
/// keeps it from it.
/// </summary>
public sealed class LeafTests
{
    private const int Large = 700;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 61);
    private readonly SimulatedNode _asks;
    private readonly SimulatedNode _target;
    private readonly SimulatedNode _leaf;
    private int _handedOn;

    public LeafTests()
    {
        for (int i = 0; i < 4; i++)
        {
            _world.Add(NatKind.None, Policy, isOpen: false);
        }

        (_asks, _target) = (_world.Nodes[1], _world.Nodes[2]);
        _leaf = _world.Add(NatKind.None, Policy, isOpen: false, certified: false);
        Assert.NotNull(_world.RunUntil(() => _world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        foreach (SimulatedNode member in _world.Nodes.Where(node => node != _leaf))
        {
            _leaf.Node.Send(_world.Now, member.Node.Address, [1]);
        }

        _world.Run(TimeSpan.FromSeconds(10));
        Assert.All(_world.Nodes.Where(node => node != _leaf), node => Assert.Equal(PathKind.Direct, node.PathTo(_leaf)));
        _world.Wire = (from, to, datagram) =>
        {
            _handedOn += from == _leaf && to == _target.PublicEndpoint && datagram.Length > Large ? 1 : 0;
            return true;
        };
    }

    [Fact]
    public void It_relays_nothing()
    {
        byte[] message = new byte[RelayHeader.Size + Large];
        new RelayHeader(_asks.Node.Address, _target.Node.Address).Write(message);
        AssertOnlyACertifiedOneHandsOn(message);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void It_routes_nothing(bool exact)
    {
        byte[] message = new byte[RoutedHeader.Size + Large];
        new RoutedHeader(0, exact, exact ? RoutedType.Frame : RoutedType.Store, _asks.Node.Address, default, _target.Node.Address, default).Write(message);
        AssertOnlyACertifiedOneHandsOn(message);
    }

    [Fact]
    public void Nothing_is_routed_by_way_of_it()
    {
        // A position beside the leaf's own is for the member that stands nearest.
        NodeAddress beside = _leaf.Node.Address.Add(new NodeAddress(0, 1));
        SimulatedNode nearest = _world.Nodes.Where(node => node != _leaf).MinBy(node => node.Node.Address.DistanceTo(beside))!;
        SimulatedNode origin = _world.Nodes.First(node => node != _leaf && node != nearest);
        SimulatedProbe probe = _world.Probe(origin, beside, exact: false, nearest);
        _world.Run(TimeSpan.FromSeconds(1));
        Assert.NotNull(probe.ArrivedAt);

        Certify();
        probe = _world.Probe(origin, beside, exact: false, _leaf);
        _world.Run(TimeSpan.FromSeconds(1));
        Assert.NotNull(probe.ArrivedAt);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void It_stores_nothing(bool asCopy)
    {
        // A record whose first replica belongs to the leaf, did it count.
        RecordKey key = Enumerable.Range(0, 1000).Select(i => new RecordKey(RecordKind.HostName, $"name-{i}")).First(key =>
            _world.Nodes.MinBy(node => node.Node.Address.DistanceTo(ReplicaPositions.Of(key, 0))) == _leaf);
        using var owner = new SimulatedIdentity(new Random(1));
        byte[] record = new RecordCodec(owner, null).Sign(key, [1], 1);
        byte[] message = asCopy ? Copy(record) : Store(key, record);
        Ask(message);
        Assert.Equal(0, _leaf.Node.StoredRecords);
        Certify();
        Ask(message);
        Assert.Equal(1, _leaf.Node.StoredRecords);
    }

    private void AssertOnlyACertifiedOneHandsOn(byte[] message)
    {
        Ask(message);
        Assert.Equal(0, _handedOn);
        Certify();
        Ask(message);
        Assert.Equal(1, _handedOn);
    }

    private void Ask(byte[] message)
    {
        Peer peer = _asks.Node.Parts.Peers[_leaf.Node.Address];
        _asks.Node.Parts.Transport.SendMessage(_world.Now, peer, message);
        _world.Run(TimeSpan.FromMilliseconds(500));
    }

    private void Certify()
    {
        _leaf.Identity.Certificate = _world.Authority.Issue(_leaf.Identity.Address, new IPAddress([10, 128, 0, 99]), "leaf", isManager: false);
        _leaf.Node.IdentityChanged(_world.Now);
        _world.Run(TimeSpan.FromSeconds(20));
        _handedOn = 0;
    }

    private byte[] Store(RecordKey key, byte[] record)
    {
        byte[] message = new byte[RoutedHeader.Size + StoreMessage.HeaderSize + record.Length];
        new RoutedHeader(0, Exact: false, RoutedType.Store, _asks.Node.Address, default, ReplicaPositions.Of(key, 0), default).Write(message);
        new StoreMessage(0, 0, 120, record).Write(message.AsSpan(RoutedHeader.Size));
        return message;
    }

    private static byte[] Copy(byte[] record)
    {
        byte[] message = new byte[CopyMessage.HeaderSize + record.Length];
        new CopyMessage(0, 120, record).Write(message);
        return message;
    }
}
