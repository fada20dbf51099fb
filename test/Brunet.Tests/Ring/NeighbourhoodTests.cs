using Brunet.Addressing;
using Brunet.Ring;

namespace Brunet.Tests.Ring;

public sealed class NeighbourhoodTests
{
    [Theory]
    [InlineData(0, 0, 0, 1)]
    [InlineData(10, 0, 0, 1024)]
    [InlineData(52, 0, 0, 1UL << 52)]
    [InlineData(64, 0, 1, 0)]
    [InlineData(100, 0, 1UL << 36, 0)]
    [InlineData(128, 1, 0, 0)]
    [InlineData(159, 1U << 31, 0, 0)]
    public void A_distance_of_a_whole_power_of_two_is_exact(int exponent, uint high, ulong middle, ulong low) =>
        Assert.Equal(new NodeAddress(high, middle, low), Neighbourhood.Distance(exponent));

    [Fact]
    public void Distances_grow_with_their_exponents_across_all_words()
    {
        NodeAddress before = default;
        for (double exponent = 0.5; exponent < 160; exponent += 0.25)
        {
            NodeAddress distance = Neighbourhood.Distance(exponent);
            Assert.True(distance >= before, $"2^{exponent} is {distance} after {before}");
            before = distance;
        }
    }

    /// <summary>Math.Pow is the C library's, whose last bit is not the same everywhere.</summary>
    [Fact]
    public void A_distance_does_not_hang_on_the_last_bits_of_its_exponent()
    {
        var random = new Random(1);
        for (int i = 0; i < 100; i++)
        {
            double exponent = 100 + (random.NextDouble() * 59);
            Assert.Equal(Neighbourhood.Distance(exponent), Neighbourhood.Distance(Math.BitIncrement(exponent)));
        }
    }

    [Theory]
    [InlineData(50)]
    [InlineData(1000)]
    [InlineData(100000)]
    public void The_number_of_nodes_is_guessed_from_eight_successors_a_side(int nodes)
    {
        var random = new Random(nodes);
        NodeAddress[] ring = [.. Enumerable.Range(0, nodes).Select(_ => RandomAddress(random)).Order()];
        var ratios = new List<double>();
        for (int i = 0; i < nodes; i += Math.Max(1, nodes / 50))
        {
            List<NodeAddress> known = [.. Enumerable.Range(1, 8).SelectMany(d => new[] { ring[(i + d) % nodes], ring[(i + nodes - d) % nodes] })];
            ratios.Add(Neighbourhood.EstimateNodes(ring[i], known, 8) / nodes);
        }

        // Sixteen gaps of a random ring: a quarter of standard deviation.
        Assert.InRange(ratios.Average(), 0.8, 1.35);
        Assert.All(ratios, ratio => Assert.InRange(ratio, 0.3, 3.5));
    }

    [Fact]
    public void Of_a_ring_that_is_known_whole_the_nodes_are_counted()
    {
        var random = new Random(1);
        List<NodeAddress> known = [.. Enumerable.Range(0, 5).Select(_ => RandomAddress(random))];
        Assert.Equal(6, Neighbourhood.EstimateNodes(RandomAddress(random), known, 8));
        Assert.Equal(1, Neighbourhood.EstimateNodes(RandomAddress(random), [], 8));
    }

    [Fact]
    public void The_nearest_are_taken_from_both_sides_without_doubles()
    {
        static NodeAddress At(ulong low) => new(0, 0, low);
        List<NodeAddress> addresses = [At(90), At(110), At(150), At(10), At(95), At(105)];
        Assert.Equal([At(105), At(110), At(95), At(90)], Neighbourhood.Nearest(At(100), addresses, 2));
        Assert.Equal([At(7), At(8)], Neighbourhood.Nearest(At(100), [At(7), At(8)], 2));
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(5, 0)]
    [InlineData(6, 1)]
    [InlineData(1000, 5)]
    [InlineData(10000, 7)]
    public void A_ring_wants_half_of_its_logarithm_in_shortcuts(double nodes, int shortcuts) => Assert.Equal(shortcuts, ShortcutKeeper.Wanted(nodes));

    private static NodeAddress RandomAddress(Random random)
    {
        Span<byte> bytes = stackalloc byte[NodeAddress.Size];
        random.NextBytes(bytes);
        return NodeAddress.Read(bytes);
    }
}
