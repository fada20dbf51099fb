using Brunet.Addressing;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Two relays between two nodes: which one carries what they say.</summary>
public sealed class RelayChoiceTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Of_two_that_differ_by_little_one_is_kept_and_a_clearly_better_one_is_taken(int seed)
    {
        var world = new SimulatedNetwork(seed);
        SimulatedNode[] relays = [world.Add(NatKind.None, Policy), world.Add(NatKind.None, Policy)];
        SimulatedNode one = world.Add(NatKind.Symmetric, Policy);
        SimulatedNode two = world.Add(NatKind.Symmetric, Policy);

        // A round trip over either relay takes 60 to 100 ms by chance, over one of them 2 ms more.
        TimeSpan[] way = [TimeSpan.FromMilliseconds(15), TimeSpan.FromMilliseconds(15.5)];
        world.Latency = (from, to, chance) =>
            (Passes(relays[0], from, to) ? way[0] : way[1]) + TimeSpan.FromMilliseconds(10 * chance);
        Assert.NotNull(world.RunUntil(() => one.Node.IsJoined && two.Node.IsJoined, TimeSpan.FromSeconds(15)));
        int used = Talk(world, one, two, TimeSpan.FromSeconds(60)).Switches;
        (int switches, NodeAddress? relay) = Talk(world, one, two, TimeSpan.FromMinutes(20));
        output.WriteLine($"{used} changes in the first minute, {switches} in the next twenty");
        Assert.InRange(switches, 0, 1);

        int worse = relays[0].Identity.Address == relay ? 1 : 0;
        way[worse] = TimeSpan.FromMilliseconds(3);
        TimeSpan begun = world.Now;
        while (Used(world, one, two) == relay && world.Now - begun < TimeSpan.FromMinutes(5))
        {
            Talk(world, one, two, TimeSpan.FromSeconds(1));
        }

        output.WriteLine($"the better one is taken after {world.Now - begun}");
        Assert.Equal(relays[worse].Identity.Address, Used(world, one, two));
        Assert.InRange(world.Now - begun, TimeSpan.Zero, TimeSpan.FromSeconds(90));
        Assert.Equal(0, Talk(world, one, two, TimeSpan.FromMinutes(5)).Switches);
    }

    private static bool Passes(SimulatedNode relay, double from, double to) => from == relay.Place || to == relay.Place;

    /// <summary>How often one of the two changed the relay that it sends by, and which it is at the end.</summary>
    private static (int Switches, NodeAddress? Relay) Talk(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, TimeSpan duration)
    {
        NodeAddress? relay = Used(world, one, two);
        int switches = 0;
        for (TimeSpan end = world.Now + duration; world.Now < end;)
        {
            one.Node.Send(world.Now, two.Node.Address, [1]);
            two.Node.Send(world.Now, one.Node.Address, [1]);
            world.Run(TimeSpan.FromMilliseconds(200));
            NodeAddress? now = Used(world, one, two);
            switches += now == relay ? 0 : 1;
            relay = now;
        }

        return (switches, relay);
    }

    private static NodeAddress? Used(SimulatedNetwork world, SimulatedNode one, SimulatedNode two) =>
        one.Node.Peers(world.Now).FirstOrDefault(peer => peer.Identity.Address == two.Identity.Address)?.Paths.FirstOrDefault(path => path.IsUsed)?.Relay;
}
