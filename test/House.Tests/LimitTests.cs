using System.Reflection;
using System.Reflection.Metadata;

namespace House.Tests;

/// <summary>
/// How large a part may be. What is larger does several things and changes for several reasons. The few that are larger for a reason stand in one list.
/// </summary>
public sealed class LimitTests
{
    private const int MostDependencies = 8;
    private const int MostMembers = 25;
    private const int MostLines = 400;
    private const int MostExceptions = 3;

    private static readonly Dictionary<string, string> Exceptions = new()
    {
        ["Brunet.Node"] = "the door of the whole library: each thing that can be asked of a node is a member",
        ["Brunet.NodeParts"] = "names every part once",
        ["Brunet.Links.Peer"] = "what all parts know of a peer: its sessions, its paths, when it was heard",
    };

    public static TheoryData<string> Projects => [.. ProjectFile.All.Where(project => project.IsShipped).Select(project => project.Name)];

    [Theory]
    [MemberData(nameof(Projects))]
    public void A_part_takes_few_others(string project)
    {
        using var assembly = CompiledAssembly.Open(project);
        Rule.NobodyBreaks(Parts(assembly.Metadata).Select(part => (part.Name, Count: Dependencies(assembly.Metadata, part.Type)))
            .Where(part => part.Count > MostDependencies).Select(part => $"{part.Name} takes {part.Count}, at most {MostDependencies}").ToList());
    }

    [Theory]
    [MemberData(nameof(Projects))]
    public void A_part_has_few_public_members(string project)
    {
        using var assembly = CompiledAssembly.Open(project);
        Rule.NobodyBreaks(Parts(assembly.Metadata).Select(part => (part.Name, Count: Members(assembly.Metadata, part.Type)))
            .Where(part => part.Count > MostMembers).Select(part => $"{part.Name} has {part.Count}, at most {MostMembers}").ToList());
    }

    [Fact]
    public void A_file_is_short() => Rule.NobodyBreaks(
        from file in Clone.Files
        where file.EndsWith(".cs", StringComparison.Ordinal) && (file.StartsWith("ipop/", StringComparison.Ordinal) || file.StartsWith("ca-service/", StringComparison.Ordinal))
        let count = Clone.Lines(file).Length
        where count > MostLines && !Exceptions.Keys.Any(name => IsFileOf(file, name))
        select $"{file} has {count} lines, at most {MostLines}");

    [Fact]
    public void Exceptions_are_few_and_exist()
    {
        Assert.InRange(Exceptions.Count, 0, MostExceptions);
        Rule.NobodyBreaks(Exceptions.Keys.Where(name => !Clone.Files.Any(file => IsFileOf(file, name))));
    }

    private static bool IsFileOf(string file, string type) => file.EndsWith($"/{type[(type.LastIndexOf('.') + 1)..]}.cs", StringComparison.Ordinal);

    /// <summary>Classes that people wrote and that do something: no records, which are data, and nothing that the compiler makes, as the readers of JSON.</summary>
    private static IEnumerable<(string Name, TypeDefinition Type)> Parts(MetadataReader metadata) =>
        from handle in metadata.TypeDefinitions
        let type = metadata.GetTypeDefinition(handle)
        let name = $"{metadata.GetString(type.Namespace)}.{metadata.GetString(type.Name)}"
        where !name.Contains('<', StringComparison.Ordinal) && !name.EndsWith("Json", StringComparison.Ordinal) && !Exceptions.ContainsKey(name)
        where (type.Attributes & TypeAttributes.Interface) == 0 && !IsValue(metadata, type) && !IsRecord(metadata, type)
        select (name, type);

    private static bool IsValue(MetadataReader metadata, TypeDefinition type) =>
        type.BaseType.Kind == HandleKind.TypeReference
        && metadata.GetString(metadata.GetTypeReference((TypeReferenceHandle)type.BaseType).Name) is "ValueType" or "Enum" or "MulticastDelegate";

    private static bool IsRecord(MetadataReader metadata, TypeDefinition type) => Methods(metadata, type).Any(method => metadata.GetString(method.Name) == "<Clone>$");

    private static IEnumerable<MethodDefinition> Methods(MetadataReader metadata, TypeDefinition type) => type.GetMethods().Select(metadata.GetMethodDefinition);

    private static int Dependencies(MetadataReader metadata, TypeDefinition type) => Methods(metadata, type)
        .Where(method => metadata.GetString(method.Name) == ".ctor")
        .Select(method => method.GetParameters().Select(metadata.GetParameter).Count(parameter => parameter.SequenceNumber > 0))
        .DefaultIfEmpty().Max();

    /// <summary>Methods, and properties whose reader or writer anybody may call.</summary>
    private static int Members(MetadataReader metadata, TypeDefinition type)
    {
        int methods = Methods(metadata, type).Count(method => IsPublic(method) && (method.Attributes & MethodAttributes.SpecialName) == 0);
        int properties = type.GetProperties().Select(handle => metadata.GetPropertyDefinition(handle).GetAccessors())
            .Count(accessors => IsOpen(accessors.Getter) || IsOpen(accessors.Setter));
        return methods + properties;

        bool IsOpen(MethodDefinitionHandle handle) => !handle.IsNil && IsPublic(metadata.GetMethodDefinition(handle));
    }

    private static bool IsPublic(MethodDefinition method) => (method.Attributes & MethodAttributes.MemberAccessMask) == MethodAttributes.Public;
}
