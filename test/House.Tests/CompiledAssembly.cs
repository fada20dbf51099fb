using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;

namespace House.Tests;

/// <summary>What a project refers to, read from the assembly that the same build made of it.</summary>
internal sealed class CompiledAssembly : IDisposable
{
    private readonly PEReader _image;

    private CompiledAssembly(string path)
    {
        SymbolsPath = Path.ChangeExtension(path, ".pdb");
        _image = new PEReader(File.OpenRead(path));
        Metadata = _image.GetMetadataReader();
    }

    /// <summary>The tables.</summary>
    internal MetadataReader Metadata { get; }

    /// <summary>Where the build left what a debugger reads.</summary>
    internal string SymbolsPath { get; }

    /// <summary>Opens a project's assembly, in the configuration that these tests were built in.</summary>
    internal static CompiledAssembly Open(string project)
    {
        var name = ProjectFile.Named(project).Property("AssemblyName") is { Length: > 0 } given ? given : project;
        var configuration = Path.GetFileName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory));
        var path = Path.Combine(Clone.Root, "build/dotnet/bin", project, configuration, name + ".dll");
        Assert.True(File.Exists(path), $"{path} is missing: build Wow.slnx first.");
        return new CompiledAssembly(path);
    }

    /// <inheritdoc/>
    public void Dispose() => _image.Dispose();

    /// <summary>A method's code.</summary>
    internal ReadOnlySpan<byte> Body(MethodDefinition method) => Block(method).GetILBytes();

    /// <summary>A method's code, local variables and handlers of exceptions.</summary>
    internal MethodBodyBlock Block(MethodDefinition method) => _image.GetMethodBody(method.RelativeVirtualAddress);

    /// <summary>Names of the assemblies that it refers to.</summary>
    internal IEnumerable<string> Assemblies() =>
        Metadata.AssemblyReferences.Select(handle => Metadata.GetString(Metadata.GetAssemblyReference(handle).Name));

    /// <summary>Full names of the types that it refers to.</summary>
    internal IEnumerable<string> Types() => Metadata.TypeReferences.Select(Name);

    /// <summary>Full names of the members that it refers to.</summary>
    internal IEnumerable<string> Members() =>
        Metadata.MemberReferences
            .Select(Metadata.GetMemberReference)
            .Select(member => $"{Owner(member.Parent)}.{Metadata.GetString(member.Name)}");

    private string Name(TypeReferenceHandle handle)
    {
        var type = Metadata.GetTypeReference(handle);
        return $"{Metadata.GetString(type.Namespace)}.{Metadata.GetString(type.Name)}";
    }

    private string Owner(EntityHandle parent) => parent.Kind switch
    {
        HandleKind.TypeReference => Name((TypeReferenceHandle)parent),
        HandleKind.TypeSpecification => Metadata.GetTypeSpecification((TypeSpecificationHandle)parent).DecodeSignature(new GenericOwner(this), null),
        _ => "",
    };

    /// <summary>Names the generic type behind an instantiation, as in `System.Threading.Tasks.Task`1`.</summary>
    private sealed class GenericOwner(CompiledAssembly assembly) : ISignatureTypeProvider<string, object?>
    {
        public string GetGenericInstantiation(string genericType, System.Collections.Immutable.ImmutableArray<string> typeArguments) => genericType;

        public string GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => assembly.Name(handle);

        public string GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind) => "";

        public string GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind) => "";

        public string GetArrayType(string elementType, ArrayShape shape) => "";

        public string GetByReferenceType(string elementType) => "";

        public string GetFunctionPointerType(MethodSignature<string> signature) => "";

        public string GetGenericMethodParameter(object? genericContext, int index) => "";

        public string GetGenericTypeParameter(object? genericContext, int index) => "";

        public string GetModifiedType(string modifier, string unmodifiedType, bool isRequired) => unmodifiedType;

        public string GetPinnedType(string elementType) => elementType;

        public string GetPointerType(string elementType) => "";

        public string GetPrimitiveType(PrimitiveTypeCode typeCode) => "";

        public string GetSZArrayType(string elementType) => "";
    }
}
