using System.Diagnostics;
using System.Text;

namespace Ipopd.Tests.Configuration;

/// <summary>What a Python program of this clone prints. Both languages read the same files so.</summary>
internal static class PythonLines
{
    internal static IReadOnlyList<string> Of(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo("/usr/bin/python3", ["-B", Path.Combine(global::Tests.CloneFolder.Path, program), .. arguments])
        {
            RedirectStandardOutput = true,
            StandardOutputEncoding = Encoding.UTF8,
        };
        using Process process = Process.Start(start)!;
        var lines = new List<string>();
        while (process.StandardOutput.ReadLine() is { } line)
        {
            lines.Add(line);
        }

        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return lines;
    }
}
