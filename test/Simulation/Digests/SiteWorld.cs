using Brunet.Addressing;
using Testing.Simulation;
using Testing.Simulation.Sites;

namespace Simulation.Digests;

/// <summary>A node at each of the known sites, which speaks with two others: punching, searched ports, mapped ports, relays and TCP have their turn.</summary>
internal static class SiteWorld
{
    private const int Seconds = 20;

    /// <summary>How far the partners stand in the list of the sites; each kind meets a like and an unlike one.</summary>
    private static readonly int[] Partners = [1, 7];

    private static readonly string[] First = ["198.19.1.1", "2001:db8:57::1"];

    /// <summary>Plays it.</summary>
    /// <param name="seed">The run.</param>
    /// <returns>The digest of all that was sent.</returns>
    public static ulong Play(int seed)
    {
        var policy = new SmallerOwnerWins();
        var world = new SimulatedNetwork(seed) { Lan = (one, other) => one.Host.Lan == other.Host.Lan && !one.Host.Lan.IsIsolated };
        TransportAddress[] list = [.. First.Select(text => SimulatedSites.Address(text) with { Port = SimulatedNetwork.Group.Port })];
        world.Add(world.Sites.MakePublic(First), policy, [], isFirst: true);
        var nodes = new List<SimulatedNode>();
        foreach (string name in SimulatedSites.Names)
        {
            nodes.Add(world.Add(world.Sites.Make(name), policy, list));
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        for (int second = 0; second < Seconds; second++)
        {
            for (int i = 0; i < nodes.Count; i++)
            {
                foreach (int partner in Partners)
                {
                    nodes[i].Node.Send(world.Now, nodes[(i + partner) % nodes.Count].Node.Address, [1]);
                }
            }

            world.Run(TimeSpan.FromSeconds(1));
        }

        return world.Digest;
    }
}
