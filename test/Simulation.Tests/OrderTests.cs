using System.Buffers.Binary;
using Brunet;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Simulation.Tests;

/// <summary>Packets that are sent one after the other while the path to their receiver becomes shorter.</summary>
public sealed class OrderTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(2);

    [Theory]
    [InlineData(NatKind.None, NatKind.None)]
    [InlineData(NatKind.PortRestricted, NatKind.PortRestricted)]
    [InlineData(NatKind.Symmetric, NatKind.PortRestricted)]
    [InlineData(NatKind.Symmetric, NatKind.UdpBlocked)]
    public void They_are_handed_on_in_the_order_of_their_sending(NatKind one, NatKind two)
    {
        int changes = 0;
        for (int seed = 1; seed <= 10; seed++)
        {
            SimulatedNetwork world = Ring(seed, one, two, out SimulatedNode sends, out SimulatedNode takes);
            var kinds = new HashSet<PathKind?>();
            const int Count = 2000;
            for (uint number = 0; number < Count; number++)
            {
                byte[] packet = new byte[40];
                BinaryPrimitives.WriteUInt32BigEndian(packet, number);
                sends.Node.Send(world.Now, takes.Node.Address, packet);
                world.Run(Interval);
                kinds.Add(sends.PathTo(takes));
            }

            world.Run(TimeSpan.FromSeconds(1));
            uint[] came = [.. takes.Delivered.Select(delivered => BinaryPrimitives.ReadUInt32BigEndian(delivered.Packet))];
            Assert.Equal(came.Order(), came);
            Assert.Equal(came.Distinct().Count(), came.Length);
            Assert.True(came.Length > Count / 2, $"{came.Length} of {Count} came");
            changes += kinds.Count(kind => kind is not null) - 1;
        }

        output.WriteLine($"{changes} changes of the path's kind");
        Assert.True(changes > 0, "no path changed");
    }

    // Each datagram takes 20 ms, so a detour is that much longer for every node on it, and no path is now faster, now slower: what is turned around is so by the change alone.
    private static SimulatedNetwork Ring(int seed, NatKind one, NatKind two, out SimulatedNode sends, out SimulatedNode takes)
    {
        var world = new SimulatedNetwork(seed) { Latency = (_, _, _) => TimeSpan.FromMilliseconds(20) };
        for (int i = 0; i < 8; i++)
        {
            world.Add(i < 3 ? NatKind.None : NatKind.PortRestricted, Policy);
        }

        sends = world.Add(one, Policy);
        takes = world.Add(two, Policy);
        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(20)));
        return world;
    }
}
