using Brunet.Wire;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

/// <summary>
/// A server sends no more to an unproven address than came from it. When what it sent is lost, and it has said that it has all of the client's, the
/// client has to show itself, or both would wait for the handshake's end by the clock.
/// </summary>
public sealed class LostAnswerTests
{
    [Theory]
    [InlineData(0.5)]
    [InlineData(1.5)]
    [InlineData(3)]
    public void A_node_whose_answers_were_lost_for_a_while_joins_within_three_seconds_after(double seconds)
    {
        var world = new SimulatedNetwork(seed: 81);
        SimulatedNode one = world.Add(NatKind.None, new SmallerOwnerWins());
        world.Run(TimeSpan.FromSeconds(4));
        SimulatedNode two = world.Add(NatKind.PortRestricted, new SmallerOwnerWins());
        TimeSpan until = world.Now + TimeSpan.FromSeconds(seconds);

        // Acknowledgements without data get through.
        world.Wire = (from, _, datagram) => from != one || world.Now >= until || datagram.Length <= HandshakeFrame.HeaderSize;
        world.Run(TimeSpan.FromSeconds(seconds));
        Assert.False(two.Node.IsJoined);
        Assert.NotNull(world.RunUntil(() => two.Node.IsJoined, TimeSpan.FromSeconds(3)));
    }
}
