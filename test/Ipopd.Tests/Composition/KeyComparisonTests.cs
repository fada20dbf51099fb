using System.Reflection;
using System.Runtime.CompilerServices;
using Brunet.Addressing;
using Ipop.Linux.Polling;
using Ipopd.Composition;

namespace Ipopd.Tests.Composition;

/// <summary>
/// The framework's comparer of enums makes objects of both each time where code was compiled ahead of time, as in the image, until that code has been compiled again. Tests
/// run another build, so they can't see it.
/// </summary>
public sealed class KeyComparisonTests
{
    private static readonly Assembly[] House = [typeof(NodeAddress).Assembly, typeof(IPv4Address).Assembly, typeof(PollLoop).Assembly, typeof(Daemon).Assembly];

    [Fact]
    public void What_is_looked_up_or_compared_once_a_packet_compares_its_enums_itself()
    {
        Type arrival = typeof(NodeAddress).Assembly.GetType("Brunet.Addressing.Arrival", throwOnError: true)!;
        Type[] compared = [.. Keys().Append(arrival).SelectMany(Parts).Distinct()];
        Assert.Contains(typeof(TransportAddress), compared);
        Assert.All(compared, type => Assert.False(LeavesEnumsToTheFramework(type), $"{type} is compared by the framework's comparer of enums"));
    }

    [Fact]
    public void The_framework_is_left_with_enums_by_a_record_that_says_nothing() => Assert.True(LeavesEnumsToTheFramework(typeof(Silent)));

    private static IEnumerable<Type> Keys()
    {
        const BindingFlags All = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        return House.SelectMany(assembly => assembly.GetTypes()).SelectMany(type => type.GetFields(All)).Select(field => field.FieldType)
            .Where(type => type.IsGenericType && (type.Name.StartsWith("Dictionary", StringComparison.Ordinal) || type.Name.StartsWith("HashSet", StringComparison.Ordinal)))
            .Select(type => type.GetGenericArguments()[0]).Where(type => !type.IsGenericParameter);
    }

    /// <summary>A key, and the values that it is made of.</summary>
    private static IEnumerable<Type> Parts(Type type) =>
        type.IsEnum || type.IsPrimitive || !type.IsValueType
            ? [type]
            : Fields(type).Where(part => part != type && !part.IsEnum).SelectMany(Parts).Append(type);

    private static IEnumerable<Type> Fields(Type type) =>
        type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).Select(field => field.FieldType);

    private static bool LeavesEnumsToTheFramework(Type type)
    {
        if (type.IsEnum || !type.IsValueType || !Fields(type).Any(part => part.IsEnum))
        {
            return type.IsEnum;
        }

        MethodInfo? equals = type.GetMethod(nameof(Equals), [type]);
        MethodInfo hash = type.GetMethod(nameof(GetHashCode), [])!;
        return type.IsGenericType || equals is null || IsGenerated(equals) || IsGenerated(hash);
    }

    private static bool IsGenerated(MethodInfo method) => method.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);

    private readonly record struct Silent(DayOfWeek Day);
}
