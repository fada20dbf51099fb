using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Brunet.Ring;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Ring;

/// <summary>Two rings that stood apart: once two of their nodes meet, the word goes along shortcuts, and most look for their places at once.</summary>
public sealed class OtherRingTests(ITestOutputHelper output)
{
    private const int Nodes = 120;

    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void The_news_of_another_ring_goes_along_shortcuts_and_the_rings_become_one()
    {
        SimulatedNetwork world = Parted();
        Assert.Equal(0, Heard(world));
        world.IsParted = null;
        Assert.NotNull(world.RunUntil(world.IsOneRing, TimeSpan.FromSeconds(60)));
        output.WriteLine($"{Heard(world)} of {Nodes} nodes asked on a peer's word");
        Assert.InRange(Heard(world), Nodes / 4, Nodes);
    }

    [Fact]
    public void In_one_ring_nobody_speaks_of_another()
    {
        SimulatedNetwork world = Parted();
        world.IsParted = null;
        Assert.NotNull(world.RunUntil(world.IsOneRing, TimeSpan.FromSeconds(60)));
        world.Run(TimeSpan.FromSeconds(30));
        TimeSpan since = world.Now;
        world.Run(TimeSpan.FromSeconds(60));
        Assert.DoesNotContain(world.Nodes.SelectMany(node => node.Node.Parts.Peers.Values.Select(node.Node.Parts.OtherRing.BelievedFrom)), time => time > since);
    }

    /// <summary>Who saw a question on its way tells its token to as many keys as he likes, and each has a session.</summary>
    [Fact]
    public void Who_is_no_member_is_no_witness_of_his_own_though_he_answers_in_his_own_session()
    {
        var world = new SimulatedNetwork(seed: 83);
        for (int i = 0; i < 4; i++)
        {
            world.Add(NatKind.None, Policy, isOpen: false);
        }

        world.Run(TimeSpan.FromSeconds(20));
        NodeParts parts = world.Nodes[0].Node.Parts;
        NodeAddress member = world.Nodes[1].Node.Address;
        FinderField(parts.OtherRing).Ask(world.Now, member);
        uint token = AskedField(FinderField(parts.OtherRing)).Keys.Last();
        byte[] body = new byte[AddressList.MaxSize];
        int length = AddressList.WriteFound(body, token, []);
        HashSet<NodeAddress> strangers = [.. Enumerable.Range(1, 64).Select(i => new NodeAddress((uint)i, 0, 0))];
        foreach (NodeAddress speaker in (NodeAddress[])[.. strangers, member])
        {
            parts.OtherRing.OnFound(world.Now, speaker, new RoutedHeader(1, Exact: true, RoutedType.Found, speaker, default, parts.Local.Self, default), body.AsSpan(0, length));
        }

        IReadOnlyDictionary<NodeAddress, Hearsay.Word> words = HearsayField(parts.Ring).Words;
        Assert.Equal(8, words.Keys.Count(strangers.Contains));
        Assert.DoesNotContain(words, word => strangers.Contains(word.Key) && word.Value.IsProven);
        Assert.True(words[member].IsProven);
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "<finder>P")]
    private static extern ref NodeFinder FinderField(OtherRing ring);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_asked")]
    private static extern ref Dictionary<uint, NodeAddress> AskedField(NodeFinder finder);

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_hearsay")]
    private static extern ref Hearsay HearsayField(RingKeeper ring);

    // Each half has a bootstrap of its own and knows the other's.
    private static SimulatedNetwork Parted()
    {
        var world = new SimulatedNetwork(seed: 82) { IsParted = (from, to) => from.Index % 2 != to.Index % 2 };
        for (int i = 0; i < Nodes; i++)
        {
            world.Add(i % 4 < 2 ? NatKind.None : NatKind.PortRestricted, Policy, [SimulatedNetwork.EndpointOf(0), SimulatedNetwork.EndpointOf(1)], isFirst: i < 2);
            world.Run(TimeSpan.FromMilliseconds(50));
        }

        world.Run(TimeSpan.FromSeconds(40));
        return world;
    }

    private static int Heard(SimulatedNetwork world) =>
        world.Nodes.Count(node => node.Node.Parts.Peers.Values.Any(peer => node.Node.Parts.OtherRing.BelievedFrom(peer) > TimeSpan.Zero));
}
