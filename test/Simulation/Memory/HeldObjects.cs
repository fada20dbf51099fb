using System.Reflection;
using System.Runtime.CompilerServices;

namespace Simulation.Memory;

/// <summary>
/// Everything of the product's that can be reached from some objects, by reflection: how many bytes it takes, and how much stands in each field of collection
/// type. What belongs to the simulator is not looked into.
/// </summary>
internal sealed class HeldObjects
{
    private const int ObjectHead = 16;
    private const int ArrayHead = 24;

    private static readonly Dictionary<Type, FieldInfo[]> FieldsOf = [];
    private static readonly Dictionary<Type, int> SizeOf = [];

    private readonly HashSet<object> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly Queue<(object Held, string Field)> _open = new();
    private readonly Dictionary<object, (object? Holder, string Field)> _ways = new(ReferenceEqualityComparer.Instance);
    private object? _holder;

    public HeldObjects(IEnumerable<object> roots)
    {
        foreach (object root in roots)
        {
            _open.Enqueue((root, ""));
        }

        Walk();
    }

    /// <summary>About what the runtime takes for them, in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>How much stands in all collections of a field, by type and name; without those that nobody else can make grow.</summary>
    public SortedDictionary<string, long> Collections { get; } = new(StringComparer.Ordinal);

    private void Walk()
    {
        while (_open.TryDequeue(out (object Held, string Field) next))
        {
            if (next.Held.GetType().IsValueType || _seen.Add(next.Held))
            {
                _holder = next.Held;
                Look(next.Held, next.Field);
            }
        }
    }

    private static bool IsProduct(Type type) => type.Assembly.GetName().Name is "Brunet" or "Ipop";

    private static bool IsCollection(Type type) => type.Namespace?.StartsWith("System.Collections", StringComparison.Ordinal) == true;

    private void Look(object held, string field)
    {
        Type type = held.GetType();
        if (held is Array array)
        {
            Bytes += ArrayHead + ((long)array.Length * Size(type.GetElementType()!));
            LookAtElements(array, field);
            return;
        }

        if (held is string text)
        {
            Bytes += ArrayHead + (2 * text.Length);
            return;
        }

        if (held is Delegate call)
        {
            Bytes += 64;
            Array.ForEach(call.GetInvocationList(), one => Push(one.Target, field));
            return;
        }

        bool isWalked = IsProduct(type) || IsCollection(type) || type.IsValueType;
        if (isWalked)
        {
            LookAtFields(held, type, field);
        }
    }

    private void LookAtElements(Array array, string field)
    {
        Type element = array.GetType().GetElementType()!;
        if (element.IsPrimitive || element.IsEnum || (element.IsValueType && Fields(element).Length == 0))
        {
            return;
        }

        foreach (object? one in array)
        {
            Push(one, field);
        }
    }

    private void LookAtFields(object held, Type type, string outer)
    {
        Bytes += type.IsValueType ? 0 : ObjectHead;
        foreach (FieldInfo info in Fields(type))
        {
            Bytes += type.IsValueType ? 0 : Size(info.FieldType);
            object? value = info.FieldType.IsPrimitive || info.FieldType.IsPointer || info.FieldType.IsByRefLike ? null : info.GetValue(held);
            string name = IsProduct(type) ? $"{type.Name}.{info.Name}" : outer;
            if (value is not null && IsProduct(type) && info.GetCustomAttribute<Brunet.OwnAttribute>() is null)
            {
                Count(name, value);
            }

            Push(value, name);
        }
    }

    private void Count(string name, object value)
    {
        int? count = value is Array array ? array.Length
            : IsCollection(value.GetType()) && value.GetType().GetProperty("Count") is { } property ? (int)property.GetValue(value)!
            : null;
        if (count is { } known)
        {
            Collections[name] = Collections.GetValueOrDefault(name) + known;
        }
    }

    private void Push(object? value, string field)
    {
        if (value is not null and not Type and not MemberInfo)
        {
            _open.Enqueue((value, field));
            _ways.TryAdd(value, (_holder, field));
        }
    }

    /// <summary>The shortest ways from the roots to all objects of a type, with how many are reached so.</summary>
    public SortedDictionary<string, int> Ways(string type)
    {
        var found = new SortedDictionary<string, int>(StringComparer.Ordinal);
        foreach (object one in _seen.Where(one => one.GetType().Name == type))
        {
            var names = new List<string>();
            object? at = one;
            while (at is not null && _ways.TryGetValue(at, out (object? Holder, string Field) way) && names.Count < 12)
            {
                if (names.Count == 0 || names[^1] != way.Field)
                {
                    names.Add(way.Field);
                }

                at = way.Holder;
            }

            names.Reverse();
            string text = string.Join(" > ", names);
            found[text] = found.GetValueOrDefault(text) + 1;
        }

        return found;
    }

    /// <summary>The fields of a type and of those that it comes from; of a value only those that may lead to an object.</summary>
    private static FieldInfo[] Fields(Type type)
    {
        if (FieldsOf.TryGetValue(type, out FieldInfo[]? known))
        {
            return known;
        }

        var fields = new List<FieldInfo>();
        for (Type? at = type; at is not null && at != typeof(object); at = at.BaseType)
        {
            fields.AddRange(at.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly));
        }

        FieldInfo[] result = type.IsValueType ? [.. fields.Where(field => LeadsToObjects(field.FieldType, type))] : [.. fields];
        return FieldsOf[type] = result;
    }

    private static bool LeadsToObjects(Type type, Type outer) =>
        type != outer && !type.IsPrimitive && !type.IsEnum && !type.IsPointer && !type.IsByRefLike && (!type.IsValueType || Fields(type).Length > 0);

    private static int Size(Type type)
    {
        if (!type.IsValueType || type.IsByRefLike)
        {
            return IntPtr.Size;
        }

        if (!SizeOf.TryGetValue(type, out int size))
        {
            size = (int)typeof(Unsafe).GetMethod(nameof(Unsafe.SizeOf))!.MakeGenericMethod(type).Invoke(null, null)!;
            SizeOf[type] = size;
        }

        return size;
    }
}
