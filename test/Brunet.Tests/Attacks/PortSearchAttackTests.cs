using Brunet.Addressing;
using Brunet.Links;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>A member that says it is where somebody else is, so that others guess ports there, or ping what it names.</summary>
public sealed class PortSearchAttackTests(ITestOutputHelper output)
{
    private static readonly TransportAddress Third = TransportAddress.FromIPv4(0x01020304, 80);

    [Theory]
    [InlineData(NatKind.PortRestricted, NatMapping.Dependent)]
    [InlineData(NatKind.Symmetric, NatMapping.Independent)]
    public void A_member_that_lies_about_where_it_is_makes_a_node_send_no_more_than_the_budget(NatKind nat, NatMapping claimed)
    {
        (SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar) = World(nat);
        int sent = 0;
        var seconds = new int[200];
        world.Wire = (from, to, _) =>
        {
            if (from == victim && to.IPv4 == Third.IPv4)
            {
                sent++;
                seconds[(int)world.Now.TotalSeconds]++;
            }

            // The two never get a straight path.
            return !((from == victim && to.IPv4 == liar.PublicEndpoint.IPv4) || (from == liar && to.IPv4 == victim.PublicEndpoint.IPv4));
        };
        Lie(world, liar, victim, claimed, minutes: 1, Third);
        output.WriteLine($"{sent} datagrams in a minute, {seconds.Max()} in the worst second");
        Assert.InRange(sent, 200, 2048 + (60 * 50) + 600);
        Assert.InRange(seconds.Max(), 1, 520);
    }

    [Fact]
    public void A_member_that_names_a_third_party_again_and_again_draws_what_a_share_holds_and_then_eight_a_second()
    {
        (SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar) = World(NatKind.PortRestricted);
        var seconds = new int[600];
        world.Wire = (from, to, _) =>
        {
            seconds[(int)world.Now.TotalSeconds] += from == victim && to.IPv4 == Third.IPv4 ? 1 : 0;
            return !((from == victim && to.IPv4 == liar.PublicEndpoint.IPv4) || (from == liar && to.IPv4 == victim.PublicEndpoint.IPv4));
        };
        Lie(world, liar, victim, NatMapping.Independent, minutes: 4, Ports());
        int[] late = seconds[((int)world.Now.TotalSeconds - 120)..(int)world.Now.TotalSeconds];
        output.WriteLine($"{seconds.Sum()} datagrams in four minutes, {late.Sum()} of them in the second half");
        Assert.InRange(seconds.Sum(), 2048, 2048 + (8 * 240));
        Assert.InRange(late.Sum(), 120 * 7, 120 * 9);
        Assert.True(victim.Node.Refusals[Full.Trials] > 0);
    }

    /// <summary>Who names dead endpoints before the one that works is reached by it all the same, and by another one later.</summary>
    [Fact]
    public void A_member_that_has_used_up_its_share_is_reached_where_it_is_then()
    {
        (SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar) = World(NatKind.PortRestricted);
        world.Wire = (from, to, _) => !((from == victim && to.IPv4 == liar.PublicEndpoint.IPv4) || (from == liar && to.IPv4 == victim.PublicEndpoint.IPv4));
        Lie(world, liar, victim, NatMapping.Independent, minutes: 4, Ports());
        long refused = victim.Node.Refusals[Full.Trials];
        Peer peer = victim.Node.Parts.Peers[liar.Node.Address];
        TimeSpan begun = world.Now;
        TimeSpan? straight = null;
        world.Wire = (_, _, _) =>
        {
            straight ??= peer.IsStraight ? world.Now - begun : null;
            return true;
        };
        Lie(world, liar, victim, NatMapping.Independent, minutes: 1, [.. Ports()[..^1], liar.PublicEndpoint]);
        output.WriteLine($"{refused} not sent, straight after {straight}");
        Assert.True(refused > 0);
        Assert.InRange(straight ?? TimeSpan.MaxValue, TimeSpan.Zero, TimeSpan.FromSeconds(10));
    }

    [Fact]
    public void Ports_of_private_addresses_are_never_guessed()
    {
        (SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar) = World(NatKind.PortRestricted);
        var ports = new HashSet<ushort>();
        var house = TransportAddress.FromIPv4((192u << 24) | (168 << 16) | 1, 80);
        world.Wire = (from, to, _) =>
        {
            if (from == victim && to.IPv4 == house.IPv4)
            {
                ports.Add(to.Port);
            }

            return !((from == victim && to.IPv4 == liar.PublicEndpoint.IPv4) || (from == liar && to.IPv4 == victim.PublicEndpoint.IPv4));
        };
        Lie(world, liar, victim, NatMapping.Dependent, minutes: 1, house);
        Assert.Equal([house.Port], ports);
    }

    private static (SimulatedNetwork World, SimulatedNode Victim, SimulatedNode Liar) World(NatKind nat)
    {
        var world = new SimulatedNetwork(seed: 9);
        for (int i = 0; i < 4; i++)
        {
            world.Add(NatKind.None, new SmallerOwnerWins());
        }

        SimulatedNode victim = world.Add(nat, new SmallerOwnerWins());
        SimulatedNode liar = world.Add(NatKind.PortRestricted, new SmallerOwnerWins());
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        return (world, victim, liar);
    }

    /// <summary>As many ports of the third party as a message names.</summary>
    private static TransportAddress[] Ports() =>
        [.. Enumerable.Range(100, ProtocolConstants.MaxCandidates).Select(port => Third with { Port = (ushort)port })];

    /// <summary>Ten times a second, beside packets that make the liar worth a search.</summary>
    private static void Lie(SimulatedNetwork world, SimulatedNode liar, SimulatedNode victim, NatMapping claimed, int minutes, params TransportAddress[] named)
    {
        var lie = new CandidatesMessage { IsSpread = claimed == NatMapping.Dependent, Nat = new NatProfile(claimed, 0) };
        lie.Endpoints.AddRange(named);
        byte[] bytes = new byte[CandidatesMessage.MaxSize];
        int length = lie.Write(bytes);
        for (int i = 0; i < minutes * 600; i++)
        {
            liar.Node.Send(world.Now, victim.Node.Address, [1]);
            if (liar.Node.Parts.Peers.TryGetValue(victim.Node.Address, out Peer? peer))
            {
                liar.Node.Parts.Transport.SendMessage(world.Now, peer, bytes.AsSpan(0, length));
            }

            world.Run(TimeSpan.FromMilliseconds(100));
        }
    }
}
