using System.Xml.Linq;

namespace House.Tests;

/// <summary>What the rules need of a project file.</summary>
internal sealed record ProjectFile(string Path, string Name, IReadOnlyList<string> References, IReadOnlyList<string> Packages, XDocument Xml)
{
    /// <summary>Every project of the clone.</summary>
    internal static IReadOnlyList<ProjectFile> All { get; } =
        [.. Clone.Files.Where(file => file.EndsWith(".csproj", StringComparison.Ordinal)).Select(Load)];

    /// <summary>Whether it is shipped: everything but tests and their library.</summary>
    internal bool IsShipped => !Path.StartsWith("test/", StringComparison.Ordinal);

    /// <summary>The project of this name.</summary>
    internal static ProjectFile Named(string name) => All.Single(project => project.Name == name);

    /// <summary>The value of a property, or empty.</summary>
    internal string Property(string name) => Xml.Descendants(name).LastOrDefault()?.Value ?? "";

    private static ProjectFile Load(string path)
    {
        var xml = XDocument.Parse(Clone.Read(path));
        return new ProjectFile(
            path,
            System.IO.Path.GetFileNameWithoutExtension(path),
            [.. Includes(xml, "ProjectReference").Select(reference => System.IO.Path.GetFileNameWithoutExtension(reference.Replace('\\', '/')))],
            [.. Includes(xml, "PackageReference")],
            xml);
    }

    private static IEnumerable<string> Includes(XDocument xml, string element) =>
        xml.Descendants(element).Select(item => item.Attribute("Include")?.Value ?? "");
}
