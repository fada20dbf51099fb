using System.Reflection.Metadata;
using System.Text.RegularExpressions;

namespace House.Tests;

/// <summary>A file of one folder that knows another folder of its project.</summary>
internal sealed record FolderArrow(string File, string From, string To);

/// <summary>
/// Which folders of a project know which. Two witnesses say it: the compiled assembly, which has all that runs however it is spelled; and the text, for a constant
/// and nameof leave nothing of their type in the assembly.
/// </summary>
internal static class FolderArrows
{
    /// <summary>The source files that stand in folders of a project.</summary>
    public static IEnumerable<(string File, string Folder)> Sources(string project) =>
        from file in Clone.Files
        where file.StartsWith(project + "/", StringComparison.Ordinal) && file.EndsWith(".cs", StringComparison.Ordinal)
        let path = file[(project.Length + 1)..].Split('/')
        where path.Length > 1 && path[0] != "Properties"
        select (file, path[0]);

    /// <summary>All arrows of a project, each file's once.</summary>
    /// <param name="project">Its folder in the clone.</param>
    /// <param name="assembly">The project that it is compiled with; null if it is one itself.</param>
    public static IReadOnlyList<FolderArrow> Find(string project, string? assembly = null)
    {
        string space = project[(project.LastIndexOf('/') + 1)..];
        using var compiled = CompiledAssembly.Open(assembly ?? space);
        using var sources = new SourceOfTypes(compiled);
        var files = compiled.Metadata.TypeDefinitions.ToDictionary(type => type, type => sources.Of(type, project));
        var types = files.SelectMany(one => one.Value.Select(file => (Folder: Folder(project, file), Name: compiled.Metadata.GetString(compiled.Metadata.GetTypeDefinition(one.Key).Name))))
            .ToLookup(one => one.Folder, one => one.Name.Split('`')[0]);
        return [.. Compiled(compiled, project, files).Concat(Sources(project).SelectMany(source => Spelled(source.File, source.Folder, space, types))).Distinct()];
    }

    private static IEnumerable<FolderArrow> Compiled(CompiledAssembly assembly, string project, Dictionary<TypeDefinitionHandle, IReadOnlyList<string>> files)
    {
        var uses = new CompiledUses(assembly);
        return from type in files.Keys
               from file in files[uses.Outermost(type)]
               let folder = Folder(project, file)
               where folder.Length > 0
               from other in uses.Of(type).SelectMany(used => files[used])
               let to = Folder(project, other)
               where to.Length > 0 && to != folder
               select new FolderArrow(file, folder, to);
    }

    /// <summary>The folders that a file's using lines open, and those whose types it names with the folder before it.</summary>
    private static IEnumerable<FolderArrow> Spelled(string file, string folder, string space, ILookup<string, string> types)
    {
        string text = string.Join('\n', Clone.Lines(file).Where(line => !line.TrimStart().StartsWith("//", StringComparison.Ordinal)));
        var opened = from Match line in Regex.Matches(text, $@"^\s*(?:global\s+)?using\s+(?:static\s+)?(?:\w+\s*=\s*)?(?:global::)?(?:{Regex.Escape(space)}\.)?(\w+)[.;]", RegexOptions.Multiline)
                     select line.Groups[1].Value;
        var named = from Match path in Regex.Matches(text, @"\w+(?:\s*\.\s*\w+)+")
                    let words = Regex.Split(path.Value, @"\s*\.\s*")
                    from i in Enumerable.Range(0, words.Length)
                    where words[(i + 1)..].Any(types[words[i]].Contains)
                    select words[i];
        return opened.Concat(named).Where(to => to != folder && types.Contains(to)).Select(to => new FolderArrow(file, folder, to));
    }

    /// <summary>The first folder of a file below its project; empty if it stands in none.</summary>
    private static string Folder(string project, string file) => file[(project.Length + 1)..] is var rest && rest.Contains('/', StringComparison.Ordinal) ? rest[..rest.IndexOf('/', StringComparison.Ordinal)] : "";
}
