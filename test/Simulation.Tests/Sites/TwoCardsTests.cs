using Brunet.Addressing;
using Testing.Simulation;
using Testing.Simulation.Sites;
using Xunit.Abstractions;

namespace Simulation.Tests.Sites;

/// <summary>
/// Machines with two network cards, in two networks each. They know each other by the first network alone, and that one begins to swallow everything: no card
/// loses its link, so nothing but the peers' silence tells.
/// </summary>
public sealed class TwoCardsTests(ITestOutputHelper output)
{
    private const int Worlds = 20;
    private const string First = "198.19.1";
    private const string Second = "198.19.2";

    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(2, 0)]
    [InlineData(5, 0)]
    [InlineData(5, 0.05)]
    public void Two_that_talk_go_on_by_the_other_network_within_a_second(int machines, double loss) =>
        AssertSoon(Silences(machines, loss, quiet: TimeSpan.FromSeconds(5), areTalking: true));

    [Theory]
    [InlineData(2, 0)]
    [InlineData(5, 0)]
    [InlineData(5, 0.05)]
    public void Two_that_were_quiet_for_long_meet_by_the_other_network_within_a_second(int machines, double loss) =>
        AssertSoon(Silences(machines, loss, quiet: TimeSpan.FromMinutes(10), areTalking: false));

    [Theory]
    [InlineData(20)]
    [InlineData(300)]
    public void When_the_first_network_is_well_again_and_the_second_one_dies_it_takes_no_longer(int seconds)
    {
        var silences = new List<TimeSpan>();
        for (int seed = 1; seed <= Worlds; seed++)
        {
            SimulatedNetwork world = Make(seed, machines: 3, loss: 0);
            SimulatedNode[] pair = [world.Nodes[0], world.Nodes[^1]];
            Talk(world, pair, TimeSpan.FromSeconds(5));
            world.Wire = (_, to, _) => !IsOf(First, to);
            Talk(world, pair, TimeSpan.FromSeconds(10));
            world.Wire = null;
            Talk(world, pair, TimeSpan.FromSeconds(seconds));
            world.Wire = (_, to, _) => !IsOf(Second, to);
            silences.Add(Talk(world, pair, TimeSpan.FromSeconds(15)));
        }

        AssertSoon(Sorted(silences));
    }

    [Fact]
    public void Nothing_is_sent_in_the_second_network_while_the_first_one_serves()
    {
        SimulatedNetwork world = Make(seed: 3, machines: 2, loss: 0);
        long first = 0, second = 0;
        world.Wire = (_, to, datagram) =>
        {
            first += IsOf(First, to) ? datagram.Length : 0;
            second += IsOf(Second, to) ? datagram.Length : 0;
            return true;
        };
        world.Run(TimeSpan.FromMinutes(20));
        output.WriteLine($"in twenty minutes {first} and {second} bytes");
        Assert.Equal(0, second);
        Assert.NotEqual(0, first);
        Assert.All(world.Nodes, node => Assert.Single(node.Node.Peers(world.Now)[0].Paths, path => path is { IsAlive: false, RoundTrip: not null }));
    }

    private static void AssertSoon(List<TimeSpan> silences)
    {
        Assert.True(silences[silences.Count / 2] < TimeSpan.FromSeconds(1), $"{silences[silences.Count / 2]}");
        Assert.True(silences[^1] < TimeSpan.FromSeconds(2), $"{silences[^1]}");
    }

    /// <summary>For how long nothing came, in the worse direction, of each world; sorted.</summary>
    private List<TimeSpan> Silences(int machines, double loss, TimeSpan quiet, bool areTalking)
    {
        var silences = new List<TimeSpan>();
        for (int seed = 1; seed <= Worlds; seed++)
        {
            SimulatedNetwork world = Make(seed, machines, loss);
            SimulatedNode[] pair = [world.Nodes[0], world.Nodes[^1]];
            world.Run(quiet);
            TimeSpan longest = areTalking ? Talk(world, pair, TimeSpan.FromSeconds(3 + (0.13 * seed))) : default;
            Assert.True(longest < TimeSpan.FromSeconds(1), $"silent for {longest} with both networks");
            world.Wire = (_, to, _) => !IsOf(First, to);
            silences.Add(Talk(world, pair, TimeSpan.FromSeconds(15)));
        }

        return Sorted(silences);
    }

    private List<TimeSpan> Sorted(List<TimeSpan> silences)
    {
        silences.Sort();
        output.WriteLine($"silent for {silences[0]} to {silences[^1]}, median {silences[silences.Count / 2]}");
        return silences;
    }

    /// <summary>Machines in both networks, each of which knows the first one by its first address.</summary>
    private static SimulatedNetwork Make(int seed, int machines, double loss)
    {
        var world = new SimulatedNetwork(seed, loss) { HasCheapSessions = true };
        for (int number = 1; number <= machines; number++)
        {
            SimulatedHost host = world.Sites.MakePublic($"{First}.{number}", $"{Second}.{number}");
            world.Add(host, Policy, number == 1 ? [] : [world.FirstEndpoint], isFirst: number == 1);
        }

        Assert.True(IsOf(First, world.FirstEndpoint));
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        return world;
    }

    private static bool IsOf(string network, TransportAddress endpoint) => endpoint.ToString().StartsWith($"{network}.", StringComparison.Ordinal);

    /// <summary>Both send each other packets; the longest time for which one of them got nothing.</summary>
    private static TimeSpan Talk(SimulatedNetwork world, SimulatedNode[] pair, TimeSpan duration)
    {
        var longest = TimeSpan.Zero;
        TimeSpan[] heard = [world.Now, world.Now];
        for (TimeSpan end = world.Now + duration; world.Now < end;)
        {
            for (int i = 0; i < pair.Length; i++)
            {
                pair[i].Delivered.Clear();
                pair[i].Node.Send(world.Now, pair[1 - i].Node.Address, [1]);
            }

            world.Run(Pause);
            for (int i = 0; i < pair.Length; i++)
            {
                heard[i] = pair[i].Delivered.Count > 0 ? world.Now : heard[i];
                longest = world.Now - heard[i] > longest ? world.Now - heard[i] : longest;
            }
        }

        return longest;
    }
}
