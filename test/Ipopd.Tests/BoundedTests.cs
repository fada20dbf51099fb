using System.Reflection;
using Ipop.Linux.Polling;
using Ipopd.Composition;
using Testing.Growing;

namespace Ipopd.Tests;

/// <summary>What the daemon keeps beside the pure machines, and what stands between it and the kernel, says in the code what keeps it small.</summary>
public sealed class BoundedTests
{
    private static readonly Assembly[] Looked = [typeof(PollLoop).Assembly, typeof(Daemon).Assembly];

    [Fact]
    public void Every_collection_that_can_grow_names_its_bound_or_says_why_nobody_else_can_make_it_grow() =>
        None(GrowingFields.Unexplained(Looked));

    [Fact]
    public void A_bound_that_is_named_is_a_constant_or_another_collection_with_a_bound() => None(GrowingFields.Misnamed(Looked));

    [Fact]
    public void There_are_collections_to_look_at() => Assert.InRange(GrowingFields.Of(Looked).Count(), 20, 1000);

    private static void None(IEnumerable<string> names) => Assert.True(!names.Any(), string.Join('\n', names));
}
