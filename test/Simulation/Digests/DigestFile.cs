namespace Simulation.Digests;

/// <summary>The file that keeps the digest of each known run, one a line.</summary>
internal static class DigestFile
{
    /// <summary>Where it is in the clone.</summary>
    public const string Name = "test/Simulation/Digests/digests.txt";

    /// <summary>Makes the file anew.</summary>
    public const string Command = "test/Simulation/sim --write-digests";

    private static readonly string[] Head =
    [
        "# What the nodes of small runs send, to the byte. DigestTests plays them again. Made by",
        $"# {Command}; docs/develop.md says when.",
    ];

    /// <summary>The digests by the names of their runs.</summary>
    /// <param name="root">The clone.</param>
    public static Dictionary<string, string> Read(string root) =>
        File.ReadLines(Path.Combine(root, Name)).Where(line => !line.StartsWith('#')).Select(line => line.Split(' ')).ToDictionary(words => words[0], words => words[^1]);

    /// <summary>Plays all known runs and writes what they came to.</summary>
    /// <param name="root">The clone.</param>
    /// <param name="say">Hears of each run whether it is as it was.</param>
    public static void Write(string root, Action<string> say)
    {
        Dictionary<string, string> before = File.Exists(Path.Combine(root, Name)) ? Read(root) : [];
        var lines = new List<string>(Head);
        foreach (KnownRun run in KnownRun.All)
        {
            string digest = run.Digest();
            say($"{run.Name}: {(!before.TryGetValue(run.Name, out string? known) ? $"new, {digest}" : known == digest ? "as it was" : $"{known} is {digest} now")}");
            lines.Add($"{run.Name} {digest}");
        }

        File.WriteAllText(Path.Combine(root, Name), string.Join('\n', lines) + "\n");
    }
}
