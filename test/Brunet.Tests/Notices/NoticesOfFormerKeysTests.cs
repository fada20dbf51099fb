using Brunet.Notices;
using Testing.Simulation;

namespace Brunet.Tests.Notices;

/// <summary>Somebody published with a key that is believed no more, under a high number: what the new key signs counts all the same, and the other is passed on by nobody.</summary>
public sealed class NoticesOfFormerKeysTests
{
    private const byte Kind = 3, Keys = 5;
    private const ulong Lie = 1_000_000;

    private static readonly SmallerOwnerWins Records = new();

    private readonly Dictionary<SimulatedNode, SimulatedNoticePolicy> _policies = [];

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_lower_number_of_the_new_key_reaches_all_though_each_hears_of_that_key_at_another_time(int seed)
    {
        SimulatedNetwork world = Ring(seed, 12);
        Assert.True(world.Nodes[5].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, Lie, new byte[3000])));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => Number(node) == Lie), TimeSpan.FromSeconds(20)));

        world.Loss = 0.1;
        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Keys, 1, new byte[2000])));
        Assert.Null(world.Nodes[3].Node.NewestNotice(Kind));
        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 7, new byte[2000])));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => Number(node) == 7), TimeSpan.FromSeconds(60)));
    }

    [Fact]
    public void One_that_hears_of_the_key_long_after_its_neighbours_has_what_they_have_soon_after()
    {
        SimulatedNetwork world = Ring(seed: 4, 8);
        Assert.True(world.Nodes[5].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, Lie, new byte[3000])));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => Number(node) == Lie), TimeSpan.FromSeconds(20)));
        foreach (SimulatedNode node in world.Nodes.Skip(1))
        {
            Learn(node);
        }

        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 7, new byte[2000])));
        world.Run(TimeSpan.FromSeconds(30));
        Assert.Equal([Lie, 7, 7, 7, 7, 7, 7, 7], world.Nodes.Select(Number));
        Learn(world.Nodes[0]);
        Assert.NotNull(world.RunUntil(() => Number(world.Nodes[0]) == 7, TimeSpan.FromSeconds(15)));
    }

    [Fact]
    public void What_is_on_its_way_is_dropped_and_what_the_key_signed_stays()
    {
        SimulatedNetwork world = Ring(seed: 5, 6);
        SimulatedNode node = world.Nodes[2];
        Assert.True(node.Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 7, new byte[10])));
        NodeParts parts = node.Node.Parts, other = world.Nodes[4].Node.Parts;
        byte[] head = new byte[AnnounceMessage.MaxSize], piece = new byte[NoticePieceMessage.HeaderSize + 10];
        int length = new AnnounceMessage(node.Node.Address, NoticeHead.Of(SimulatedNoticePolicy.Sign(Kind, Lie, new byte[10]))).Write(head);
        new NoticePieceMessage(Kind, Lie, 0, new byte[10]).Write(piece);
        parts.Notices.OnAnnounce(world.Now, parts.Peers[other.Local.Self], head.AsSpan(0, length));
        Learn(node);
        parts.Notices.OnPiece(world.Now, parts.Peers[other.Local.Self], piece);
        Assert.Equal(7ul, Number(node));
        Assert.True(node.Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 8, new byte[10])));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(one => Number(one) == 8), TimeSpan.FromSeconds(20)));
    }

    private static ulong Number(SimulatedNode node) => node.Node.NewestNotice(Kind)?.Number ?? 0;

    /// <summary>The machine hears of the key that signs from now on.</summary>
    private void Learn(SimulatedNode node)
    {
        _policies[node].IsOfFormerKey = number => number == Lie;
        node.Node.JudgeNotices();
    }

    private SimulatedNetwork Ring(int seed, int nodes)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < nodes; i++)
        {
            SimulatedNode node = world.Add(NatKind.None, Records);
            _policies[node] = new SimulatedNoticePolicy();
            node.Node.NoticePolicy = _policies[node];
            node.Node.NoticeArrived = (_, notice) =>
            {
                if (notice.Kind == Keys)
                {
                    Learn(node);
                }
            };
        }

        world.Run(TimeSpan.FromSeconds(10));
        return world;
    }
}
