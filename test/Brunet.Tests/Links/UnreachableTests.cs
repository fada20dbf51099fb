using Brunet.Addressing;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>When a node is held to be gone, by those who send it packets.</summary>
public sealed class UnreachableTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(NatKind.None)]
    [InlineData(NatKind.PortRestricted)]
    public void A_node_that_dies_without_a_word_is_unreachable_after_seconds_and_no_more_once_it_is_back(NatKind kind)
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Pair(kind);
        Assert.Equal(0, Stream(world, one, two.Node.Address, seconds: 5));
        two.Kill();
        Assert.Equal(0, Stream(world, one, two.Node.Address, seconds: 2.5));
        Assert.InRange(Stream(world, one, two.Node.Address, seconds: 5), 40, 50);
        world.Restart(two, Policy);
        Stream(world, one, two.Node.Address, seconds: 20);
        Assert.Equal(0, Stream(world, one, two.Node.Address, seconds: 10));
    }

    [Fact]
    public void A_node_that_never_was_is_unreachable_after_seconds()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Pair(NatKind.None);
        Span<byte> nobody = stackalloc byte[NodeAddress.Size];
        two.Node.Address.Write(nobody);
        nobody[^1] ^= 1;
        NodeAddress address = NodeAddress.Read(nobody);
        Assert.False(one.Node.IsUnreachable(world.Now, address));
        Assert.Equal(0, Stream(world, one, address, seconds: 2.5));
        Assert.InRange(Stream(world, one, address, seconds: 5), 40, 50);
    }

    [Fact]
    public void Who_has_nothing_to_say_and_whom_nobody_writes_to_are_reachable()
    {
        // One way alone, over wires that lose: pings tell.
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Pair(NatKind.PortRestricted);
        world.Loss = 0.1;
        Assert.Equal(0, Stream(world, one, two.Node.Address, seconds: 60));
        for (int second = 0; second < 300; second++)
        {
            world.Run(TimeSpan.FromSeconds(1));
            Assert.False(one.Node.IsUnreachable(world.Now, two.Node.Address));
        }
    }

    private static (SimulatedNetwork World, SimulatedNode One, SimulatedNode Two) Pair(NatKind kind)
    {
        var world = new SimulatedNetwork(seed: 71);
        for (int i = 0; i < 4; i++)
        {
            world.Add(i < 2 ? NatKind.None : kind, Policy);
            world.Run(TimeSpan.FromSeconds(4));
        }

        world.Run(TimeSpan.FromSeconds(10));
        return (world, world.Nodes[2], world.Nodes[3]);
    }

    /// <summary>Sends ten packets a second one way; at how many of them the other end was held to be unreachable.</summary>
    private static int Stream(SimulatedNetwork world, SimulatedNode from, NodeAddress to, double seconds)
    {
        int unreachable = 0;
        for (int sent = 0; sent < 10 * seconds; sent++)
        {
            from.Node.Send(world.Now, to, [1]);
            world.Run(TimeSpan.FromSeconds(0.1));
            unreachable += from.Node.IsUnreachable(world.Now, to) ? 1 : 0;
        }

        return unreachable;
    }
}
