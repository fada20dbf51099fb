using Testing.Simulation;

namespace Brunet.Tests.Nat;

/// <summary>
/// A NAT takes another port, and the neighbour that says so first hands nothing on: what lies behind it was forgotten, too. Who is talked to is heard by nobody else
/// meanwhile, so it can't ask by itself.
/// </summary>
public sealed class NewPortTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void Who_is_talked_to_is_told_by_another_way_where_the_first_one_leads_nowhere()
    {
        for (int seed = 1; seed <= 10; seed++)
        {
            TimeSpan silence = SilenceOf(seed);
            Assert.True(silence < TimeSpan.FromSeconds(1), $"seed {seed}: silent for {silence}");
        }
    }

    private static TimeSpan SilenceOf(int seed)
    {
        var world = new SimulatedNetwork(seed) { Latency = (_, _, chance) => TimeSpan.FromMilliseconds(5 + chance) };
        for (int i = 0; i < 8; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        (SimulatedNode moves, SimulatedNode other) = (world.Add(NatKind.PortRestricted, Policy), world.Add(NatKind.PortRestricted, Policy));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        Talk(world, moves, other, TimeSpan.FromSeconds(20));
        Assert.Equal(PathKind.Direct, other.PathTo(moves));

        SimulatedNetwork.Forget(moves, moves: true);
        SimulatedNode? first = null;
        world.Wire = (from, to, _) =>
        {
            first ??= to.IPv4 == moves.PublicEndpoint.IPv4 && to.Port != other.Node.Parts.Peers[moves.Node.Address].LastDirect?.Endpoint.Port ? from : null;
            return (from != first && from != other) || to.IPv4 == moves.PublicEndpoint.IPv4;
        };
        TimeSpan silence = Talk(world, moves, other, TimeSpan.FromSeconds(5));
        Assert.NotNull(first);
        return silence;
    }

    /// <summary>A packet each way ten times a second; how long the second of the two heard nothing at the longest.</summary>
    private static TimeSpan Talk(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, TimeSpan time)
    {
        (TimeSpan last, TimeSpan longest, int heard) = (world.Now, default, two.Delivered.Count);
        for (TimeSpan end = world.Now + time; world.Now < end; world.Run(TimeSpan.FromMilliseconds(100)))
        {
            one.Node.Send(world.Now, two.Node.Address, [1]);
            two.Node.Send(world.Now, one.Node.Address, [2]);
            (last, heard) = two.Delivered.Count > heard ? (world.Now, two.Delivered.Count) : (last, heard);
            longest = world.Now - last > longest ? world.Now - last : longest;
        }

        return longest;
    }
}
