using System.Net;
using Testing.Simulation;

namespace Brunet.Tests.Sessions;

public sealed class RehandshakeTests
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_new_certificate_is_known_to_the_peer_and_no_packet_of_a_steady_stream_both_ways_is_lost(bool bothAtOnce)
    {
        var world = new SimulatedNetwork(seed: 51);
        for (int i = 0; i < 3; i++)
        {
            world.Add(NatKind.None, Policy, isOpen: false);
            world.Run(TimeSpan.FromSeconds(4));
        }

        (SimulatedNode one, SimulatedNode two) = (world.Nodes[1], world.Nodes[2]);
        one.Node.Send(world.Now, two.Node.Address, [0]);
        world.Run(TimeSpan.FromSeconds(3));
        one.Delivered.Clear();
        two.Delivered.Clear();
        int sent = 0;
        for (; sent < 2000; sent++)
        {
            if (sent == 400)
            {
                Renew(world, one);
                if (bothAtOnce)
                {
                    Renew(world, two);
                }
            }

            one.Node.Send(world.Now, two.Node.Address, BitConverter.GetBytes(sent));
            two.Node.Send(world.Now, one.Node.Address, BitConverter.GetBytes(sent));
            world.Run(TimeSpan.FromMilliseconds(2));
        }

        world.Run(TimeSpan.FromSeconds(1));
        foreach ((SimulatedNode receiver, SimulatedNode sender) in new[] { (two, one), (one, two) })
        {
            int[] numbers = [.. receiver.Delivered.Select(delivered => BitConverter.ToInt32(delivered.Packet))];
            Assert.Equal(Enumerable.Range(0, sent), numbers.Order());
            Assert.Equal(sender.Identity.Certificate!.Serial, receiver.Delivered[^1].Source.Certificate!.Serial);
        }
    }

    private static void Renew(SimulatedNetwork world, SimulatedNode node)
    {
        string before = node.Identity.Certificate!.Serial;
        node.Identity.Certificate = world.Authority.Issue(node.Identity.Address, IPAddress.Parse("10.128.0.9"), "renewed", isManager: false);
        Assert.NotEqual(before, node.Identity.Certificate.Serial);
        node.Node.IdentityChanged(world.Now);
    }
}
