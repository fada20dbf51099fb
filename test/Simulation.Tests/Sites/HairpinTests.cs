using Brunet;
using Testing.Simulation;
using Testing.Simulation.Sites;

namespace Simulation.Tests.Sites;

/// <summary>Two machines behind one NAT that know each other by its outside address, on a network that keeps them apart.</summary>
public sealed class HairpinTests
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);

    private int _heard;

    /// <summary>
    /// The first packet after the NAT forgot finds no port of the other one's open, is refused, and so are all that follow it: the pings by which both look whether
    /// their path is there again keep that so.
    /// </summary>
    [Fact]
    public void Two_behind_one_NAT_are_straight_again_though_it_goes_on_refusing_what_it_refused_once()
    {
        for (int seed = 1; seed <= 10; seed++)
        {
            var world = new SimulatedNetwork(seed) { Latency = (_, _, _) => TimeSpan.FromMilliseconds(1) };
            for (int i = 0; i < 4; i++)
            {
                world.Add(NatKind.None, Policy);
            }

            var gateway = new SimulatedGateway(world.Internet, SimulatedSites.Address("198.19.0.28"), NatKind.PortRestricted, new Random(seed)) { Hairpins = true, HoldsRefusals = true };
            gateway.Inner.IsIsolated = true;
            SimulatedNode one = world.Add(new SimulatedHost(gateway.Inner, SimulatedSites.Address("10.28.0.2")), Policy, [world.FirstEndpoint]);
            SimulatedNode two = world.Add(new SimulatedHost(gateway.Inner, SimulatedSites.Address("10.28.0.3")), Policy, [world.FirstEndpoint]);
            // No more can they meet by TCP.
            one.HasOneTcpPort = two.HasOneTcpPort = false;
            Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
            _heard = 0;
            Talk(world, one, two, TimeSpan.FromSeconds(5));
            for (int times = 1; times <= 3; times++)
            {
                Assert.True(AreStraight(one, two), $"seed {seed}, before it forgot {times} times");
                SimulatedNetwork.Forget(one);
                Talk(world, one, two, TimeSpan.FromSeconds(10));
            }

            Assert.True(AreStraight(one, two), $"seed {seed}, in the end");
        }
    }

    private static bool AreStraight(SimulatedNode one, SimulatedNode two) => one.PathTo(two) == PathKind.Direct && two.PathTo(one) == PathKind.Direct;

    /// <summary>One asks ten times a second; the other says nothing by itself, so its port is not open when the first question after the NAT forgot gets there.</summary>
    private void Talk(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, TimeSpan time)
    {
        TimeSpan next = world.Now;
        for (TimeSpan end = world.Now + time; world.Now < end; world.Run(Step))
        {
            if (world.Now >= next)
            {
                next += Interval;
                one.Node.Send(world.Now, two.Node.Address, [1]);
            }

            for (; _heard < two.Delivered.Count; _heard++)
            {
                two.Node.Send(world.Now, one.Node.Address, [2]);
            }
        }
    }
}
