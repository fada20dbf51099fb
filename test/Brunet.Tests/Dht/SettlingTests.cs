using Brunet.Dht;
using Brunet.Wire;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Dht;

/// <summary>All holders of a record die at one moment but for one, which nobody hears for some seconds: it has the record that all then ask for.</summary>
public sealed class SettlingTests(ITestOutputHelper output)
{
    private const int Nodes = 60;

    private static readonly TimeSpan Away = TimeSpan.FromSeconds(4);

    private static readonly RecordKey Key = new(RecordKind.Address, "10.128.0.7");
    private static readonly SmallerOwnerWins Policy = new();

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void Who_stands_where_holders_died_does_not_say_that_their_record_is_missing(int seed)
    {
        SimulatedNetwork world = Ring(seed);
        HashSet<SimulatedNode> dying = [.. Enumerable.Range(0, ProtocolConstants.Replicas).SelectMany(replica => Nearest(world, replica))];
        SimulatedNode survivor = Nearest(world, replica: 0).Last();
        dying.Remove(survivor);
        SimulatedNode owner = world.Nodes.First(node => !dying.Contains(node) && node != survivor);
        DhtStatus? created = null;
        owner.Node.Create(world.Now, Key, new byte[] { 1 }, (_, answer) => created = answer.Status);
        world.Run(TimeSpan.FromSeconds(5));
        Assert.Equal(DhtStatus.Done, created);
        foreach (SimulatedNode node in dying)
        {
            node.Kill();
        }

        TimeSpan back = world.Now + Away;
        world.Wire = (from, to, _) => world.Now >= back || (from != survivor && to != survivor.PublicEndpoint);
        var answers = new List<DhtStatus>();
        int asked = 0;
        for (int round = 0; round < 16; round++)
        {
            foreach (SimulatedNode node in world.Nodes.Where(node => node.IsAlive && node != survivor))
            {
                asked++;
                node.Node.Lookup(world.Now, Key, (_, answer) => answers.Add(answer.Status));
            }

            world.Run(TimeSpan.FromMilliseconds(250));
        }

        world.Run(TimeSpan.FromSeconds(15));
        output.WriteLine(string.Join(", ", answers.CountBy(answer => answer)));
        Assert.Equal(asked, answers.Count);
        Assert.All(answers, answer => Assert.Equal(DhtStatus.Done, answer));
    }

    private static SimulatedNetwork Ring(int seed)
    {
        var world = new SimulatedNetwork(seed);
        for (int i = 0; i < Nodes; i++)
        {
            world.Add(NatKind.None, Policy);
            world.Run(TimeSpan.FromMilliseconds(100));
        }

        Assert.NotNull(world.RunUntil(world.IsOneRing, TimeSpan.FromSeconds(60)));
        world.Run(TimeSpan.FromSeconds(20));
        return world;
    }

    private static IEnumerable<SimulatedNode> Nearest(SimulatedNetwork world, int replica) =>
        world.Nodes.OrderBy(node => node.Node.Address.DistanceTo(ReplicaPositions.Of(Key, replica))).Take(Holders.Count);
}
