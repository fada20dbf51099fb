using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace House.Tests;

/// <summary>In which file of the clone each type of an assembly stands, as the build's portable PDB tells.</summary>
internal sealed class SourceOfTypes : IDisposable
{
    /// <summary>"Type definition documents" of the format: of types that have no code.</summary>
    private static readonly Guid TypeDocuments = new("932E74BC-DBA9-4478-8D46-0F32A7BAB3D3");

    private readonly MetadataReaderProvider _provider;
    private readonly MetadataReader _symbols;
    private readonly MetadataReader _metadata;

    public SourceOfTypes(CompiledAssembly assembly)
    {
        Assert.True(File.Exists(assembly.SymbolsPath), $"{assembly.SymbolsPath} is missing: build Wow.slnx first.");
        _provider = MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(assembly.SymbolsPath));
        (_symbols, _metadata) = (_provider.GetMetadataReader(), assembly.Metadata);
    }

    /// <inheritdoc/>
    public void Dispose() => _provider.Dispose();

    /// <summary>The files below a folder of the clone where the type stands or what is nested in it; generated ones are not there.</summary>
    public IReadOnlyList<string> Of(TypeDefinitionHandle handle, string folder) =>
        [.. Documents(handle).Select(_symbols.GetDocument).Select(document => _symbols.GetString(document.Name).Replace('\\', '/'))
            .Where(path => path.Contains($"/{folder}/", StringComparison.Ordinal))
            .Select(path => path[(path.LastIndexOf($"/{folder}/", StringComparison.Ordinal) + 1)..]).Distinct()];

    private IEnumerable<DocumentHandle> Documents(TypeDefinitionHandle handle)
    {
        TypeDefinition type = _metadata.GetTypeDefinition(handle);
        var found = new List<DocumentHandle>();
        foreach (MethodDefinitionHandle method in type.GetMethods())
        {
            MethodDebugInformation information = _symbols.GetMethodDebugInformation(method);
            found.AddRange(information.GetSequencePoints().Select(point => point.Document));
        }

        foreach (CustomDebugInformation information in _symbols.GetCustomDebugInformation(handle).Select(_symbols.GetCustomDebugInformation))
        {
            if (_symbols.GetGuid(information.Kind) == TypeDocuments)
            {
                BlobReader blob = _symbols.GetBlobReader(information.Value);
                while (blob.RemainingBytes > 0)
                    found.Add(MetadataTokens.DocumentHandle(blob.ReadCompressedInteger()));
            }
        }

        return found.Concat(type.GetNestedTypes().SelectMany(Documents)).Where(document => !document.IsNil).Distinct();
    }
}
