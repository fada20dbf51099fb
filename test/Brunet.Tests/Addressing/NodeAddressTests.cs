using Brunet.Addressing;
using FsCheck;
using FsCheck.Fluent;

namespace Brunet.Tests.Addressing;

public sealed class NodeAddressTests
{
    private static readonly Arbitrary<NodeAddress> Any = MakeAny();

    [Fact]
    public void Distance_is_the_same_from_both_ends_and_zero_only_to_oneself() =>
        Prop.ForAll(Any, Any, (a, b) => a.DistanceTo(b) == b.DistanceTo(a) && (a.DistanceTo(b) == default) == (a == b)).QuickCheckThrowOnFailure();

    [Fact]
    public void The_ways_round_sum_to_the_whole_ring() =>
        Prop.ForAll(Any, Any, (a, b) => a.ClockwiseTo(b).Add(b.ClockwiseTo(a)) == default).QuickCheckThrowOnFailure();

    [Fact]
    public void Adding_the_clockwise_way_leads_there() =>
        Prop.ForAll(Any, Any, (a, b) => a.Add(a.ClockwiseTo(b)) == b && a.ClockwiseTo(a.Add(b)) == b).QuickCheckThrowOnFailure();

    [Fact]
    public void Distance_is_the_shorter_way_and_at_most_half_the_ring() =>
        Prop.ForAll(Any, Any, (a, b) => a.DistanceTo(b) <= a.ClockwiseTo(b) && a.DistanceTo(b) <= new NodeAddress(0x80000000, 0))
            .QuickCheckThrowOnFailure();

    [Fact]
    public void Text_and_bytes_are_read_back() =>
        Prop.ForAll(Any, a =>
        {
            byte[] bytes = new byte[NodeAddress.Size];
            a.Write(bytes);
            return NodeAddress.TryParse(a.ToString(), out NodeAddress parsed) && parsed == a && NodeAddress.Read(bytes) == a;
        }).QuickCheckThrowOnFailure();

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("00")]
    [InlineData("zz00000000000000000000000000000000000000")]
    [InlineData("000000000000000000000000000000000000000000")]
    public void What_is_no_address_is_not_read(string? text) => Assert.False(NodeAddress.TryParse(text, out _));

    private static Arbitrary<NodeAddress> MakeAny()
    {
        // Small parts too: carries and borrows sit at the edges.
        Gen<uint> part = Gen.OneOf(
            Gen.Elements(0u, 1u, uint.MaxValue, 0x80000000u),
            Gen.Choose(int.MinValue, int.MaxValue).Select(i => unchecked((uint)i)));
        return Gen.ArrayOf(part, 5).Select(p => new NodeAddress(
            p[0], ((ulong)p[1] << 32) | p[2], ((ulong)p[3] << 32) | p[4])).ToArbitrary();
    }
}
