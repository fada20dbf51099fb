using Brunet.Links;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>A NAT has forgotten all connections of a machine that has no UDP, and nobody is told.</summary>
public sealed class ForgottenConnectionsTests
{
    private readonly SimulatedNetwork _world = new(seed: 4) { AllListen = true, Latency = (_, _, _) => TimeSpan.FromMilliseconds(1) };

    /// <summary>
    /// The connection to the relay was heard a moment before, and what goes by it is handed on, so it is not in doubt by itself for a second. A packet each way ten times a
    /// second: 0.4 s until the first ping is missed, 0.2 s for one by each other connection, then a new one, and a ping by the relay.
    /// </summary>
    [Fact]
    public void The_relays_connection_is_made_anew_though_it_was_heard_a_moment_before()
    {
        SimulatedNode first = _world.Add(NatKind.None, new SmallerOwnerWins());
        SimulatedNode one = _world.Add(NatKind.UdpBlocked, new SmallerOwnerWins()), two = _world.Add(NatKind.UdpBlocked, new SmallerOwnerWins());
        _world.Talk(one, two, TimeSpan.FromSeconds(5));
        Assert.Equal(PathKind.Direct, one.PathTo(two));

        // They can't meet again, so the relay is all that is left.
        one.HasOneTcpPort = false;
        Peer relay = one.Node.Parts.Peers[first.Node.Address];
        one.Node.Parts.Paths.Ask(_world.Now, relay, relay.Best!);
        _world.Talk(one, two, TimeSpan.FromMilliseconds(50));
        SimulatedNetwork.Forget(one);
        TimeSpan silence = _world.Talk(one, two, TimeSpan.FromSeconds(4));
        Assert.InRange(silence, TimeSpan.FromSeconds(0.4), TimeSpan.FromSeconds(0.95));
    }
}
