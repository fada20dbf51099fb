using System.Collections;
using System.Reflection;
using Testing.Growing;

namespace CaService.Tests;

/// <summary>What objects of the CA hold in fields that can grow, by reflection: those of the objects themselves, and of all that they lead to.</summary>
internal static class Held
{
    private const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private static readonly HashSet<FieldInfo> Growing = [.. GrowingFields.Of(typeof(CaFolder).Assembly)];

    /// <summary>The names of all such fields of the program.</summary>
    public static IEnumerable<string> Fields => Growing.Select(Name);

    /// <summary>How much each of them holds, the fullest where there are several of a field; those that were not come upon are not there.</summary>
    public static Dictionary<string, int> By(params object[] roots)
    {
        var counts = new Dictionary<string, int>();
        var seen = new HashSet<object>(ReferenceEqualityComparer.Instance);
        var left = new Stack<object>(roots);
        while (left.TryPop(out object? one))
        {
            if (!seen.Add(one))
            {
                continue;
            }

            foreach (object? value in one is IEnumerable many and not string ? many.Cast<object?>() : Own(one, counts))
            {
                if (value is not null && IsOurs(value))
                {
                    left.Push(value);
                }
            }
        }

        return counts;
    }

    /// <summary>Whether an object may lead to what the program holds: one of its own, or what is made of such.</summary>
    private static bool IsOurs(object value) => value.GetType() is var type
        && (type.Assembly == typeof(CaFolder).Assembly
            || (value is IEnumerable and not string && type.GetGenericArguments().Concat([type.GetElementType()]).Any(of => of?.Assembly == typeof(CaFolder).Assembly)));

    private static IEnumerable<object?> Own(object one, Dictionary<string, int> counts)
    {
        for (Type? type = one.GetType(); type is not null && type.Assembly == typeof(CaFolder).Assembly; type = type.BaseType)
        {
            foreach (FieldInfo field in type.GetFields(All).Where(field => !field.IsLiteral))
            {
                object? value = field.GetValue(field.IsStatic ? null : one);
                if (value is IEnumerable many && Growing.Contains(field))
                {
                    counts[Name(field)] = Math.Max(counts.GetValueOrDefault(Name(field)), Count(many));
                }

                yield return value;
            }
        }
    }

    /// <summary>Its elements, and what stands in those: of lists by key all counts.</summary>
    private static int Count(IEnumerable many) => many is IDictionary by
        ? by.Count + by.Values.OfType<ICollection>().Sum(list => list.Count)
        : many.Cast<object?>().Count();

    private static string Name(FieldInfo field) => $"{field.DeclaringType!.Name}.{field.Name}";
}
