using Simulation.Memory;
using Simulation.Worlds;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>A day and a half of a pool whose machines come and go; `make sim SIM="--scenario week"` plays the whole week.</summary>
public sealed class ChurnTests(ITestOutputHelper output)
{
    [Fact]
    public void Nothing_that_a_node_keeps_grows_with_those_who_came_and_went()
    {
        var world = new SimulatedNetwork(seed: 16) { HasCheapSessions = true };
        var growth = Growth.Measure(new Guests(world, new Random(16), stayers: 30), world.Run, first: 60, more: 240);
        output.WriteLine($"{growth.BytesBefore:N0} -> {growth.BytesAfter:N0} bytes, links {growth.LinksRatio:0.000}, bytes a link {growth.Ratio:0.000}, {world.Events:N0} events, {world.Now}");
        foreach ((string name, long count) in growth.After.Collections)
        {
            output.WriteLine($"{name}: {growth.Before.Collections.GetValueOrDefault(name)} -> {count}");
        }

        Assert.Empty(growth.Grown);
        Assert.InRange(growth.LinksRatio, 0, 1.1);
        Assert.InRange(growth.Ratio, 0, 1.1);
    }

    [Fact]
    public void A_collection_that_keeps_somebody_is_counted_with_what_it_holds()
    {
        var world = new SimulatedNetwork(seed: 1);
        SimulatedNode node = world.Add(NatKind.None, new SmallerOwnerWins()), other = world.Add(NatKind.None, new SmallerOwnerWins());
        world.Run(TimeSpan.FromSeconds(5));
        var before = new HeldObjects([node.Node]);
        for (int i = 0; i < 10; i++)
        {
            node.Node.Ping(world.Now, other.Identity.Address, TimeSpan.FromHours(1), (_, _) => { });
        }

        var after = new HeldObjects([node.Node]);
        Assert.Equal(before.Collections["Pinger._running"] + 10, after.Collections["Pinger._running"]);
        Assert.InRange(after.Bytes - before.Bytes, 10 * 24, 10 * 1000);
        Assert.Contains(after.Ways("Peer"), way => way.Key.Contains("<Peers>k__BackingField > PeerTable.", StringComparison.Ordinal) && way.Value == 1);
    }
}
