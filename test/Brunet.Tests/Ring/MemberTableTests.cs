using Brunet.Addressing;
using Brunet.Links;
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
                CheckMembers(node.Node.Core);
                CheckSides(node.Node.Core, random);
            }
        }
    }

    private static void CheckMembers(NodeCore core)
    {
        // Links that fall within the last tick are noticed at the next one.
        core.Ring.Touch();
        NodeAddress[] linked = [.. core.Peers.Values.Where(core.IsMemberPeer).Select(peer => peer.Address).Order()];
        Assert.Equal(linked, core.Members.Addresses());
        Assert.Equal(linked.Length, core.Members.Count);
        Assert.All(linked, address => Assert.True(core.Members.Contains(address)));
        Assert.False(core.Members.Contains(core.Self));
        Assert.All(Enumerable.Range(0, 5), _ => Assert.Contains(core.Members.ByChance(_ => true)!.Address, linked));
        Assert.Null(core.Members.ByChance(_ => false));
    }

    private static void CheckSides(NodeCore core, Random random)
    {
        List<NodeAddress> all = core.Members.Addresses();
        byte[] anywhere = new byte[NodeAddress.Size];
        random.NextBytes(anywhere);
        foreach (NodeAddress position in new[] { core.Self, all[random.Next(all.Count)], NodeAddress.Read(anywhere) })
        {
            foreach (int perSide in new[] { 1, 2, 4, all.Count / 2, all.Count })
            {
                Assert.Equal(Neighbourhood.Nearest(position, all, perSide), core.Members.Around(position, perSide));
            }
        }

        NodeAddress[] after = [.. all.Where(address => core.Self.ClockwiseTo(address) < address.ClockwiseTo(core.Self)).OrderBy(core.Self.ClockwiseTo)];
        NodeAddress[] before = [.. all.Except(after).OrderBy(address => address.ClockwiseTo(core.Self))];
        Assert.Equal(after, core.Members.Side(clockwise: true));
        Assert.Equal(before, core.Members.Side(clockwise: false));
    }
}
