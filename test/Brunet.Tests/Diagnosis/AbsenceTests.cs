using Brunet.Addressing;
using Testing.Simulation;

namespace Brunet.Tests.Diagnosis;

/// <summary>When a node is held to be gone, and not its peer's network, by those who send it packets.</summary>
public sealed class AbsenceTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(NatKind.None)]
    [InlineData(NatKind.PortRestricted)]
    public void A_node_without_power_is_gone_after_seconds_though_nobody_else_says_a_word_unasked(NatKind kind)
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Talking(kind);
        two.Kill();
        Assert.Null(GoneAfter(world, one, two.Node.Address, seconds: 2.5));
        Assert.InRange(GoneAfter(world, one, two.Node.Address, seconds: 5) ?? 99, 0, 2.5);
    }

    [Fact]
    public void Who_has_lost_his_own_network_holds_nobody_to_be_gone()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Talking(NatKind.PortRestricted);
        world.IsParted = (from, to) => from == one || to == one;
        Assert.Null(GoneAfter(world, one, two.Node.Address, seconds: 60));
    }

    [Fact]
    public void A_node_that_was_never_met_is_not_gone()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Talking(NatKind.None);
        Span<byte> nobody = stackalloc byte[NodeAddress.Size];
        two.Node.Address.Write(nobody);
        nobody[^1] ^= 1;
        Assert.Null(GoneAfter(world, one, NodeAddress.Read(nobody), seconds: 30));
        Assert.True(one.Node.IsUnreachable(world.Now, NodeAddress.Read(nobody)));
    }

    [Fact]
    public void A_node_that_was_met_is_gone_also_when_it_was_forgotten_as_a_peer()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Talking(NatKind.None);
        two.Kill();
        world.Run(TimeSpan.FromMinutes(6));
        Assert.InRange(GoneAfter(world, one, two.Node.Address, seconds: 10) ?? 99, 2.5, 7);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(300)]
    public void A_node_that_is_back_is_heard_by_who_seeks_it_though_nobody_sends_it_anything(int away)
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Talking(NatKind.PortRestricted);
        NodeAddress address = two.Node.Address;
        two.Kill();
        TimeSpan begin = world.Now;
        for (int second = 0; second < away; second += 5)
        {
            one.Node.Seek(world.Now, address);
            world.Run(TimeSpan.FromSeconds(5));
        }

        Assert.False(one.Node.HeardAt(address) > begin + TimeSpan.FromSeconds(1));
        world.Restart(two, Policy);
        TimeSpan back = world.Now;
        for (int second = 0; second < 25 && !(one.Node.HeardAt(address) > back); second += 5)
        {
            one.Node.Seek(world.Now, address);
            world.RunUntil(() => one.Node.HeardAt(address) > back, TimeSpan.FromSeconds(5));
        }

        Assert.True(one.Node.HeardAt(address) > back);
    }

    /// <summary>After so many seconds of ten packets each the one held the other to be gone; null if it did not.</summary>
    private static double? GoneAfter(SimulatedNetwork world, SimulatedNode from, NodeAddress to, double seconds)
    {
        for (int sent = 0; sent < 10 * seconds; sent++)
        {
            from.Node.Send(world.Now, to, [1]);
            world.Run(TimeSpan.FromSeconds(0.1));
            if (from.Node.IsGone(world.Now, to))
            {
                return sent / 10.0;
            }
        }

        return null;
    }

    private static (SimulatedNetwork World, SimulatedNode One, SimulatedNode Two) Talking(NatKind kind)
    {
        var world = new SimulatedNetwork(seed: 97);
        for (int i = 0; i < 4; i++)
        {
            world.Add(i < 2 ? NatKind.None : kind, Policy);
            world.Run(TimeSpan.FromSeconds(4));
        }

        world.Run(TimeSpan.FromSeconds(60));
        (SimulatedNode one, SimulatedNode two) = (world.Nodes[2], world.Nodes[3]);
        Assert.Null(GoneAfter(world, one, two.Node.Address, seconds: 5));
        return (world, one, two);
    }
}
