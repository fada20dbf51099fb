using System.Reflection;
using System.Runtime.Loader;
using Microsoft.AspNetCore.Http;
using Testing.Overlay;

namespace Fuzz.Coverage;

/// <summary>This program and the product once more in one process, the product with probes.</summary>
internal sealed class ProbedContext : AssemblyLoadContext
{
    /// <summary>Who refers to the product. Everybody else is there once, for the product and for the framework that hands it things.</summary>
    private static readonly string[] Beside = [.. ((Type[])[typeof(ProbedContext), typeof(Peers)]).Select(type => type.Assembly.GetName().Name!)];

    private readonly Dictionary<string, MemoryStream> _written = [];
    private readonly byte[] _reached;

    private ProbedContext()
        : base("probed")
    {
        using var writer = new ProbeWriter([AppContext.BaseDirectory, FolderOf(typeof(object)), FolderOf(typeof(HttpContext))]);
        foreach (string name in Parsers.Assemblies)
        {
            _written[name] = writer.Write(FileOf(name));
        }

        _reached = new byte[writer.Statements.Count];
        LineCounter.Announce(_reached, writer.Statements);
    }

    /// <summary>Runs this program with the same arguments, where <see cref="LineCounter.Found"/> finds the probes; returns its exit code.</summary>
    public static int Run(string[] arguments)
    {
        Assembly self = new ProbedContext().LoadFromAssemblyName(typeof(ProbedContext).Assembly.GetName());
        return (int)self.EntryPoint!.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [arguments], null)!;
    }

    /// <inheritdoc/>
    protected override Assembly? Load(AssemblyName assemblyName)
    {
        string name = assemblyName.Name!;
        if (!_written.TryGetValue(name, out MemoryStream? written))
        {
            return Beside.Contains(name) ? LoadFromAssemblyPath(FileOf(name)) : null;
        }

        Assembly assembly = LoadFromStream(written);
        assembly.GetType(ProbeWriter.HolderName)!.GetField(ProbeWriter.FieldName)!.SetValue(null, _reached);
        return assembly;
    }

    private static string FolderOf(Type type) => Path.GetDirectoryName(type.Assembly.Location)!;

    private static string FileOf(string name) => Path.Combine(AppContext.BaseDirectory, name + ".dll");
}
