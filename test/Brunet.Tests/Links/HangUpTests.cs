using Brunet.Links;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>A NAT has forgotten the connection that carries a path.</summary>
public sealed class HangUpTests
{
    private readonly SimulatedNetwork _world = new(seed: 4) { AllListen = true, Latency = (_, _, _) => TimeSpan.FromMilliseconds(1) };

    /// <summary>One miss is enough where the peer is heard another way, and that comes sooner than a kernel can tell that a connection is dead.</summary>
    [Fact]
    public void A_connection_is_ended_as_soon_as_it_is_known_to_be_dead_though_its_path_fell_before_that()
    {
        _world.Add(NatKind.None, new SmallerOwnerWins());
        SimulatedNode one = _world.Add(NatKind.UdpBlocked, new SmallerOwnerWins()), two = _world.Add(NatKind.UdpBlocked, new SmallerOwnerWins());
        Talk(one, two, TimeSpan.FromSeconds(5));
        Assert.Equal(PathKind.Direct, one.PathTo(two));
        Peer peer = one.Node.Parts.Peers[two.Node.Address];
        Brunet.Links.Path former = peer.Best!;
        Assert.False(former.Way.IsUdp);

        // They can't meet again: nothing takes the former connection's place.
        two.HasOneTcpPort = false;
        SimulatedNetwork.Forget(two);
        Talk(one, two, TimeSpan.FromSeconds(0.9));
        Assert.False(former.IsAlive);
        Assert.Contains(former, peer.Paths);
        Talk(one, two, TimeSpan.FromSeconds(1.1));
        Assert.DoesNotContain(former, peer.Paths);
    }

    /// <summary>A packet each way, ten times a second.</summary>
    private void Talk(SimulatedNode one, SimulatedNode two, TimeSpan time)
    {
        for (TimeSpan end = _world.Now + time; _world.Now < end; _world.Run(TimeSpan.FromSeconds(0.01)))
        {
            if (_world.Now.Milliseconds % 100 < 10)
            {
                one.Node.Send(_world.Now, two.Node.Address, [1]);
                two.Node.Send(_world.Now, one.Node.Address, [2]);
            }
        }
    }
}
