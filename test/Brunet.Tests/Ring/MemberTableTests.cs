using Brunet.Addressing;
using Brunet.Ring;
using Testing.Simulation;

namespace Brunet.Tests.Ring;

public sealed class MemberTableTests
{
    [Fact]
    public void The_table_holds_the_linked_members_and_knows_its_sides_as_the_geometry_does()
    {
        var world = new SimulatedNetwork(seed: 12);
        for (int i = 0; i < 40; i++)
        {
            world.Add(i % 3 == 0 ? NatKind.None : NatKind.PortRestricted, new SmallerOwnerWins());
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        var random = new Random(12);
        for (int round = 0; round < 60; round++)
        {
            if (round is 10 or 20)
            {
                world.Nodes[round].Kill();
            }

            world.Run(TimeSpan.FromSeconds(1));
            foreach (SimulatedNode node in world.Nodes.Where(node => node.IsAlive))
            {
                CheckMembers(node.Node.Parts);
                CheckSides(node.Node.Parts, random);
            }
        }
    }

    private static void CheckMembers(NodeParts parts)
    {
        // Links that fall within the last tick are noticed at the next one.
        parts.Peers.Touch();
        NodeAddress[] linked = [.. parts.Peers.Values.Where(parts.Peers.IsMember).Select(peer => peer.Address).Order()];
        Assert.Equal(linked, parts.Members.Addresses());
        Assert.Equal(linked.Length, parts.Members.Count);
        Assert.All(linked, address => Assert.True(parts.Members.Contains(address)));
        Assert.False(parts.Members.Contains(parts.Local.Self));
        Assert.All(Enumerable.Range(0, 5), _ => Assert.Contains(parts.Members.ByChance(_ => true)!.Address, linked));
        Assert.Null(parts.Members.ByChance(_ => false));
    }

    private static void CheckSides(NodeParts parts, Random random)
    {
        List<NodeAddress> all = parts.Members.Addresses();
        byte[] anywhere = new byte[NodeAddress.Size];
        random.NextBytes(anywhere);
        foreach (NodeAddress position in new[] { parts.Local.Self, all[random.Next(all.Count)], NodeAddress.Read(anywhere) })
        {
            foreach (int perSide in new[] { 1, 2, 4, all.Count / 2, all.Count })
            {
                Assert.Equal(Neighbourhood.Nearest(position, all, perSide), parts.Members.Around(position, perSide));
            }
        }

        NodeAddress[] after = [.. all.Where(address => parts.Local.Self.ClockwiseTo(address) < address.ClockwiseTo(parts.Local.Self)).OrderBy(parts.Local.Self.ClockwiseTo)];
        NodeAddress[] before = [.. all.Except(after).OrderBy(address => address.ClockwiseTo(parts.Local.Self))];
        Assert.Equal(after, parts.Members.Side(clockwise: true));
        Assert.Equal(before, parts.Members.Side(clockwise: false));
    }
}
