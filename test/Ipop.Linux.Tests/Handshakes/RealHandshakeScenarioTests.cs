using System.Security.Cryptography;
using Ipop.Linux.Handshakes;
using Testing.Simulation;

namespace Ipop.Linux.Tests.Handshakes;

/// <summary>The real TLS handshake in the simulated world, where frames are lost and overtake each other.</summary>
public sealed class RealHandshakeScenarioTests : IDisposable
{
    private static readonly SmallerOwnerWins Policy = new();

    private readonly List<IDisposable> _owned = [];

    [Theory]
    [InlineData(1, 0.0)]
    [InlineData(2, 0.1)]
    [InlineData(3, 0.2)]
    [InlineData(4, 0.3)]
    public void Nodes_that_begin_at_once_agree_over_a_network_that_loses_and_reorders(int seed, double loss)
    {
        SimulatedNetwork world = World(seed, loss);
        for (int i = 0; i < 4; i++)
        {
            world.Add(NatKind.None, Policy);
        }

        Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(30)));
        world.Run(TimeSpan.FromSeconds(20));
        (SimulatedNode one, SimulatedNode two) = (world.Nodes[1], world.Nodes[2]);
        for (int i = 0; i < 100; i++)
        {
            // Both ends begin at once if there is no session yet.
            one.Node.Send(world.Now, two.Node.Address, [1]);
            two.Node.Send(world.Now, one.Node.Address, [2]);
            world.Run(TimeSpan.FromMilliseconds(50));
        }

        world.Run(TimeSpan.FromSeconds(1));
        Assert.InRange(one.Delivered.Count, (int)(100 * (0.8 - loss)), 100);
        Assert.InRange(two.Delivered.Count, (int)(100 * (0.8 - loss)), 100);
        Assert.All(one.Node.Peers(world.Now), peer => Assert.NotEqual("simulated", peer.KeyExchange));
    }

    [Fact]
    public void A_node_that_speaks_no_common_version_hears_of_it_at_once_and_not_by_its_clock()
    {
        SimulatedNetwork world = World(5, loss: 0);
        world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromSeconds(4));
        world.HandshakesOf = identity => Provider(identity, [2]);
        SimulatedNode stranger = world.Add(NatKind.None, Policy);
        world.Run(TimeSpan.FromMilliseconds(900));
        Assert.False(stranger.Node.IsJoined);
        Assert.Equal(0, stranger.Sessions);
        Assert.Equal(0, world.Nodes[0].Sessions);
    }

    public void Dispose() => _owned.ForEach(owned => owned.Dispose());

    private SimulatedNetwork World(int seed, double loss) => new(seed, loss)
    {
        HandshakesOf = identity => Provider(identity, [1]),

        // Up to 80 ms of jitter on ways of 10 to 30: a flight's frames arrive in any order.
        Latency = (from, to, chance) => TimeSpan.FromMilliseconds(10 + (Math.Abs(from - to) * 20) + (chance * 80)),
    };

    private OpenSslHandshakeProvider Provider(SimulatedIdentity identity, int[] versions)
    {
        ECDsa key = identity.CreateKey();
        var provider = new OpenSslHandshakeProvider(key, [], null) { Versions = versions };
        _owned.AddRange([provider, key]);
        return provider;
    }
}
