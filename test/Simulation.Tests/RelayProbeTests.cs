using Brunet;
using Testing.Simulation;

namespace Simulation.Tests;

/// <summary>What relays are asked to carry.</summary>
public sealed class RelayProbeTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void Over_relays_nobody_is_tried_who_is_reached_straight_and_has_nothing_to_hear()
    {
        var world = new SimulatedNetwork(seed: 1);
        for (int i = 0; i < 20; i++)
        {
            world.Add(i % 2 == 0 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        world.Run(TimeSpan.FromSeconds(8));
        Assert.All(world.Nodes, node => Assert.NotEmpty(node.Node.Peers(world.Now)));
        Assert.DoesNotContain(world.Nodes, node => HasRelay(world, node));
    }

    private static bool HasRelay(SimulatedNetwork world, SimulatedNode node)
    {
        foreach (PeerStatus peer in node.Node.Peers(world.Now))
        {
            if (peer.Path == PathKind.Direct && peer.Paths.Any(path => path.Kind == PathKind.Relay))
            {
                return true;
            }
        }

        return false;
    }
}
