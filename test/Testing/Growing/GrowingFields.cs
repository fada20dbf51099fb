using System.Buffers;
using System.Collections.Concurrent;
using System.Reflection;
using Brunet;

namespace Testing.Growing;

/// <summary>Fields that hold a collection which can grow, and whether the code says what keeps it small.</summary>
public static class GrowingFields
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly HashSet<Type> Growing =
    [
        typeof(Dictionary<,>), typeof(SortedDictionary<,>), typeof(SortedList<,>), typeof(List<>), typeof(HashSet<>), typeof(SortedSet<>), typeof(Queue<>),
        typeof(Stack<>), typeof(PriorityQueue<,>), typeof(LinkedList<>), typeof(OrderedDictionary<,>), typeof(ArrayBufferWriter<>),
        typeof(ConcurrentDictionary<,>), typeof(ConcurrentQueue<>), typeof(ConcurrentBag<>), typeof(ConcurrentStack<>), typeof(BlockingCollection<>),
        typeof(IList<>), typeof(ICollection<>), typeof(ISet<>), typeof(IDictionary<,>),
    ];

    /// <summary>What never grows itself; a field of it that is not read-only may have a longer one put into it.</summary>
    private static readonly HashSet<Type> Replaced =
        [typeof(IEnumerable<>), typeof(IReadOnlyList<>), typeof(IReadOnlyCollection<>), typeof(IReadOnlySet<>), typeof(IReadOnlyDictionary<,>)];

    /// <summary>
    /// All of some assemblies. What a constructor was lent (<c>&lt;name&gt;P</c>) is a field of somebody else already. An array grows where another takes its place, and
    /// where what it is made of does.
    /// </summary>
    public static IEnumerable<FieldInfo> Of(params Assembly[] assemblies) =>
        assemblies.SelectMany(assembly => assembly.GetTypes())
            .Where(type => !IsGenerated(type)).SelectMany(type => type.GetFields(All))
            .Where(field => !field.IsLiteral && !field.Name.EndsWith(">P", StringComparison.Ordinal) && CanGrow(field.FieldType, !field.IsInitOnly));

    private static bool CanGrow(Type type, bool isReplaced) =>
        type.IsArray ? isReplaced || CanGrow(type.GetElementType()!, isReplaced: true)
        : type.IsGenericType && type.GetGenericTypeDefinition() is var kind && (Growing.Contains(kind) || (isReplaced && Replaced.Contains(kind)));

    /// <summary>Those that name neither a bound nor why nobody else can make them grow.</summary>
    public static IEnumerable<string> Unexplained(params Assembly[] assemblies) =>
        Of(assemblies).Where(field => Bound(field) is null && field.GetCustomAttribute<OwnAttribute>() is null).Select(Name);

    /// <summary>Those whose bound is neither a constant nor another collection with a bound.</summary>
    public static IEnumerable<string> Misnamed(params Assembly[] assemblies) =>
        Of(assemblies).Where(field => Bound(field) is { } bound && !IsBound(field, bound)).Select(Name);

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
