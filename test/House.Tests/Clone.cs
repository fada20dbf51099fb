using System.Diagnostics;
using System.Text;

namespace House.Tests;

/// <summary>The files of the clone that these tests read: tracked ones, and new ones that git does not ignore.</summary>
internal static class Clone
{
    private const string GitExecutable = "100755";

    /// <summary>The folder that holds Wow.slnx.</summary>
    internal static string Root => global::Tests.CloneFolder.Path;

    /// <summary>Paths from the root with '/', sorted.</summary>
    internal static IReadOnlyList<string> Files { get; } = ListFiles();

    /// <summary>The text of a file.</summary>
    internal static string Read(string file) => File.ReadAllText(Path.Combine(Root, file));

    /// <summary>The lines of a file.</summary>
    internal static string[] Lines(string file) => File.ReadAllLines(Path.Combine(Root, file));

    /// <summary>The first line if it names an interpreter, else null.</summary>
    internal static string? Shebang(string file)
    {
        using var stream = File.OpenRead(Path.Combine(Root, file));
        var head = new byte[128];
        var line = Encoding.UTF8.GetString(head, 0, stream.ReadAtLeast(head, head.Length, throwOnEndOfStream: false)).Split('\n')[0];
        return line.StartsWith("#!", StringComparison.Ordinal) ? line : null;
    }

    /// <summary>Whether people edit it as text: no byte of its head is zero, and it is no input of test/Fuzz.</summary>
    internal static bool IsText(string file)
    {
        if (Path.GetExtension(file) == ".bin")
            return false;
        using var stream = File.OpenRead(Path.Combine(Root, file));
        var head = new byte[4096];
        return !head.AsSpan(0, stream.ReadAtLeast(head, head.Length, throwOnEndOfStream: false)).Contains((byte)0);
    }

    /// <summary>Whether a file is code that people write: C#, Python, shell, and scripts without a suffix.</summary>
    internal static bool IsCode(string file) =>
        Path.GetExtension(file) is ".cs" or ".py" or ".sh" || Shebang(file) is not null;

    /// <summary>Files that the next commit would record as executable.</summary>
    internal static HashSet<string> Executables() =>
        Files.Where(file => (File.GetUnixFileMode(Path.Combine(Root, file)) & UnixFileMode.UserExecute) != 0).ToHashSet();

    /// <summary>Files that git itself records as executable: what a clone of the last commit gets.</summary>
    internal static HashSet<string> ExecutablesInIndex() =>
        Output("git", "-c", "safe.directory=*", "-C", Root, "ls-files", "-z", "--stage").Split('\0')
            .Where(entry => entry.StartsWith(GitExecutable, StringComparison.Ordinal))
            .Select(entry => entry[(entry.IndexOf('\t') + 1)..])
            .ToHashSet();

    /// <summary>What a command prints; empty if there is no such command on this machine.</summary>
    internal static string Output(string command, params string[] arguments)
    {
        var start = new ProcessStartInfo(command, arguments) { RedirectStandardOutput = true, RedirectStandardError = true, RedirectStandardInput = true };
        Process process;
        try
        {
            process = Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return "";
        }

        using (process)
        {
            process.StandardInput.Close();
            process.BeginErrorReadLine();
            var output = process.StandardOutput.ReadToEnd();
            process.WaitForExit();
            return output;
        }
    }

    private static string[] ListFiles()
    {
        var listing = Output("git", "-c", "safe.directory=*", "-C", Root, "ls-files", "-z", "--cached", "--others", "--exclude-standard");
        var files = listing.Split('\0', StringSplitOptions.RemoveEmptyEntries)
            .Select(file => (file, info: new FileInfo(Path.Combine(Root, file))))
            // A link's target is a file of its own, or one of a running guest.
            .Where(entry => entry.info.Exists && entry.info.LinkTarget is null)
            .Select(entry => entry.file)
            .Distinct()
            .Order(StringComparer.Ordinal)
            .ToArray();
        return files.Length > 0 ? files : throw new InvalidOperationException($"git lists no files in {Root}; these tests need a clone and git.");
    }
}
