using System.Net;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Sessions;
using Brunet.Wire;
using Ipop.Addresses;
using Testing.Simulation;

namespace Brunet.Tests.Dht;

/// <summary>Two owners want one address: all replicas keep the one that the pool's rule names, whichever came first and whatever the loser says.</summary>
public sealed class RivalRecordsTests : IDisposable
{
    private const byte Replicas = ProtocolConstants.Replicas;

    private static readonly Subnet Net = Subnet.Parse("10.128.0.0/28");
    private static readonly IPv4Address Wanted = new(0x0a800007);
    private static readonly RecordKey Key = AddressValue.Key(Wanted);

    private readonly SimulatedNetwork _world = new(seed: 71);
    private readonly Random _random = new(7);
    private readonly List<SimulatedIdentity> _owners = [];
    private readonly List<RecordPolicy> _policies = [];

    public RivalRecordsTests()
    {
        for (int i = 0; i < 24; i++)
        {
            _policies.Add(new RecordPolicy(Net, isOpen: false));
            _world.Add(NatKind.None, _policies[i], isOpen: false);
        }

        Assert.NotNull(_world.RunUntil(() => _world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        _world.Run(TimeSpan.FromSeconds(20));
    }

    public void Dispose() => _owners.ForEach(owner => owner.Dispose());

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_certificate_beats_a_bare_key(bool winnerFirst) => AssertStands(Certified(), Bare(index: 0), winnerFirst);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Of_two_certificates_the_later_one_wins(bool winnerFirst)
    {
        SimulatedIdentity earlier = Certified();
        AssertStands(Certified(), earlier, winnerFirst);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void An_earlier_certificate_of_a_listed_manager_wins_wherever_the_list_is_known(bool winnerFirst)
    {
        SimulatedIdentity manager = Certified(isManager: true);
        SimulatedIdentity thief = Certified();
        _policies.ForEach(policy => policy.Managers = Listed());
        Put(winnerFirst ? manager : thief, sequence: 1);
        Put(winnerFirst ? thief : manager, sequence: 1);
        Assert.InRange(AssertOwner(manager), Replicas, 3 * Replicas);
        Put(manager, sequence: 2, isWithdrawn: true);
        Put(thief, sequence: ulong.MaxValue);
        Assert.DoesNotContain(_world.Nodes, node => StoreOf(node.Node.Parts.DhtServer).Find(_world.Now, Key) is not null);
    }

    [Fact]
    public void What_stood_before_the_list_stands_no_longer_and_the_manager_takes_its_place()
    {
        SimulatedIdentity manager = Certified(isManager: true);
        SimulatedIdentity thief = Certified();
        Put(thief, sequence: 1);
        Put(manager, sequence: 1);
        AssertOwner(thief);

        _policies.ForEach(policy => policy.Managers = Listed());
        Assert.Null(Answer());
        Put(manager, sequence: 2);
        Assert.InRange(AssertOwner(manager), Replicas, 3 * Replicas);
        Assert.Equal(manager.Address, Answer());
    }

    [Fact]
    public void Replicas_of_a_release_that_knows_no_list_do_not_bring_another_s_record_to_who_knows_it()
    {
        SimulatedIdentity manager = Certified(isManager: true);
        SimulatedIdentity thief = Certified();
        Put(thief, sequence: 1);

        // Every second node is of the former release.
        for (int i = 0; i < _policies.Count; i += 2)
        {
            _policies[i].Managers = Listed();
        }

        Put(manager, sequence: 1);
        NodeAddress? answer = Answer();
        Assert.True(answer is null || answer == manager.Address);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Of_two_bare_keys_the_one_whose_candidates_reach_the_address_earlier_wins(bool winnerFirst) => AssertStands(Bare(index: 1), Bare(index: 2), winnerFirst);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Of_two_bare_keys_that_reach_it_alike_the_smaller_hash_wins(bool winnerFirst)
    {
        SimulatedIdentity[] owners = [.. new[] { Bare(index: 3), Bare(index: 3) }.OrderBy(Hash, StringComparer.Ordinal)];
        AssertStands(owners[0], owners[1], winnerFirst);
    }

    /// <summary>Who comes back after a while begins with low numbers again, and somebody may have kept what it signed at its first start.</summary>
    [Fact]
    public void What_an_owner_signed_before_its_certificate_takes_no_place_from_the_same_word_with_it()
    {
        SimulatedIdentity owner = Certify(Bare(index: 0));
        Put(owner, sequence: 1);
        (owner.Certificate, MemberCertificate? certificate) = (null, owner.Certificate);
        Put(owner, sequence: 1);
        Assert.All(Standing(), record => Assert.NotNull(record.Owner.Certificate));

        DhtRecord whole = Standing()[0];
        DhtRecord bare = whole with { Owner = whole.Owner with { Certificate = null } };
        Voice?[] voices = [new Voice(bare, [1], 600), new Voice(whole, [2], 60), new Voice(whole, [2], 60), null];
        Assert.Equal(certificate, Voices.Believed(_policies[0], voices, out _)!.Record.Owner.Certificate);

        Put(owner, sequence: 2);
        Assert.All(Standing(), record => Assert.Null(record.Owner.Certificate));
        Certify(owner);
        Put(owner, sequence: 2);
        Assert.All(Standing(), record => Assert.NotNull(record.Owner.Certificate));
    }

    [Fact]
    public void A_stranger_who_wants_a_member_s_address_has_nothing_refused_that_others_store_for_the_member()
    {
        SimulatedIdentity member = Certified();
        Put(member, sequence: 1);
        Put(Bare(index: 0), sequence: 1);
        Put(member, sequence: 2, speaker: _world.Nodes[0].Node.Address);
        Assert.All(Standing(), record => Assert.Equal(2ul, record.Sequence));
    }

    [Fact]
    public void Strangers_whose_owners_are_called_leave_room_for_members()
    {
        NodeParts parts = _world.Nodes[0].Node.Parts;
        var calls = new OwnerCalls(parts.Local, parts.Handshaker);
        PeerIdentity[] strangers = [.. Enumerable.Range(0, 40).Select(_ => NewOwner()).Select(owner => new PeerIdentity(owner.Address, owner.PublicKey, null))];
        SimulatedIdentity member = Certified();
        Array.ForEach(strangers, stranger => calls.Call(_world.Now, stranger, default));
        calls.Call(_world.Now, new PeerIdentity(member.Address, member.PublicKey, member.Certificate), default);
        Assert.Equal(8, strangers.Count(stranger => parts.Peers.TryGetValue(stranger.Address, out _)));
        Assert.True(parts.Peers.TryGetValue(member.Address, out _));
    }

    /// <summary>Both are put at all replicas, one after the other; then the loser tries what a loser may.</summary>
    private void AssertStands(SimulatedIdentity winner, SimulatedIdentity loser, bool winnerFirst)
    {
        Put(winnerFirst ? winner : loser, sequence: 1);
        int holders = AssertOwner(winnerFirst ? winner : loser);
        Put(winnerFirst ? loser : winner, sequence: 1);
        Assert.Equal(holders, AssertOwner(winner));

        // A higher number, and word that the address is free.
        Put(loser, sequence: ulong.MaxValue - 1);
        Assert.Equal(holders, AssertOwner(winner));
        Put(loser, sequence: ulong.MaxValue, isWithdrawn: true);
        Assert.Equal(holders, AssertOwner(winner));

        // Its owner may withdraw it, and then everybody may have it.
        Put(winner, sequence: 2, isWithdrawn: true);
        Put(loser, sequence: ulong.MaxValue);
        Assert.InRange(AssertOwner(loser), Replicas, 3 * Replicas);
        Put(winner, sequence: 3, isWithdrawn: true);
        Assert.InRange(AssertOwner(loser), Replicas, 3 * Replicas);
    }

    /// <summary>The records that stand anywhere.</summary>
    private List<DhtRecord> Standing() =>
        [.. _world.Nodes.Select(node => StoreOf(node.Node.Parts.DhtServer).Find(_world.Now, Key)?.Record).OfType<DhtRecord>()];

    /// <summary>Puts a record at all its replicas, as its owner does over links of his own, or as somebody else does.</summary>
    private void Put(SimulatedIdentity owner, ulong sequence, bool isWithdrawn = false, NodeAddress? speaker = null)
    {
        uint index = ClaimableAddresses.TryFind(Net, owner.Address, Wanted, out uint found) ? found : 0;
        byte[] record = new RecordCodec(owner, null).Sign(Key, isWithdrawn ? [] : AddressValue.ForAddress(index).Span, sequence);
        byte[] body = new byte[StoreMessage.HeaderSize + record.Length];
        for (byte replica = 0; replica < Replicas; replica++)
        {
            new StoreMessage(1, replica, 600, record).Write(body);
            NodeAddress position = ReplicaPositions.Of(Key, replica);
            var header = new RoutedHeader(1, Exact: false, RoutedType.Store, owner.Address, default, position, default);
            Nearest(position).Node.Parts.DhtServer.OnStore(_world.Now, speaker ?? owner.Address, header, body);
        }

        _world.Run(TimeSpan.FromSeconds(2));
    }

    /// <summary>That all nodes which hold a record of the key hold this owner's, each replica's position among them; how many they are.</summary>
    private int AssertOwner(SimulatedIdentity owner)
    {
        int holders = 0;
        foreach (SimulatedNode node in _world.Nodes)
        {
            if (StoreOf(node.Node.Parts.DhtServer).Find(_world.Now, Key) is { } entry && !entry.Record.Value.IsEmpty)
            {
                Assert.Equal(owner.Address, entry.Record.Owner.Address);
                holders++;
            }
        }

        for (byte replica = 0; replica < Replicas; replica++)
        {
            Assert.NotNull(StoreOf(Nearest(ReplicaPositions.Of(Key, replica)).Node.Parts.DhtServer).Find(_world.Now, Key));
        }

        return holders;
    }

    private SimulatedNode Nearest(NodeAddress position) => _world.Nodes.MinBy(node => node.Identity.Address.DistanceTo(position))!;

    /// <summary>An owner without a certificate whose candidate of an index is the address.</summary>
    private SimulatedIdentity Bare(uint index)
    {
        while (true)
        {
            SimulatedIdentity owner = NewOwner();
            if (ClaimableAddresses.TryFind(Net, owner.Address, Wanted, out uint found) && found == index)
            {
                return owner;
            }
        }
    }

    /// <summary>Whom the first node takes for the owner; null for nobody.</summary>
    private NodeAddress? Answer()
    {
        DhtAnswer? answer = null;
        _world.Nodes[0].Node.Lookup(_world.Now, Key, (_, found) => answer = found);
        Assert.NotNull(_world.RunUntil(() => answer is not null, TimeSpan.FromSeconds(15)));
        return AddressValue.Owner(answer!.Value)?.Address;
    }

    private static ManagerList Listed()
    {
        Assert.True(ManagerList.TryCreate(Net, [new PoolManager("rival", Wanted, ServesAuthority: true)], out ManagerList? list, out string reason), reason);
        return list;
    }

    private SimulatedIdentity Certified(bool isManager = false) => Certify(NewOwner(), isManager);

    private SimulatedIdentity Certify(SimulatedIdentity owner, bool isManager = false)
    {
        using ECDsa key = owner.CreateKey();
        using X509Certificate2 certificate = new CertificateRequest("CN=rival", key, HashAlgorithmName.SHA256).CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.MaxValue);
        owner.Certificate = _world.Authority.Issue(owner.Address, new IPAddress([10, 128, 0, 7]), "rival", isManager, certificate.RawData);
        return owner;
    }

    private SimulatedIdentity NewOwner()
    {
        var owner = new SimulatedIdentity(_random);
        _owners.Add(owner);
        return owner;
    }

    private static string Hash(SimulatedIdentity owner) =>
        Convert.ToHexString(SHA256.HashData([.. owner.PublicKey.Span, .. System.Text.Encoding.UTF8.GetBytes(Key.Name)]));

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_store")]
    private static extern ref RecordStore StoreField(DhtServer server);

    private static RecordStore StoreOf(DhtServer server) => StoreField(server);
}
