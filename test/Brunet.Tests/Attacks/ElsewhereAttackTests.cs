using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Attacks;

/// <summary>A peer that names other rings where there are none: its word costs a question now and then, and a word that may not be believed costs nothing.</summary>
public sealed class ElsewhereAttackTests
{
    private const int Honest = 24;

    /// <summary>In one world alone what is sent by chance in the same two seconds may outweigh the questions.</summary>
    private const int Worlds = 5;

    private const byte UnknownType = 99;

    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void Two_hundred_lies_to_each_peer_cost_each_one_question()
    {
        long one = SentAfter(isMember: true, lies: 1, Somewhere);
        long many = SentAfter(isMember: true, lies: 200, Somewhere);
        long none = SentAfter(isMember: true, lies: 1, Unknown);

        // A question goes a few hops, and so does its answer. What else is sent differs by a ping or two.
        Assert.InRange(one - none, 2 * Worlds, Honest * 20 * Worlds);
        Assert.True(many <= one + (Honest * Worlds), $"{many - none} datagrams for 200 lies, {one - none} for one");
    }

    [Fact]
    public void The_word_of_a_leaf_is_passed_over() =>
        Assert.Equal(SentAfter(isMember: false, lies: 5, Unknown), SentAfter(isMember: false, lies: 5, Somewhere));

    [Fact]
    public void A_word_of_another_length_is_passed_over() =>
        Assert.Equal(SentAfter(isMember: true, lies: 5, Unknown), SentAfter(isMember: true, lies: 5, (parts, number) => Somewhere(parts, number)[..^1]));

    [Fact]
    public void A_linked_node_stands_in_no_other_ring() =>
        Assert.Equal(SentAfter(isMember: true, lies: 5, Unknown), SentAfter(isMember: true, lies: 5, (parts, _) => Message(parts.Local.Self)));

    private static byte[] Somewhere(NodeParts liar, int number) => Message(NodeAddress.FromPublicKey([(byte)number, 17]));

    private static byte[] Unknown(NodeParts liar, int number)
    {
        byte[] message = Somewhere(liar, number);
        message[0] = UnknownType;
        return message;
    }

    private static byte[] Message(NodeAddress address)
    {
        byte[] message = new byte[ElsewhereMessage.Size];
        ElsewhereMessage.Write(message, address);
        return message;
    }

    /// <summary>Datagrams that all others send in the two seconds after one node told each of its peers so many lies; the worlds are the same each time.</summary>
    private static long SentAfter(bool isMember, int lies, Func<NodeParts, int, byte[]> lie) =>
        Enumerable.Range(81, Worlds).Sum(seed => SentAfter(seed, isMember, lies, lie));

    private static long SentAfter(int seed, bool isMember, int lies, Func<NodeParts, int, byte[]> lie)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < Honest; i++)
        {
            world.Add(NatKind.None, Policy, isOpen: false);
            world.Run(TimeSpan.FromMilliseconds(200));
        }

        NodeParts liar = world.Add(NatKind.None, Policy, isOpen: false, certified: isMember).Node.Parts;
        world.Run(TimeSpan.FromSeconds(30));
        Assert.All(world.Nodes.Take(Honest), node => Assert.True(node.Node.Parts.Shortcuts.HasAny));
        long before = world.Nodes.Take(Honest).Sum(node => node.SentDatagrams);
        int told = 0;
        foreach (Peer peer in liar.Peers.Values)
        {
            for (int number = 0; number < lies; number++)
            {
                liar.Transport.HandOn(world.Now, peer, lie(liar, number));
                told++;
            }
        }

        Assert.InRange(told, 4 * lies, Honest * lies);
        world.Run(TimeSpan.FromSeconds(2));
        return world.Nodes.Take(Honest).Sum(node => node.SentDatagrams) - before;
    }
}
