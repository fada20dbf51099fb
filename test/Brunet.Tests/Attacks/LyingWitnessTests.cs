using System.Runtime.CompilerServices;
using Brunet.Links;
using Brunet.Nat;
using Brunet.Tests.Links;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Attacks;

/// <summary>A member that says of each ping that it came from yet another port: as if this node's NAT never stood still.</summary>
public sealed class LyingWitnessTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Watched = TimeSpan.FromMinutes(5);

    private int _lies;

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    public void A_liar_neither_has_all_paths_pinged_for_ever_nor_hides_what_others_see_nor_keeps_the_NAT_from_being_tried(int honest)
    {
        (SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar) = World(honest, seed: 41);
        int quiet = SentToHonest(world, victim, liar, () => world.Run(Watched));
        int looks = 0, seen = 0;
        int lied = SentToHonest(world, victim, liar, () => LieFor(world, liar, victim, Watched, () =>
        {
            looks++;
            seen += victim.Node.Ring.Reflected.Any(address => address.Port == victim.PublicEndpoint.Port) ? 1 : 0;
        }));
        output.WriteLine($"{_lies} lies: {lied} datagrams to the others, {quiet} without; what they see was known at {seen} of {looks} looks");
        Assert.InRange(_lies, 300, 100_000);
        Assert.InRange(lied, 1, (int)(1.3 * quiet) + 50);
        Assert.InRange(seen, 0.95 * looks, looks);
        Assert.NotEqual(NatFiltering.Unknown, victim.Node.Ring.Filtering);
        Assert.True(victim.Node.Parts.Life.Interval > MappingLife.Shortest, $"{victim.Node.Parts.Life.Interval}");
    }

    [Fact]
    public void A_NAT_that_moves_is_noticed_beside_a_liar_as_soon()
    {
        (SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar) = World(honest: 5, seed: 42);
        SimulatedNode other = world.Add(NatKind.PortRestricted, Policy);
        Assert.NotNull(world.RunUntil(() => other.Node.IsJoined, TimeSpan.FromSeconds(15)));
        LieFor(world, liar, victim, TimeSpan.FromMinutes(2), () => { });
        world.Talk(other, victim, TimeSpan.FromSeconds(20));
        AssertMovesAreNoticed(world, other, victim, port => Assert.Contains(victim.Node.Ring.Reflected, address => address.Port == port));
    }

    /// <summary>With one peer, or two, of which one is silent, nobody else can say it.</summary>
    [Theory]
    [InlineData(NatKind.None)]
    [InlineData(NatKind.None, NatKind.PortRestricted)]
    public void In_a_pool_of_few_the_word_of_one_alone_is_enough(params NatKind[] others)
    {
        var world = new SimulatedNetwork(seed: 43);
        Array.ForEach(others, nat => world.Add(nat, Policy));
        SimulatedNode moves = world.Add(NatKind.PortRestricted, Policy);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        SimulatedNode other = world.Nodes[^2];
        world.Talk(other, moves, TimeSpan.FromSeconds(20));
        AssertMovesAreNoticed(world, other, moves, port =>
            Assert.NotNull(world.RunUntil(() => moves.Node.Ring.Reflected is [var seen] && seen.Port == port, TimeSpan.FromSeconds(20))));
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_messages")]
    private static extern ref MessageHandler?[] HandlersField(MessageTable table);

    /// <summary>A ring of public nodes, the last of them a liar, and one behind a NAT that is linked to all.</summary>
    private (SimulatedNetwork World, SimulatedNode Victim, SimulatedNode Liar) World(int honest, int seed)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i <= honest; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        (SimulatedNode victim, SimulatedNode liar) = (world.Add(NatKind.PortRestricted, Policy), world.Nodes[honest]);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
        world.Run(TimeSpan.FromSeconds(20));
        Assert.Equal(PathKind.Direct, victim.PathTo(liar));
        ref MessageHandler? handler = ref HandlersField(liar.Node.Parts.Messages)[(byte)MessageType.Ping];
        MessageHandler honestly = handler!;
        handler = (in incoming, message) =>
        {
            if (_lies == 0 || incoming.Peer.Address != victim.Node.Address || !PingMessage.TryRead(message, out PingMessage ping))
            {
                honestly(incoming, message);
                return;
            }

            byte[] answer = new byte[PongMessage.Size];
            new PongMessage(ping.Nonce, victim.PublicEndpoint with { Port = (ushort)(10_000 + (_lies++ % 50_000)) }, Wanted: true).Write(answer);
            liar.Node.Parts.Transport.Answer(incoming.Now, incoming.Peer, answer, incoming.Arrival);
        };
        return (world, victim, liar);
    }

    /// <summary>A NAT maps elsewhere again and again, while somebody sends to who is behind it. look: is given the port at which that one is seen then.</summary>
    private void AssertMovesAreNoticed(SimulatedNetwork world, SimulatedNode other, SimulatedNode moves, Action<int> look)
    {
        for (int round = 1; round <= 8; round++)
        {
            SimulatedNetwork.Forget(moves, moves: true);
            TimeSpan silence = world.Talk(other, moves, TimeSpan.FromSeconds(8));
            output.WriteLine($"{round}: {silence}");
            Assert.True(silence < TimeSpan.FromSeconds(1), $"round {round}: silent for {silence}");
            look(moves.PublicEndpoint.Port + round);
        }
    }

    /// <summary>Whoever comes another way for a moment has its straight path looked at, so the liar is asked as often as it likes.</summary>
    private void LieFor(SimulatedNetwork world, SimulatedNode liar, SimulatedNode victim, TimeSpan time, Action look)
    {
        _lies = Math.Max(_lies, 1);
        for (TimeSpan end = world.Now + time; world.Now < end; world.Run(TimeSpan.FromSeconds(0.55)))
        {
            Peer peer = victim.Node.Parts.Peers[liar.Node.Address];
            victim.Node.Parts.Paths.Ask(world.Now, peer, peer.Best!);
            look();
        }
    }

    private static int SentToHonest(SimulatedNetwork world, SimulatedNode victim, SimulatedNode liar, Action deed)
    {
        int sent = 0;
        world.Wire = (from, to, _) =>
        {
            sent += from == victim && to.IPv4 != liar.PublicEndpoint.IPv4 ? 1 : 0;
            return true;
        };
        deed();
        world.Wire = null;
        return sent;
    }
}
