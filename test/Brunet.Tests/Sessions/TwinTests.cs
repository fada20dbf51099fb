using Brunet.Sessions;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Sessions;

/// <summary>Two running machines with one key: both learn of it, and one falls silent.</summary>
public sealed class TwinTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void A_copy_of_a_node_is_noticed_by_both_machines_and_the_one_with_the_smaller_boot_id_goes_on(int seed)
    {
        var world = Ring(seed, nodes: 5);
        SimulatedNode original = world.Nodes[3];
        SimulatedNode copy = world.AddCopy(original, NatKind.None, Policy);
        CheckOneStays(world, original, copy);
        SimulatedNode stays = original.Node.Twin!.MustYield ? copy : original;
        stays.Delivered.Clear();
        for (int i = 0; i < 40; i++)
        {
            world.Nodes[1].Node.Send(world.Now, original.Identity.Address, [1]);
            world.Run(TimeSpan.FromSeconds(1));
        }

        Assert.InRange(stays.Delivered.Count, 20, 40);
        Assert.True(stays.Node.IsJoined);
    }

    [Fact]
    public void A_copy_that_calls_its_own_original_learns_it_from_the_handshake_with_itself()
    {
        var world = Ring(5, nodes: 1);
        SimulatedNode copy = world.AddCopy(world.Nodes[0], NatKind.None, Policy);
        CheckOneStays(world, world.Nodes[0], copy);
    }

    [Fact]
    public void A_machine_that_yielded_answers_no_call_to_the_group_and_the_other_one_does()
    {
        var world = Ring(10, nodes: 3);
        SimulatedNode original = world.Nodes[2];
        SimulatedNode copy = world.AddCopy(original, NatKind.None, Policy);
        CheckOneStays(world, original, copy);
        (SimulatedNode silent, SimulatedNode stays) = original.Node.Twin!.MustYield ? (original, copy) : (copy, original);

        // A new machine of the pool, of whose first frame nothing arrives but by the group.
        byte[]? call = null;
        SimulatedNode? third = null;
        world.Wire = (from, _, datagram) =>
        {
            bool isThird = from != silent && from != stays && !world.Nodes.Take(2).Contains(from);
            call ??= isThird && datagram[0] == (byte)FrameType.Handshake ? datagram : null;
            return !isThird;
        };
        third = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.NotNull(call);
        Assert.InRange(Answers(stays), 1, 100);
        Assert.Equal(0, Answers(silent));

        long Answers(SimulatedNode node)
        {
            long before = node.SentDatagrams, answered = 0;
            world.Wire = (from, to, _) =>
            {
                answered += from == node && to == third.PublicEndpoint ? 1 : 0;
                return from != third;
            };
            node.Node.ReceiveMulticast(world.Now, third.PublicEndpoint, call);
            world.Run(TimeSpan.FromSeconds(1));
            return node == silent ? node.SentDatagrams - before : answered;
        }
    }

    [Fact]
    public void A_node_that_is_switched_off_and_on_is_nobodys_twin()
    {
        var world = Ring(6, nodes: 5);
        for (int i = 0; i < 6; i++)
        {
            world.Restart(world.Nodes[2], Policy);
            world.Run(TimeSpan.FromSeconds(i % 2 == 0 ? 3 : 40));
        }

        Assert.All(world.Nodes, node => Assert.Null(node.Node.Twin));
        Assert.True(world.Nodes[2].Node.IsJoined);
    }

    [Fact]
    public void A_node_that_changes_its_boot_id_is_not_its_own_twin()
    {
        var world = Ring(7, nodes: 4);
        for (int i = 0; i < 5; i++)
        {
            world.Nodes[2].Node.OnMachineCopied(world.Now);
            world.Run(TimeSpan.FromSeconds(20));
        }

        Assert.All(world.Nodes, node => Assert.Null(node.Node.Twin));
    }

    [Fact]
    public void After_a_copy_of_the_machine_no_old_key_seals_and_packets_flow_again_within_a_second()
    {
        var world = Ring(8, nodes: 3);
        (SimulatedNode one, SimulatedNode two) = (world.Nodes[1], world.Nodes[2]);
        one.Node.Send(world.Now, two.Node.Address, [1]);
        world.Run(TimeSpan.FromSeconds(5));
        Session before = one.Node.Parts.Peers[two.Node.Address].Current!;
        one.Node.OnMachineCopied(world.Now);
        Assert.Null(one.Node.Parts.Sessions.Find(before.LocalIndex));
        two.Delivered.Clear();
        one.Node.Send(world.Now, two.Node.Address, [2]);
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Single(two.Delivered);
        Assert.NotEqual(before.LocalBoot, one.Node.Parts.Peers[two.Node.Address].Current!.LocalBoot);
    }

    [Fact]
    public void Nobody_can_make_a_node_believe_in_a_twin_without_its_key()
    {
        var world = Ring(9, nodes: 2);
        (SimulatedNode liar, SimulatedNode victim) = (world.Nodes[0], world.Nodes[1]);
        Brunet.Links.Peer peer = liar.Node.Parts.Peers[victim.Node.Address];
        ulong boot = peer.Current!.RemoteBoot;
        liar.Node.Parts.Transport.SendMessage(world.Now, peer, TwinMessage.Ask(77));
        liar.Node.Parts.Transport.SendMessage(world.Now, peer, TwinMessage.Prove(liar.Identity.Sign, boot, 77));
        byte[] own = TwinMessage.Prove(victim.Identity.Sign, boot, boot);
        liar.Node.Parts.Transport.SendMessage(world.Now, peer, own);
        byte[] changed = TwinMessage.Prove(victim.Identity.Sign, boot, 77);
        changed[10] ^= 1;
        liar.Node.Parts.Transport.SendMessage(world.Now, peer, changed);
        world.Run(TimeSpan.FromSeconds(2));
        Assert.Null(victim.Node.Twin);

        liar.Node.Parts.Transport.SendMessage(world.Now, peer, TwinMessage.Prove(victim.Identity.Sign, boot, 77));
        world.Run(TimeSpan.FromSeconds(1));
        Assert.Equal(77ul, victim.Node.Twin?.Other);
    }

    private static SimulatedNetwork Ring(int seed, int nodes)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < nodes; i++)
        {
            world.Add(NatKind.None, Policy);
            world.Run(TimeSpan.FromSeconds(i == 0 ? 4 : 1));
        }

        world.Run(TimeSpan.FromSeconds(20));
        Assert.All(world.Nodes, node => Assert.True(node.Node.IsJoined));
        return world;
    }

    private void CheckOneStays(SimulatedNetwork world, SimulatedNode original, SimulatedNode copy)
    {
        TimeSpan? noticed = world.RunUntil(() => original.Node.Twin is not null && copy.Node.Twin is not null, TimeSpan.FromSeconds(60));
        output.WriteLine($"noticed after {noticed?.TotalSeconds:F1} s");
        Assert.NotNull(noticed);
        (TwinStatus one, TwinStatus two) = (original.Node.Twin!, copy.Node.Twin!);
        Assert.Equal((one.Own, one.Other), (two.Other, two.Own));
        Assert.NotEqual(one.MustYield, two.MustYield);

        world.Run(TimeSpan.FromSeconds(5));
        SimulatedNode silent = one.MustYield ? original : copy;
        long sent = silent.SentDatagrams;
        world.Run(TimeSpan.FromSeconds(60));
        Assert.Equal(sent, silent.SentDatagrams);
        Assert.Empty(silent.Node.Peers(world.Now));
    }
}
