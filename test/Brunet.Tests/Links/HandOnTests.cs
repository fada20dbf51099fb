using Brunet.Links;
using Testing.Simulation;

namespace Brunet.Tests.Links;

/// <summary>What has no answer says little by its silence, so it asks for fewer pings than what should be answered.</summary>
public sealed class HandOnTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Fact]
    public void What_is_handed_on_asks_for_less_than_half_of_the_pings()
    {
        long handedOn = Answers(isHandedOn: true);
        long sent = Answers(isHandedOn: false);
        Assert.True(2 * handedOn < sent, $"{handedOn} and {sent}");
    }

    [Fact]
    public void A_peer_that_died_is_noticed_by_what_is_handed_on()
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Pair();
        two.Kill();
        Assert.NotNull(world.RunUntil(
            () =>
            {
                Send(world, one, two, isHandedOn: true);
                return !one.IsLinkedTo(two);
            },
            TimeSpan.FromSeconds(4),
            TimeSpan.FromMilliseconds(250)));
    }

    /// <summary>Datagrams that come back in a minute in which 240 messages without an answer go.</summary>
    private static long Answers(bool isHandedOn)
    {
        (SimulatedNetwork world, SimulatedNode one, SimulatedNode two) = Pair();
        long before = two.SentDatagrams;
        for (int i = 0; i < 240; i++)
        {
            Send(world, one, two, isHandedOn);
            world.Run(TimeSpan.FromMilliseconds(250));
        }

        return two.SentDatagrams - before;
    }

    private static (SimulatedNetwork World, SimulatedNode One, SimulatedNode Two) Pair()
    {
        var world = new SimulatedNetwork(seed: 4);
        SimulatedNode one = world.Add(NatKind.None, Policy);
        SimulatedNode two = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(60));
        Assert.True(one.IsLinkedTo(two));
        return (world, one, two);
    }

    /// <summary>No message has the type 0: nobody answers.</summary>
    private static void Send(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, bool isHandedOn)
    {
        NodeParts parts = one.Node.Parts;
        if (parts.Peers.TryGetValue(two.Identity.Address, out Peer? peer))
        {
            if (isHandedOn)
            {
                parts.Transport.HandOn(world.Now, peer, [0]);
            }
            else
            {
                parts.Transport.SendMessage(world.Now, peer, [0]);
            }
        }
    }
}
