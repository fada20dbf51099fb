using System.Buffers;
using Brunet.Addressing;
using Brunet.Handshakes;
using Brunet.Notices;
using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>Somebody who has the pool's secret makes keys by the thousand and ends a handshake with each; honest nodes want to join meanwhile, and those before stay.</summary>
public sealed class LeafFloodTests(ITestOutputHelper output)
{
    /// <summary>More than the table has places.</summary>
    private const int Keys = SessionTable.MaxPeers + 64;
    private const int KeysPerMillisecond = 8;

    /// <summary>The node itself, honest ones, and who is just coming.</summary>
    private const int Others = 8;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 44) { HasCheapSessions = true };
    private readonly Dictionary<uint, Key> _keys = [];
    private readonly Queue<(Key Key, byte[] Datagram)> _answers = [];
    private readonly Random _random = new(7);
    private uint _made;
    private int _goodbyes;

    [Theory]
    [InlineData(false, true)]
    [InlineData(false, false)]
    [InlineData(true, false)]
    public void With_finished_handshakes_from_one_address_it_gets_its_share_and_an_honest_node_joins(bool isOpen, bool certified)
    {
        (SimulatedNode one, SimulatedNode before) = World(isOpen, addresses: 1);
        int most = (isOpen ? SessionTable.MaxPeers : PeerRoom.MaxUncertified) / PeerRoom.Sources;
        AssertJoins(one, before, addresses: 1, most, isOpen, certified);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void From_many_addresses_it_gets_the_part_of_the_uncertified_and_an_honest_node_joins(bool certified)
    {
        (SimulatedNode one, SimulatedNode before) = World(isOpen: false, addresses: 20);
        AssertJoins(one, before, addresses: 20, PeerRoom.MaxUncertified, isOpen: false, certified);
    }

    [Fact]
    public void Of_what_peers_may_have_of_notices_half_is_left_to_members()
    {
        (SimulatedNode one, _) = World(isOpen: false, addresses: 20);
        SimulatedNode member = _world.Add(NatKind.None, Policy, isOpen: false);
        _world.Run(TimeSpan.FromSeconds(4));
        Flood(one, addresses: 20, PeerRoom.MaxUncertified);
        NodeParts parts = one.Node.Parts;
        var budget = new PeerBudget(parts.Local, most: 1, Full.NoticeHeads);
        Assert.Equal(512, parts.Peers.Values.Count(peer => !parts.Peers.IsEntitled(peer) && budget.Take(peer)));
        Assert.True(budget.Take(parts.Peers[member.Node.Address]));
    }

    /// <summary>A node, an honest one without a certificate that joined before, and places from which nobody else speaks.</summary>
    private (SimulatedNode One, SimulatedNode Before) World(bool isOpen, int addresses)
    {
        SimulatedNode one = _world.Add(NatKind.None, Policy, isOpen);
        for (int i = 0; i < addresses; i++)
        {
            _world.Add(NatKind.None, Policy, isOpen).Kill();
        }

        SimulatedNode before = _world.Add(NatKind.None, Policy, isOpen, certified: false);
        _world.Run(TimeSpan.FromSeconds(4));
        Assert.True(before.Node.IsJoined);
        _world.Wire = (from, to, datagram) =>
        {
            if (from == one && HandshakeFrame.TryRead(datagram, new byte[32], out HandshakeFrame frame) && _keys.Remove(frame.ReceiverIndex, out Key? key))
            {
                _answers.Enqueue((key, datagram));
            }

            _goodbyes += from == one && datagram.Length == ProtocolConstants.FrameOverhead + 1 ? 1 : 0;
            return true;
        };
        return (one, before);
    }

    private void Flood(SimulatedNode one, int addresses, int keys)
    {
        for (int i = 1; i <= keys; i++)
        {
            var key = new Key(new SimulatedIdentity(_random), ++_made, SimulatedNetwork.EndpointOf(1 + (i % addresses)), _world.Authority, _random);
            _keys.Add(_made, key);
            one.Node.ReceiveDatagram(_world.Now, key.From, key.Hello());
            while (_answers.TryDequeue(out var answer))
            {
                one.Node.ReceiveDatagram(_world.Now, answer.Key.From, answer.Key.Finish(answer.Datagram));
            }

            if (i % KeysPerMillisecond == 0)
            {
                _world.Run(TimeSpan.FromMilliseconds(1));
            }
        }
    }

    /// <summary>An honest node joins while it goes on; whoever has to make room for that is told.</summary>
    private void AssertJoins(SimulatedNode one, SimulatedNode before, int addresses, int most, bool isOpen, bool certified)
    {
        Flood(one, addresses, Keys);
        SimulatedNode honest = _world.Add(NatKind.None, Policy, isOpen, certified);
        while (!honest.Node.IsJoined && _world.Now - honest.StartedAt < TimeSpan.FromMilliseconds(500))
        {
            Flood(one, addresses, KeysPerMillisecond);
        }

        output.WriteLine($"{_made} keys, {_goodbyes} goodbyes, {one.Holdings}; joined after {(_world.Now - honest.StartedAt).TotalMilliseconds:F0} ms");
        Assert.True(honest.Node.IsJoined);
        Assert.True(one.IsLinkedTo(honest));
        Assert.True(one.IsLinkedTo(before));
        Assert.InRange(one.Node.Parts.Peers.Count, most, most + Others);
        Refusals refusals = one.Node.Refusals;
        Assert.InRange(refusals[Full.Peers] + refusals[Full.PeersOfSource], _made - most, _goodbyes);
    }

    /// <summary>One of the attacker's, as far as a handshake's end. It acknowledges nothing, so that the handshake stays among the unfinished.</summary>
    private sealed class Key(SimulatedIdentity identity, uint index, TransportAddress from, SimulatedAuthority authority, Random random)
    {
        private readonly IHandshake _handshake = new SimulatedHandshakeProvider(identity, authority, random, isCheap: true).StartClient(index);
        private readonly ArrayBufferWriter<byte> _stream = new();

        public TransportAddress From => from;

        public byte[] Hello()
        {
            _handshake.Advance([], _stream);
            return Frame(0, 0);
        }

        public byte[] Finish(byte[] answer)
        {
            Assert.True(HandshakeFrame.TryRead(answer, new byte[32], out HandshakeFrame frame));
            int sent = _stream.WrittenCount;
            _handshake.Advance(frame.Data, _stream);
            return Frame(frame.SenderIndex, sent);
        }

        private byte[] Frame(uint receiver, int offset)
        {
            byte[] bytes = new byte[HandshakeFrame.MaxSize];
            return bytes[..new HandshakeFrame
            {
                SenderIndex = index,
                ReceiverIndex = receiver,
                Sender = identity.Address,
                Target = default,
                Offset = (uint)offset,
                Acknowledged = 0,
                Cookie = default,
                Data = _stream.WrittenSpan[offset..],
            }.Write(bytes, new byte[32])];
        }
    }
}
