using Brunet;
using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Relays of which one hands on only a part of the packets, because its owner's line is half full.</summary>
public sealed class RelayLossTests(ITestOutputHelper output)
{
    private const int Relays = 3;
    private const int UsualMs = 15;

    /// <summary>A relay hands on or refuses for so long at a time, by chance.</summary>
    private static readonly TimeSpan Piece = TimeSpan.FromMilliseconds(20);

    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(14, 0.1, 15)]
    [InlineData(15, 0.1, 15)]
    [InlineData(16, 0.1, 15)]
    [InlineData(14, 0.1, 5)]
    [InlineData(15, 0.1, 5)]
    [InlineData(16, 0.1, 5)]
    [InlineData(14, 0.3, 15)]
    [InlineData(15, 0.3, 15)]
    [InlineData(16, 0.3, 15)]
    [InlineData(14, 0.3, 5)]
    [InlineData(15, 0.3, 5)]
    [InlineData(16, 0.3, 5)]
    public void A_relay_that_refuses_a_part_is_left_however_near_it_is(int seed, double refused, int wayMs)
    {
        SimulatedNetwork world = Relayed(seed, wayMs, out SimulatedNode alpha, out SimulatedNode beta);
        SimulatedNode busy = Used(world, alpha, beta);
        (int lostAtFirst, int movesAtFirst, _) = Talk(world, alpha, beta, TimeSpan.FromSeconds(30), busy, refused, seed);
        (int lost, int moves, int on) = Talk(world, alpha, beta, TimeSpan.FromSeconds(270), busy, refused, seed + 1);
        output.WriteLine($"{refused:P0} refused, {wayMs} ms: {lostAtFirst} of 300 lost and {movesAtFirst} moves in 30 s; then {lost} of 2,700, {moves}, {on} on it");
        Assert.InRange(lost, 0, 2700 / 100);
        Assert.InRange(movesAtFirst + moves, 0, 6);
    }

    [Theory]
    [InlineData(14, 0.01)]
    [InlineData(15, 0.01)]
    [InlineData(16, 0.01)]
    [InlineData(14, 0.05)]
    [InlineData(15, 0.05)]
    [InlineData(16, 0.05)]
    public void Loss_on_all_ways_alike_moves_little(int seed, double loss)
    {
        SimulatedNetwork world = Relayed(seed, UsualMs, out SimulatedNode alpha, out SimulatedNode beta);
        world.Loss = loss;
        (int lost, int moves, _) = Talk(world, alpha, beta, TimeSpan.FromMinutes(20));
        output.WriteLine($"{loss:P0} lost on each leg: {lost} of 12,000 lost, {moves} moves");
        Assert.InRange(moves, 0, (int)(600 * loss));
    }

    [Theory]
    [InlineData(14)]
    [InlineData(15)]
    [InlineData(16)]
    public void A_near_relay_that_hands_on_all_again_is_taken_again(int seed)
    {
        SimulatedNetwork world = Relayed(seed, 5, out SimulatedNode alpha, out SimulatedNode beta);
        SimulatedNode busy = Used(world, alpha, beta);
        Talk(world, alpha, beta, TimeSpan.FromMinutes(2), busy, 0.3, seed);
        Assert.NotEqual(busy, Used(world, alpha, beta));
        TimeSpan good = world.Now;
        while (Used(world, alpha, beta) != busy && world.Now - good < TimeSpan.FromMinutes(10))
        {
            Talk(world, alpha, beta, TimeSpan.FromSeconds(1));
        }

        output.WriteLine($"taken again after {world.Now - good}");
        Assert.InRange(world.Now - good, TimeSpan.Zero, TimeSpan.FromMinutes(6));
        Assert.Equal(0, Talk(world, alpha, beta, TimeSpan.FromMinutes(5)).Moves);
    }

    /// <summary>Two machines that need a relay. The ways to the one that they use first take so long, and to the others <see cref="UsualMs"/>.</summary>
    private static SimulatedNetwork Relayed(int seed, int wayMs, out SimulatedNode alpha, out SimulatedNode beta)
    {
        var world = new SimulatedNetwork(seed) { HasCheapSessions = true };
        for (int i = 0; i < Relays; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        SimulatedNode first = world.Nodes[1];
        world.Latency = (from, to, chance) => TimeSpan.FromMilliseconds((from == first.Place || to == first.Place ? wayMs : UsualMs) + chance);
        SimulatedNode one = alpha = world.Add(NatKind.Symmetric, Policy), other = beta = world.Add(NatKind.Symmetric, Policy);
        Assert.NotNull(world.RunUntil(() => one.Node.IsJoined && other.Node.IsJoined, TimeSpan.FromSeconds(15)));
        Talk(world, one, other, TimeSpan.FromSeconds(60));
        Assert.Equal(PathKind.Relay, one.PathTo(other));
        Assert.True(wayMs == UsualMs || Used(world, one, other) == first);
        return world;
    }

    /// <summary>Ten packets a second each way: what one end lost of them, how often it changed its relay, and how many it sent by the busy one.</summary>
    private static (int Lost, int Moves, int OnBusy) Talk(
        SimulatedNetwork world, SimulatedNode alpha, SimulatedNode beta, TimeSpan duration, SimulatedNode? busy = null, double refused = 0, int seed = 0)
    {
        var random = new Random(seed);
        int had = beta.Delivered.Count, sent = 0, moves = 0, on = 0;
        SimulatedNode? before = alpha.PathTo(beta) == PathKind.Relay ? Used(world, alpha, beta) : null;
        for (TimeSpan end = world.Now + duration; world.Now < end; sent++)
        {
            alpha.Node.Send(world.Now, beta.Node.Address, [1]);
            beta.Node.Send(world.Now, alpha.Node.Address, [1]);
            for (int i = 0; i < 5; i++)
            {
                if (busy is not null)
                {
                    busy.Node.RelaysForOthers = random.NextDouble() >= refused;
                }

                world.Run(Piece);
            }

            SimulatedNode? now = alpha.PathTo(beta) == PathKind.Relay ? Used(world, alpha, beta) : null;
            moves += now == before ? 0 : 1;
            on += now is not null && now == busy ? 1 : 0;
            before = now;
        }

        if (busy is not null)
        {
            busy.Node.RelaysForOthers = true;
        }

        // The pair never becomes direct, and tries again and again what each names.
        Assert.Equal(0, world.Refused(Full.Trials));
        return (sent - (beta.Delivered.Count - had), moves, on);
    }

    private static SimulatedNode Used(SimulatedNetwork world, SimulatedNode alpha, SimulatedNode beta)
    {
        NodeAddress? relay = alpha.Node.Peers(world.Now).Single(peer => peer.Identity.Address == beta.Node.Address).Paths.Single(path => path.IsUsed).Relay;
        return world.Nodes.Single(node => node.Node.Address == relay);
    }
}
