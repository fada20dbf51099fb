using Brunet.Addressing;
using Brunet.Diagnosis;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Diagnosis;

/// <summary>The way over the ring, told by the nodes on it.</summary>
public sealed class TraceTests
{
    private const int Count = 40;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 82);

    [Fact]
    public void Every_hop_answers_once_in_its_place_and_names_the_next()
    {
        Ring();
        int longest = 0;
        foreach (SimulatedNode to in _world.Nodes.SkipLast(1))
        {
            TraceAnswer answer = Trace(_world.Nodes[^1], to.Node.Address);
            Assert.True(answer.HasArrived);
            Assert.Equal(Enumerable.Range(1, answer.Hops.Count), answer.Hops.Select(hop => hop.Number));
            Assert.Equal(to.Node.Address, answer.Hops[^1].Node);
            Assert.Equal((TraceEnd.Arrived, null), (answer.Hops[^1].End, answer.Hops[^1].Next));
            for (int i = 0; i + 1 < answer.Hops.Count; i++)
            {
                TraceHop hop = answer.Hops[i];
                Assert.Equal((TraceEnd.None, answer.Hops[i + 1].Node, true), (hop.End, hop.Next!.Value, hop.IsNextStraight));
                Assert.NotNull(hop.NextRoundTrip);
                Assert.True(hop.Elapsed > TimeSpan.Zero);
            }

            longest = Math.Max(longest, answer.Hops.Count);
        }

        Assert.True(longest >= 3, $"the longest way had {longest} hops only");
    }

    [Fact]
    public void The_way_to_nobody_ends_at_the_node_that_stands_nearest()
    {
        Ring();
        NodeAddress nobody = NodeAddress.FromPublicKey([7]);
        TraceAnswer answer = Trace(_world.Nodes[3], nobody);
        SimulatedNode nearest = _world.Nodes.MinBy(node => node.Node.Address.DistanceTo(nobody))!;
        Assert.False(answer.HasArrived);
        Assert.Equal((nearest.Node.Address, TraceEnd.NobodyNearer), (answer.Hops[^1].Node, answer.Hops[^1].End));
    }

    [Fact]
    public void A_trace_in_anothers_name_is_dropped_where_it_begins_and_a_flood_gets_few_answers()
    {
        Ring();
        SimulatedNode evil = _world.Nodes[5];
        SimulatedNode victim = _world.Nodes[6];
        SimulatedNode neighbour = _world.Nodes.First(node => node != evil && node != victim && evil.IsLinkedTo(node));
        Assert.Equal(0, Answers(evil, neighbour, victim, hops: 0, count: 20));

        // A member may pretend to be a hop. Then each hop gives what its limit allows.
        SimulatedNode mute = _world.Nodes.First(node => node != evil && node != victim && node != neighbour);
        Assert.InRange(Answers(evil, neighbour, mute, hops: 3, count: 400), 1, 60);
    }

    [Fact]
    public void A_leaf_is_not_traced_for()
    {
        _world.Add(NatKind.None, Policy, isOpen: false);
        SimulatedNode member = _world.Add(NatKind.None, Policy, isOpen: false);
        SimulatedNode leaf = _world.Add(NatKind.None, Policy, isOpen: false, certified: false);
        Assert.NotNull(_world.RunUntil(() => member.Node.IsJoined && leaf.Node.IsJoined, TimeSpan.FromSeconds(10)));
        Assert.Empty(Trace(leaf, member.Node.Address).Hops);
        Assert.NotEmpty(Trace(member, _world.Nodes[0].Node.Address).Hops);
    }

    [Fact]
    public void Answers_to_no_question_of_ours_are_passed_over()
    {
        Ring();
        byte[] body = new byte[TracedMessage.Size];
        new TracedMessage(0, 1, TracedMessage.ArrivedFlag, default, 0).Write(body);
        _world.Nodes[1].Node.Parts.GreedyRouter.Originate(_world.Now, exact: true, RoutedType.Traced, _world.Nodes[0].Node.Address, default, body);
        TraceAnswer answer = Trace(_world.Nodes[0], _world.Nodes[2].Node.Address);
        Assert.Equal(_world.Nodes[2].Node.Address, answer.Hops[^1].Node);
    }

    private void Ring()
    {
        for (int i = 0; i < Count; i++)
        {
            _world.Add(NatKind.None, Policy);
        }

        Assert.NotNull(_world.RunUntil(() => _world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(30)));
        _world.Run(TimeSpan.FromSeconds(120));
    }

    private TraceAnswer Trace(SimulatedNode from, NodeAddress to)
    {
        TraceAnswer? got = null;
        from.Node.Trace(_world.Now, to, (_, answer) =>
        {
            Assert.Null(got);
            got = answer;
        });
        Assert.NotNull(_world.RunUntil(() => got is not null, TimeSpan.FromSeconds(5)));
        _world.Run(TimeSpan.FromSeconds(2));
        return got!;
    }

    /// <summary>
    /// How many answers reach the one who is named as the source. All datagrams of their length are answers: a packet is never handed to its source.
    /// </summary>
    private int Answers(SimulatedNode evil, SimulatedNode through, SimulatedNode named, byte hops, int count)
    {
        byte[] message = new byte[RoutedHeader.Size + TraceMessage.Size];
        new RoutedHeader(hops, true, RoutedType.Trace, named.Node.Address, default, NodeAddress.FromPublicKey([9]), default).Write(message);
        new TraceMessage(77).Write(message.AsSpan(RoutedHeader.Size));
        int size = message.Length + ProtocolConstants.DataHeaderSize + ProtocolConstants.TagSize;
        int answers = 0;
        _world.Wire = (_, destination, datagram) =>
        {
            answers += datagram.Length == size && destination == named.PublicEndpoint ? 1 : 0;
            return true;
        };
        for (int i = 0; i < count; i++)
        {
            evil.Node.Parts.Transport.SendMessage(_world.Now, evil.Node.Parts.Peers[through.Node.Address], message);
        }

        _world.Run(TimeSpan.FromSeconds(2));
        _world.Wire = null;
        return answers;
    }
}
