using Brunet.Tests.Links;
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
        world.Talk(other, moves, TimeSpan.FromSeconds(20));
        Assert.Equal(PathKind.Direct, other.PathTo(moves));

        SimulatedNetwork.Forget(moves, moves: true);
        SimulatedNode? first = null;
        world.Wire = (from, to, _) =>
        {
            first ??= to.IPv4 == moves.PublicEndpoint.IPv4 && to.Port != other.Node.Parts.Peers[moves.Node.Address].LastDirect?.Endpoint.Port ? from : null;
            return (from != first && from != other) || to.IPv4 == moves.PublicEndpoint.IPv4;
        };
        TimeSpan silence = world.Talk(other, moves, TimeSpan.FromSeconds(5));
        Assert.NotNull(first);
        return silence;
    }
}
