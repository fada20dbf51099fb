using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

/// <summary>Both ends begin at once, both handshakes end, and each end seals with the one that the other keeps as the older.</summary>
public sealed class CrossedSessionsTests
{
    [Theory]
    [InlineData(10)]
    [InlineData(40)]
    [InlineData(60)]
    public void Each_end_still_opens_what_the_other_seals_after_a_silence(double seconds)
    {
        var world = new SimulatedNetwork(seed: 82) { Latency = (_, _, _) => TimeSpan.FromMilliseconds(5) };
        for (int i = 0; i < 3; i++)
        {
            world.Add(NatKind.None, new SmallerOwnerWins());
            world.Run(TimeSpan.FromSeconds(4));
        }

        SimulatedNode[] ends = [.. world.Nodes.Skip(1).OrderBy(node => node.Node.Address)];
        (SimulatedNode smaller, SimulatedNode larger) = (ends[0], ends[1]);
        Cross(world, smaller, larger);

        world.Wire = (_, _, _) => false;
        world.Run(TimeSpan.FromSeconds(seconds));
        foreach ((SimulatedNode from, SimulatedNode to) in new[] { (smaller, larger), (larger, smaller) })
        {
            Assert.NotNull(to.Node.Parts.Sessions.Find(Known(from, to).Current!.RemoteIndex));
        }
    }

    // The smaller's last flight is late, so that the larger's own handshake ends as well.
    private static void Cross(SimulatedNetwork world, SimulatedNode smaller, SimulatedNode larger)
    {
        TimeSpan late = world.Now + TimeSpan.FromMilliseconds(400);
        uint own = 0;
        world.Wire = (from, _, datagram) => from != smaller || world.Now >= late
            || !HandshakeFrame.TryRead(datagram, from.Node.Parts.Local.Settings.PoolSecret.Span, out HandshakeFrame frame) || frame.ReceiverIndex == 0 || frame.SenderIndex != own;
        foreach ((SimulatedNode node, SimulatedNode other) in new[] { (smaller, larger), (larger, smaller) })
        {
            node.Node.Parts.Peers.ForgetSessions(Known(node, other));
            node.Node.Parts.Handshaker.Rekey(world.Now, Known(node, other));
        }

        own = Known(smaller, larger).Pending!.LocalIndex;
        world.Run(TimeSpan.FromSeconds(2));
        Assert.NotEqual(Known(smaller, larger).Current!.LocalIndex, Known(larger, smaller).Current!.RemoteIndex);
    }

    private static Peer Known(SimulatedNode node, SimulatedNode other) => node.Node.Parts.Peers[other.Node.Address];
}
