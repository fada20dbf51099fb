using Brunet.Addressing;
using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>Questions over the ring in somebody else's name: the answers go to him, and shall not be worth the asking.</summary>
public sealed class BorrowedSourceTests(ITestOutputHelper output)
{
    private const int Nodes = 12, Questions = 1000;

    /// <summary>What a message is longer by on its way: head and tag.</summary>
    private const int FrameBytes = 32;

    private static readonly SmallerOwnerWins Policy = new();
    private static readonly RecordKey Key = new(RecordKind.HostName, "alpha");

    private readonly SimulatedNetwork _world = new(seed: 83);

    [Theory]
    [InlineData((byte)RoutedType.Fetch, 0)]
    [InlineData((byte)RoutedType.Store, 0)]
    [InlineData((byte)RoutedType.Find, 1)]
    [InlineData((byte)RoutedType.Locate, 0)]
    public void A_flood_in_anothers_name_draws_less_than_a_quarter_of_what_it_has_beyond_what_is_handed_on(byte type, int handedOn) => AssertDrawsLess((RoutedType)type, handedOn);

    [Theory]
    [InlineData((byte)RoutedType.Fetch)]
    [InlineData((byte)RoutedType.Find)]
    public void Who_asks_in_his_own_session_is_answered_each_time(byte type)
    {
        (SimulatedNode asked, SimulatedNode asker, _) = Ring();
        long quiet = SentBy(asked, () => { });
        long answered = SentBy(asked, () => Ask(asker, asked, asker, (RoutedType)type));
        Assert.True(answered - quiet > Questions * RoutedHeader.Size, $"{answered - quiet} bytes of answers");
    }

    private void AssertDrawsLess(RoutedType type, int handedOn)
    {
        (SimulatedNode asked, SimulatedNode liar, SimulatedNode victim) = Ring();
        long quiet = SentBy(asked, () => { });
        long spent = 0;
        long drawn = SentBy(asked, () => spent = Ask(liar, asked, victim, type)) - quiet - (handedOn * (spent + (Questions * FrameBytes)));
        output.WriteLine($"{type}: {spent} bytes in, {drawn} out");
        Assert.InRange(drawn, 1, spent / 4);
    }

    /// <summary>A ring with a record: who holds its first replica, a node that is linked to it, and one more.</summary>
    private (SimulatedNode Asked, SimulatedNode Asker, SimulatedNode Third) Ring()
    {
        for (int i = 0; i < Nodes; i++)
        {
            _world.Add(NatKind.None, Policy);
            _world.Run(TimeSpan.FromMilliseconds(200));
        }

        _world.Run(TimeSpan.FromSeconds(30));
        SimulatedNode owner = _world.Nodes.MinBy(node => node.Identity.Address)!;
        DhtAnswer? created = null;
        owner.Node.Create(_world.Now, Key, new byte[ProtocolConstants.MaxRecordValueSize], (_, answer) => created ??= answer);
        Assert.NotNull(_world.RunUntil(() => created is not null, TimeSpan.FromSeconds(15)));
        SimulatedNode asked = _world.Nodes.MinBy(node => node.Identity.Address.DistanceTo(Key.Position()))!;
        SimulatedNode asker = _world.Nodes.First(node => node != asked && node != owner && node.IsLinkedTo(asked));
        return (asked, asker, _world.Nodes.First(node => node != asked && node != asker && node != owner));
    }

    private long SentBy(SimulatedNode node, Action deed)
    {
        long before = node.SentBytes;
        deed();
        _world.Run(TimeSpan.FromSeconds(1));
        return node.SentBytes - before;
    }

    /// <summary>Asks one node in another's name, as if the questions had come a hop already; the bytes that it cost.</summary>
    private long Ask(SimulatedNode liar, SimulatedNode asked, SimulatedNode source, RoutedType type)
    {
        byte[] body = new byte[StoreMessage.HeaderSize + ProtocolConstants.MaxRecordSize];
        byte[] rival = new RecordCodec(liar.Identity, null).Sign(Key, [1], 1);
        long spent = 0;
        for (uint number = 1; number <= Questions; number++)
        {
            int length = type switch
            {
                RoutedType.Fetch => new FetchMessage(number, 0, Key).Write(body),
                RoutedType.Store => new StoreMessage(number, 0, 600, rival).Write(body),
                _ => AddressList.WriteFound(body, number, []),
            };
            NodeAddress destination = type == RoutedType.Find ? source.Node.Address : Key.Position();
            byte[] packet = new byte[RoutedHeader.Size + length];
            new RoutedHeader(1, Exact: false, type, source.Node.Address, default, destination, type == RoutedType.Find ? asked.Node.Address : default).Write(packet);
            body.AsSpan(0, length).CopyTo(packet.AsSpan(RoutedHeader.Size));
            liar.Node.Parts.Transport.SendMessage(_world.Now, liar.Node.Parts.Peers[asked.Node.Address], packet);
            spent += packet.Length;
        }

        return spent;
    }
}
