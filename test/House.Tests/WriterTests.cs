using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace House.Tests;

/// <summary>
/// Who writes what all parts of a node know of a peer and of its paths. What several classes write nobody answers for, so each property has one writer, or
/// stands here with those that it has.
/// </summary>
public sealed class WriterTests
{
    private const int MostShared = 5;

    /// <summary>Properties that others may set, with the classes that do.</summary>
    private static readonly Dictionary<string, string> Peer = new()
    {
        ["Current"] = "Handshaker, PeerTable",
        ["Due"] = "Agenda",
        ["IsStirred"] = "PeerTable",
        ["LastDirect"] = "PathKeeper",
        ["LastElsewhere"] = "PathKeeper",
        ["LastReceived"] = "PathKeeper",
        ["Nat"] = "Puncher",
        ["Next"] = "HandshakeReceiver, Handshaker, PeerTable",
        ["NextHandshake"] = "Handshaker",
        ["PartedAt"] = "PeerTable",
        ["Pending"] = "HandshakeReceiver, Handshaker, PeerTable",
        ["ReceivedBytes"] = "Receiver",
        ["SentBytes"] = "MtuKeeper, Transport",
        ["UnansweredSince"] = "PathKeeper, Transport",
    };

    [Fact]
    public void A_property_of_a_peer_has_the_writers_that_stand_here()
    {
        Assert.Equal(Lines(Peer.Select(one => (one.Key, one.Value))), Lines(Writers("Peer")));
        Assert.InRange(Peer.Values.Count(writers => writers.Contains(',', StringComparison.Ordinal)), 0, MostShared);
    }

    [Theory]
    [InlineData("Path")]
    [InlineData("PathPings")]
    [InlineData("PathList")]
    public void A_path_writes_its_own_state(string type) => Assert.Equal("", Lines(Writers(type)));

    /// <summary>Everybody may look at the paths to a peer; which there are one part decides.</summary>
    [Fact]
    public void Paths_are_added_and_removed_by_their_keeper_alone()
    {
        using var assembly = CompiledAssembly.Open("Brunet");
        TypeDefinition list = Type(assembly.Metadata, "PathList");
        foreach (MethodDefinitionHandle method in list.GetMethods())
        {
            if (assembly.Metadata.GetString(assembly.Metadata.GetMethodDefinition(method).Name) is "GetOrAdd" or "Remove")
            {
                Assert.Equal(["PathKeeper"], Callers(assembly, MetadataTokens.GetToken(method)));
            }
        }
    }

    private static string Lines(IEnumerable<(string Property, string Writers)> found) =>
        string.Join('\n', found.Select(one => $"{one.Property}: {one.Writers}").Order(StringComparer.Ordinal));

    /// <summary>The properties of a type of Brunet's links that others may set, each with the other classes that call its setter.</summary>
    private static List<(string Property, string Writers)> Writers(string type)
    {
        using var assembly = CompiledAssembly.Open("Brunet");
        MetadataReader metadata = assembly.Metadata;
        TypeDefinition owner = Type(metadata, type);
        var found = new List<(string, string)>();
        foreach (PropertyDefinition property in owner.GetProperties().Select(metadata.GetPropertyDefinition))
        {
            MethodDefinitionHandle setter = property.GetAccessors().Setter;
            if (!setter.IsNil && (metadata.GetMethodDefinition(setter).Attributes & MethodAttributes.MemberAccessMask) != MethodAttributes.Private)
            {
                found.Add((metadata.GetString(property.Name), string.Join(", ", Callers(assembly, MetadataTokens.GetToken(setter)).Where(one => one != type).Order(StringComparer.Ordinal))));
            }
        }

        return found;
    }

    private static TypeDefinition Type(MetadataReader metadata, string name) =>
        metadata.TypeDefinitions.Select(metadata.GetTypeDefinition)
            .Single(one => metadata.GetString(one.Name) == name && metadata.GetString(one.Namespace) == "Brunet.Links");

    private static HashSet<string> Callers(CompiledAssembly assembly, int token) =>
        [.. from handle in assembly.Metadata.MethodDefinitions
            let method = assembly.Metadata.GetMethodDefinition(handle)
            where method.RelativeVirtualAddress != 0 && Calls(assembly.Body(method), token)
            select Outermost(assembly.Metadata, method.GetDeclaringType())];

    /// <summary>Whether a method's code has the instruction call or callvirt (ECMA-335 III.3.19, III.4.2) with this token.</summary>
    private static bool Calls(ReadOnlySpan<byte> code, int token)
    {
        for (int i = 0; i + 4 < code.Length; i++)
        {
            if (code[i] is 0x28 or 0x6f && BitConverter.ToInt32(code[(i + 1)..]) == token)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The class that people wrote: not what the compiler made in it for a lambda.</summary>
    private static string Outermost(MetadataReader metadata, TypeDefinitionHandle handle)
    {
        TypeDefinition type = metadata.GetTypeDefinition(handle);
        return type.GetDeclaringType() is { IsNil: false } outer ? Outermost(metadata, outer) : metadata.GetString(type.Name);
    }
}
