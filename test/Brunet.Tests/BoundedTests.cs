using System.Buffers;
using System.Reflection;
using Ipop;

namespace Brunet.Tests;

/// <summary>Whatever can grow says in the code what keeps it small.</summary>
public sealed class BoundedTests
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly HashSet<Type> Growing =
    [
        typeof(Dictionary<,>), typeof(SortedDictionary<,>), typeof(SortedList<,>), typeof(List<>), typeof(HashSet<>), typeof(SortedSet<>), typeof(Queue<>),
        typeof(Stack<>), typeof(PriorityQueue<,>), typeof(LinkedList<>), typeof(OrderedDictionary<,>), typeof(ArrayBufferWriter<>),
    ];

    [Fact]
    public void Every_collection_that_can_grow_names_its_bound_or_says_why_nobody_else_can_make_it_grow() =>
        Assert.Empty(GrowingFields().Where(field => Bound(field) is null && field.GetCustomAttribute<OwnAttribute>() is null).Select(Name));

    [Fact]
    public void A_bound_that_is_named_is_a_constant_or_another_collection_with_a_bound() =>
        Assert.Empty(GrowingFields().Where(field => Bound(field) is { } bound && !IsBound(field, bound)).Select(Name));

    [Fact]
    public void There_are_collections_to_look_at() => Assert.InRange(GrowingFields().Count(), 60, 1000);

    private static IEnumerable<FieldInfo> GrowingFields() =>
        new[] { typeof(Node).Assembly, typeof(VirtualNetwork).Assembly }.SelectMany(assembly => assembly.GetTypes())
            .Where(type => !IsGenerated(type)).SelectMany(type => type.GetFields(All))
            .Where(field => !field.IsStatic && field.FieldType.IsGenericType && Growing.Contains(field.FieldType.GetGenericTypeDefinition()));

    /// <summary>Closures and the like live as long as a call.</summary>
    private static bool IsGenerated(Type type) => type.Name.Contains('<', StringComparison.Ordinal) || (type.DeclaringType is { } outer && IsGenerated(outer));

    private static BoundedAttribute? Bound(FieldInfo field) => field.GetCustomAttribute<BoundedAttribute>();

    private static bool IsBound(FieldInfo field, BoundedAttribute bound)
    {
        for (Type? type = bound.On ?? field.DeclaringType; type is not null; type = type.DeclaringType)
        {
            if (type.GetField(bound.By, All) is { IsLiteral: true } or { IsInitOnly: true, IsStatic: true })
            {
                return true;
            }

            if ((type.GetField(bound.By, All) ?? type.GetField($"<{bound.By}>k__BackingField", All)) is { } other && other != field)
            {
                return Bound(other) is { } further && IsBound(other, further);
            }
        }

        return false;
    }

    private static string Name(FieldInfo field) => $"{field.DeclaringType}.{field.Name}";
}
