using Brunet.Diagnosis;
using Brunet.Links;
using Testing.Simulation;
using Xunit.Abstractions;

namespace Brunet.Tests.Links;

/// <summary>A busy peer has another path that is kept alive, and it takes over when the one in use dies.</summary>
public sealed class WarmPathTests(ITestOutputHelper output)
{
    private static readonly SmallerOwnerWins Policy = new();
    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(20);

    [Theory]
    [InlineData(NatKind.Symmetric, PathKind.Relay)]
    [InlineData(NatKind.PortRestricted, PathKind.Direct)]
    public void The_second_path_stays_warm_and_takes_over_without_a_search(NatKind nat, PathKind kind)
    {
        var gaps = new List<TimeSpan>();
        for (int seed = 1; seed <= 5; seed++)
        {
            var world = new SimulatedNetwork(seed);
            for (int i = 0; i < 3; i++)
            {
                world.Add(NatKind.None, Policy);
            }

            (SimulatedNode one, SimulatedNode two) = (world.Add(nat, Policy), world.Add(nat, Policy));
            Assert.NotNull(world.RunUntil(() => world.Nodes.TrueForAll(node => node.Node.IsJoined), TimeSpan.FromSeconds(15)));
            Talk(world, one, two, TimeSpan.FromSeconds(60));
            for (int minute = 0; minute < 5; minute++)
            {
                Talk(world, one, two, TimeSpan.FromSeconds(60));
                Assert.Contains(Paths(world, one, two), path => path is { IsUsed: false, IsAlive: true, Loss: 0 } && path.SinceHeard < TimeSpan.FromSeconds(20));
            }

            // What is found by searching would come late or never.
            one.Node.Parts.Events.Missed -= one.Node.Parts.Puncher.Seek;
            two.Node.Parts.Events.Missed -= two.Node.Parts.Puncher.Seek;
            List<PathStatus> before = Paths(world, one, two);
            Assert.Equal(kind, before[0].Kind);
            Cut(world, one, two, before[0]);
            TimeSpan last = world.Now, gap = default;
            PathStatus? after = null;
            for (int i = 0; i < 250; i++)
            {
                int had = two.Delivered.Count;
                one.Node.Send(world.Now, two.Node.Address, [1]);
                two.Node.Send(world.Now, one.Node.Address, [1]);
                world.Run(Interval);
                last = two.Delivered.Count > had ? world.Now : last;
                gap = world.Now - last > gap ? world.Now - last : gap;
                after ??= Paths(world, one, two).Find(path => path.IsUsed && !IsSame(path, before[0]));
            }

            Assert.NotNull(after);
            Assert.Contains(before.Skip(1), path => path.IsAlive && IsSame(path, after));
            gaps.Add(gap);
        }

        gaps.Sort();
        output.WriteLine($"silence of {gaps[0]} to {gaps[^1]}, median {gaps[gaps.Count / 2]}");
        Assert.True(gaps[^1] < TimeSpan.FromSeconds(1), $"{gaps[^1]}");
    }

    private static void Talk(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, TimeSpan duration)
    {
        for (TimeSpan end = world.Now + duration; world.Now < end;)
        {
            one.Node.Send(world.Now, two.Node.Address, [1]);
            two.Node.Send(world.Now, one.Node.Address, [1]);
            world.Run(TimeSpan.FromMilliseconds(200));
        }
    }

    private static void Cut(SimulatedNetwork world, SimulatedNode one, SimulatedNode two, PathStatus path)
    {
        if (path.Kind == PathKind.Relay)
        {
            world.Nodes.Single(node => node.Identity.Address == path.Relay).Kill();
            return;
        }

        world.Wire = (from, to, _) => !((from == one && to.IPv4 == two.PublicEndpoint.IPv4) || (from == two && to.IPv4 == one.PublicEndpoint.IPv4));
    }

    private static List<PathStatus> Paths(SimulatedNetwork world, SimulatedNode one, SimulatedNode two) => PathStatus.Of(world.Now, Known(one, two));

    private static bool IsSame(PathStatus one, PathStatus two) => (one.Kind, one.Relay, one.Endpoint) == (two.Kind, two.Relay, two.Endpoint);

    private static Peer Known(SimulatedNode node, SimulatedNode other) => node.Node.Parts.Peers[other.Identity.Address];
}
