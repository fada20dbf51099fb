using Brunet.Links;
using Brunet.Notices;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>Notices that should not be: forged, older, oversized, with another body, and too many of them. They die at the first honest node.</summary>
public sealed class NoticeAttackTests
{
    private const byte Kind = 1;

    private static readonly SmallerOwnerWins Records = new();

    private readonly SimulatedNoticePolicy _policy = new();
    private readonly List<int> _arrived = [];

    [Fact]
    public void A_notice_reaches_all_and_a_newer_one_takes_its_place()
    {
        SimulatedNetwork world = Ring(30);
        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 1, new byte[3000])));
        Assert.NotNull(world.RunUntil(() => _arrived.Count == 30, TimeSpan.FromSeconds(10)));
        Assert.True(world.Nodes[7].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 2, new byte[Notice.MaxSize])));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.NewestNotice(Kind)?.Number == 2), TimeSpan.FromSeconds(20)));
        Assert.Equal(60, _arrived.Count);
    }

    [Fact]
    public void Who_comes_later_hears_of_it_from_its_neighbours()
    {
        SimulatedNetwork world = Ring(10);
        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 1, new byte[3000])));
        Assert.NotNull(world.RunUntil(() => _arrived.Count == 10, TimeSpan.FromSeconds(10)));
        SimulatedNode late = Add(world);
        Assert.NotNull(world.RunUntil(() => late.Node.NewestNotice(Kind) is not null, TimeSpan.FromSeconds(10)));
    }

    [Fact]
    public void Forged_ones_go_no_further_than_the_first_honest_node_and_cost_it_a_bounded_number_of_looks()
    {
        SimulatedNetwork world = Ring(10);
        Notice good = SimulatedNoticePolicy.Sign(Kind, 5, new byte[100]);
        int before = _policy.Verified;
        for (int i = 0; i < 500; i++)
        {
            NoticeHead head = NoticeHead.Of(good with { Number = (ulong)(6 + i) });
            AnnounceToAll(world, new AnnounceMessage(world.Nodes[5].Node.Address, head));
        }

        world.Run(TimeSpan.FromSeconds(5));
        Assert.Empty(_arrived);

        // Sixteen of the 500 that each node gets in the time that they are counted in, which may end while they come.
        Assert.InRange(_policy.Verified - before, 1, 2 * 16 * 9);
    }

    [Fact]
    public void One_whose_body_says_that_it_is_none_goes_no_further_and_keeps_no_other_one_out()
    {
        SimulatedNetwork world = Ring(10);
        _policy.Unwanted = 1;
        Assert.False(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 9, new byte[] { 1 })));
        var careless = new SimulatedNoticePolicy();
        world.Nodes[5].Node.NoticePolicy = careless;
        Assert.True(world.Nodes[5].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 9, new byte[] { 1, 2 })));
        world.Run(TimeSpan.FromSeconds(30));
        Assert.Equal([5], _arrived);
        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 2, new byte[] { 2 })));
        Assert.NotNull(world.RunUntil(() => _arrived.Count == 10, TimeSpan.FromSeconds(30)));
        Assert.All(world.Nodes.Where(node => node.Index != 5), node => Assert.Equal(2ul, node.Node.NewestNotice(Kind)!.Number));
    }

    [Fact]
    public void An_older_one_changes_nothing_and_its_sender_is_told_of_the_newer()
    {
        SimulatedNetwork world = Ring(10);
        Assert.True(world.Nodes[3].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 5, new byte[100])));
        world.Run(TimeSpan.FromSeconds(5));
        Assert.Equal(10, _arrived.Count);
        AnnounceToAll(world, new AnnounceMessage(world.Nodes[5].Node.Address, NoticeHead.Of(SimulatedNoticePolicy.Sign(Kind, 4, new byte[100]))));
        world.Run(TimeSpan.FromSeconds(5));
        Assert.Equal(10, _arrived.Count);
        Assert.All(world.Nodes, node => Assert.Equal(5ul, node.Node.NewestNotice(Kind)!.Number));
        Assert.False(world.Nodes[2].Node.Publish(world.Now, SimulatedNoticePolicy.Sign(Kind, 5, new byte[100])));
    }

    [Fact]
    public void One_that_is_too_large_is_refused_though_it_is_signed()
    {
        SimulatedNetwork world = Ring(10);
        Notice large = SimulatedNoticePolicy.Sign(Kind, 1, new byte[Notice.MaxSize + 1]);
        Assert.False(world.Nodes[3].Node.Publish(world.Now, large));
        AnnounceToAll(world, new AnnounceMessage(world.Nodes[5].Node.Address, NoticeHead.Of(large)));
        world.Run(TimeSpan.FromSeconds(5));
        Assert.Empty(_arrived);
        Assert.Equal(0, _policy.Verified);
    }

    [Fact]
    public void Another_body_than_was_signed_is_not_taken_and_the_right_one_comes_from_somebody_else()
    {
        SimulatedNetwork world = Ring(10);
        Notice notice = SimulatedNoticePolicy.Sign(Kind, 1, new byte[600]);
        AnnounceToAll(world, new AnnounceMessage(world.Nodes[5].Node.Address, NoticeHead.Of(notice)));
        byte[] false1 = new byte[NoticePieceMessage.HeaderSize + 600];
        false1.AsSpan().Fill(1);
        new NoticePieceMessage(Kind, 1, 0, false1.AsSpan(NoticePieceMessage.HeaderSize)).Write(false1);
        SendToAll(world, false1);
        world.Run(TimeSpan.FromSeconds(3));
        Assert.Empty(_arrived);
        Assert.True(world.Nodes[3].Node.Publish(world.Now, notice));
        Assert.NotNull(world.RunUntil(() => _arrived.Count >= 9, TimeSpan.FromSeconds(20)));
        Assert.All(world.Nodes.Where(node => node.Index != 5), node => Assert.Equal(0, node.Node.NewestNotice(Kind)!.Body.Span[0]));
    }

    private static void AnnounceToAll(SimulatedNetwork world, AnnounceMessage announce)
    {
        byte[] message = new byte[AnnounceMessage.MaxSize];
        SendToAll(world, message[..announce.Write(message)]);
    }

    private static void SendToAll(SimulatedNetwork world, byte[] message)
    {
        NodeParts evil = world.Nodes[5].Node.Parts;
        foreach (Peer peer in evil.Peers.Values)
        {
            evil.Transport.SendMessage(world.Now, peer, message);
        }
    }

    private SimulatedNode Add(SimulatedNetwork world)
    {
        SimulatedNode node = world.Add(NatKind.None, Records);
        node.Node.NoticePolicy = _policy;
        node.Node.NoticeArrived = (_, _) => _arrived.Add(node.Index);
        return node;
    }

    private SimulatedNetwork Ring(int nodes)
    {
        var world = new SimulatedNetwork(seed: 61);
        for (int i = 0; i < nodes; i++)
        {
            Add(world);
        }

        world.Run(TimeSpan.FromSeconds(10));
        return world;
    }
}
