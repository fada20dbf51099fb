namespace Tests;

/// <summary>Where the clone is that these tests were built from.</summary>
internal static class CloneFolder
{
    /// <summary>The folder that holds Wow.slnx.</summary>
    internal static string Path { get; } = Find();

    private static string Find()
    {
        string folder = AppContext.BaseDirectory;
        while (!File.Exists(System.IO.Path.Combine(folder, "Wow.slnx")))
        {
            folder = System.IO.Path.GetDirectoryName(folder) ?? throw new InvalidOperationException($"No Wow.slnx above {AppContext.BaseDirectory}.");
        }

        return folder;
    }
}
