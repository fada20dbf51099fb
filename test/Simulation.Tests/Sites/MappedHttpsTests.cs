using Brunet;
using Brunet.Addressing;
using Testing.Simulation;
using Testing.Simulation.Sites;

namespace Simulation.Tests.Sites;

/// <summary>A side that lets out nothing but TCP 443 reaches whom a gateway has mapped that port for.</summary>
public sealed class MappedHttpsTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData("pcp")]
    [InlineData("upnp")]
    public void A_mapped_port_443_makes_the_pair_straight(string site)
    {
        var world = new SimulatedNetwork(seed: 3);
        string[] first = ["198.19.1.1", "2001:db8:57::1"];
        TransportAddress[] list = [.. first.Select(text => SimulatedSites.Address(text) with { Port = 4433 })];
        world.Add(world.Sites.MakePublic(first), Policy, [], isFirst: true);
        SimulatedNode mapped = world.Add(world.Sites.Make(site), Policy, list), strict = world.Add(world.Sites.Make("tcp-443"), Policy, list);
        Assert.NotNull(world.RunUntil(() => mapped.Node.IsJoined && strict.Node.IsJoined, TimeSpan.FromSeconds(20)));
        world.Run(TimeSpan.FromSeconds(5));
        for (int steps = 0; steps < 100; steps++)
        {
            mapped.Node.Send(world.Now, strict.Node.Address, [1]);
            strict.Node.Send(world.Now, mapped.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        Assert.Equal((PathKind.Direct, PathKind.Direct), (mapped.PathTo(strict), strict.PathTo(mapped)));
    }
}
