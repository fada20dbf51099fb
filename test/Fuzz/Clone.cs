namespace Fuzz;

/// <summary>Where things are in the clone.</summary>
internal static class Clone
{
    /// <summary>The folder that holds Wow.slnx.</summary>
    public static string Root => global::Tests.CloneFolder.Path;

    /// <summary>The corpus: a folder for each target.</summary>
    public static string Corpus => Path.Combine(Root, "test/Fuzz/corpus");

    /// <summary>Where inputs that failed are saved.</summary>
    public static string Failures => Path.Combine(Root, "build/out/fuzz");

    /// <summary>The corpus of a target, sorted by file name.</summary>
    public static List<Sample> CorpusOf(string target)
    {
        string folder = Path.Combine(Corpus, target);
        return Directory.Exists(folder)
            ? [.. Directory.EnumerateFiles(folder, "*.bin").Order(StringComparer.Ordinal).Select(file => new Sample(Path.GetFileNameWithoutExtension(file), File.ReadAllBytes(file)))]
            : [];
    }
}
