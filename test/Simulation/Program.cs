using System.Diagnostics;
using Simulation;
using Simulation.Digests;
using Simulation.Reports;

if (args is ["--write-digests"])
{
    // The script beside the project has made the clone the current folder.
    DigestFile.Write(Environment.CurrentDirectory, Console.WriteLine);
    return 0;
}

if (!CommandLine.TryRead(args, out CommandLine? command, out string? error))
{
    Console.Error.WriteLine($"sim: {error}");
    Console.Error.WriteLine(CommandLine.Usage);
    return 2;
}

TimeProvider clock = TimeProvider.System;
long started = clock.GetTimestamp();
void Say(string text)
{
    lock (clock)
    {
        Console.WriteLine(FormattableString.Invariant($"{clock.GetElapsedTime(started).TotalSeconds,6:0} s  {text}"));
    }
}

Console.WriteLine($"handshakes: a cheap stand-in; sessions: {(command.HasCheapSessions ? "a cheap stand-in" : "AES-256-GCM")}; signatures: ECDSA");
IReadOnlyList<PerformanceResult> results = await Runner.PlayAsync(command.Plan(), command.Workers, Say);
TimeSpan taken = clock.GetElapsedTime(started);
Console.WriteLine();
Console.Write(FigureTable.Text(results));
var cost = new RunCost(taken, Environment.CpuUsage.TotalTime, command.ProcessorLimit, Process.GetCurrentProcess().PeakWorkingSet64 >> 20);
RunFiles.Write(command.Output, command.Seed, results, cost);
Console.WriteLine(FormattableString.Invariant($"{cost}; pictures and sim.json are in {command.Output}"));
foreach (PerformanceResult result in results)
{
    if (result.Failure is { } failure)
    {
        Console.Error.WriteLine($"sim: {failure}");
    }
}

return results.All(result => result.Failure is null) ? 0 : 1;
