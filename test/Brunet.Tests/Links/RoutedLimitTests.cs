using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>Whose questions are answered while others flood a node with questions in borrowed names.</summary>
public sealed class RoutedLimitTests
{
    private const int Seconds = 10, FloodPerMillisecond = 4;

    private static readonly SmallerOwnerWins Policy = new();

    private readonly SimulatedNetwork _world = new(seed: 84);
    private readonly RoutedLimit _limit;
    private readonly NodeAddress _liar, _honest, _asker = new(7, 7, 7);
    private readonly Random _random = new(85);
    private int _answered;

    public RoutedLimitTests()
    {
        for (int i = 0; i < 4; i++)
        {
            _world.Add(NatKind.None, Policy, isOpen: false);
        }

        Assert.NotNull(_world.RunUntil(() => _world.Nodes[0].Node.Parts.Members.Count == 3, TimeSpan.FromSeconds(20)));
        _limit = _world.Nodes[0].Node.Parts.GreedyRouter.LimitAnswers();
        (_liar, _honest) = (_world.Nodes[1].Node.Address, _world.Nodes[2].Node.Address);
    }

    [Fact]
    public void A_member_and_strangers_that_flood_a_node_take_no_answer_from_whose_questions_another_member_hands_on()
    {
        NodeAddress[] strangers = [.. Enumerable.Range(1, 40).Select(i => new NodeAddress(0, 0, (ulong)i))];
        AssertIsAnswered([_liar, .. strangers], Invented);
    }

    [Fact]
    public void A_flood_in_a_node_s_name_takes_no_answer_from_it() => AssertIsAnswered([_liar], () => _asker);

    /// <summary>That one question in four tenths of a second is always answered, and all answers together are no more than before.</summary>
    private void AssertIsAnswered(NodeAddress[] flooders, Func<NodeAddress> name)
    {
        for (int millisecond = 0; millisecond < 1000 * Seconds; millisecond++)
        {
            TimeSpan now = _world.Now + TimeSpan.FromMilliseconds(millisecond);
            for (int i = 0; i < FloodPerMillisecond; i++)
            {
                _answered += Take(now, flooders[_random.Next(flooders.Length)], name()) ? 1 : 0;
            }

            if (millisecond % 400 == 399)
            {
                Assert.True(Take(now, _honest, _asker), $"not answered after {millisecond} ms");
            }
        }

        Assert.InRange(_answered, 1, 256 * (Seconds + 2));
    }

    private bool Take(TimeSpan now, NodeAddress speaker, NodeAddress source) =>
        _limit.Take(now, speaker, new RoutedHeader(2, Exact: false, RoutedType.Fetch, source, default, default, default));

    private NodeAddress Invented() => new((uint)_random.Next(), (ulong)_random.NextInt64(), 1);
}
