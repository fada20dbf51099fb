using System.Security.Cryptography;
using Fuzz.Capture;
using Fuzz.Coverage;

namespace Fuzz;

/// <summary>Does what the command line says, and ends with one line `N passed, N failed`: three checks a target, its corpus, its mutants, and the lines that
/// its parsers have to reach.</summary>
internal sealed class Runner(CommandLine line, TimeProvider time)
{
    private static readonly TimeSpan HangLimit = TimeSpan.FromSeconds(15);

    private volatile Checker? _checker;
    private int _passed;
    private int _failed;

    /// <summary>Runs; 0 if all is well, 1 if an input failed, 2 if the command line is wrong.</summary>
    public async Task<int> RunAsync()
    {
        IReadOnlyList<FuzzTarget> all = AllTargets.Make();
        if (line.Lists)
        {
            Console.WriteLine(string.Join('\n', all.Select(target => target.Name)));
            return 0;
        }

        if (line.WritesCorpus)
        {
            WriteCorpus(all);
            return 0;
        }

        if (line.CapturesCorpus)
        {
            CaptureCorpus();
            return 0;
        }

        string? name = line.Target ?? (line.Replay is { } file ? TargetOf(file, all) : null);
        List<FuzzTarget> chosen = [.. all.Where(target => name is null || target.Name == name)];
        if (chosen.Count == 0 || (line.Replay is not null && name is null))
        {
            Console.Error.WriteLine($"'{name ?? line.Replay}' is no target or of none; they are: {string.Join(' ', all.Select(target => target.Name))}");
            return 2;
        }

        // A thread of its own: a parser that never ends must not keep the process.
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var worker = new Thread(() => Work(chosen, ended)) { IsBackground = true };
        worker.Start();
        await WatchAsync(ended.Task);
        Console.WriteLine($"{_passed} passed, {_failed} failed");
        return _failed == 0 ? 0 : 1;
    }

    private static string? TargetOf(string file, IReadOnlyList<FuzzTarget> all)
    {
        string stem = Path.GetFileName(file);
        string? folder = Path.GetFileName(Path.GetDirectoryName(Path.GetFullPath(file)));
        return all.Select(target => target.Name).Where(name => name == folder || stem.StartsWith(name + "-", StringComparison.Ordinal)).MaxBy(name => name.Length);
    }

    private static void WriteCorpus(IReadOnlyList<FuzzTarget> all)
    {
        foreach (FuzzTarget target in all)
        {
            string folder = Path.Combine(Clone.Corpus, target.Name);
            Directory.CreateDirectory(folder);
            foreach (Sample sample in target.Samples())
            {
                string path = Path.Combine(folder, sample.Name + ".bin");
                if (!sample.IsByChance || !File.Exists(path))
                {
                    File.WriteAllBytes(path, sample.Bytes);
                }
            }
        }
    }

    private static void CaptureCorpus()
    {
        foreach ((string target, List<byte[]> inputs) in CapturedCorpus.Make())
        {
            string folder = Path.Combine(Clone.Corpus, target);
            foreach (string old in Directory.EnumerateFiles(folder, "captured-*.bin"))
            {
                File.Delete(old);
            }

            for (int i = 0; i < inputs.Count; i++)
            {
                File.WriteAllBytes(Path.Combine(folder, $"captured-{i + 1}.bin"), inputs[i]);
            }

            Console.WriteLine($"{target,-20}{inputs.Count,8}{inputs.Sum(input => input.Length),11} bytes");
        }
    }

    private void Work(List<FuzzTarget> targets, TaskCompletionSource ended)
    {
        try
        {
            if (line.Replay is { } file)
            {
                Replay(targets[0], file);
            }
            else
            {
                Console.WriteLine($"seed {line.Seed}\n{"target",-20}{"corpus",8}{"inputs",12}{"inputs/s",11}{"endings",9}{"bytes",11}{"kept",6}{"lines",9}{"failures",10}");
                int weights = targets.Sum(target => target.Weight);
                foreach (FuzzTarget target in targets)
                {
                    Fuzz(target, line.Duration * target.Weight / weights);
                }

                targets.ForEach(Judge);
            }

            ended.SetResult();
        }
        catch (Exception exception)
        {
            ended.SetException(exception);
        }
    }

    private void Replay(FuzzTarget target, string file)
    {
        var campaign = new Campaign(target, line.Seed, time, lines: null);
        _checker = campaign.Checker;
        if (campaign.Checker.Check(File.ReadAllBytes(file)) is { } failure)
        {
            Console.WriteLine($"FAILED {target.Name}: {failure.Identity}\n{failure.Detail}");
            _failed++;
        }
        else
        {
            Console.WriteLine($"{target.Name}: ended in way {campaign.Checker.Outcome}, {campaign.Checker.MostAllocated} bytes allocated");
            _passed++;
        }
    }

    private void Fuzz(FuzzTarget target, TimeSpan? duration)
    {
        var campaign = new Campaign(target, line.Seed, time, LineCounter.Found);
        _checker = campaign.Checker;
        int failedBefore = campaign.Replay();
        Count(failedBefore == 0);
        campaign.Mutate(duration ?? TimeSpan.MaxValue, duration is null ? line.Count / target.Weight : long.MaxValue);
        Count(campaign.Failed == failedBefore);
        (int all, List<Line> missed) = Lines(target);
        if (line.Keeps)
        {
            campaign.Kept.ForEach(input => Keep(target, input));
        }

        double rate = (campaign.Inputs - campaign.CorpusSize) / Math.Max(campaign.Elapsed.TotalSeconds, 0.001);
        Console.WriteLine(
            $"{target.Name,-20}{campaign.CorpusSize,8}{campaign.Inputs,12}{rate,11:F0}{campaign.Outcomes,9}{campaign.Checker.MostAllocated,11}{campaign.Kept.Count,6}"
                + $"{$"{all - missed.Count}/{all}",9}{campaign.Failed,10}");
    }

    private static (int All, List<Line> Missed) Lines(FuzzTarget target) =>
        LineCounter.Found?.LinesOf(Parsers.Of(target)) ?? throw new InvalidOperationException("mutants are made where there are probes");

    private static void Keep(FuzzTarget target, byte[] input) =>
        File.WriteAllBytes(Path.Combine(Clone.Corpus, target.Name, $"reached-{Convert.ToHexStringLower(SHA256.HashData(input).AsSpan(0, 6))}.bin"), input);

    // At the end: another target may have reached what this one did not.
    private void Judge(FuzzTarget target)
    {
        (int all, List<Line> missed) = Lines(target);
        int percent = (all - missed.Count) * 100 / all;
        if (percent < line.Lines)
        {
            Console.WriteLine($"FAILED {target.Name}: {percent} % of {all} lines were reached, {line.Lines} are to be; not {string.Join(", ", missed.GroupBy(at => at.File).Select(Ranges))}");
        }

        Count(percent >= line.Lines);
    }

    /// <summary>Lines of one file as FILE:FIRST-LAST,LINE.</summary>
    private static string Ranges(IGrouping<string, Line> file)
    {
        var ranges = new List<(int First, int Last)>();
        foreach (int number in file.Select(at => at.Number))
        {
            if (ranges.Count > 0 && ranges[^1].Last == number - 1)
            {
                ranges[^1] = (ranges[^1].First, number);
            }
            else
            {
                ranges.Add((number, number));
            }
        }

        return $"{file.Key}:{string.Join(',', ranges.Select(range => range.First == range.Last ? $"{range.First}" : $"{range.First}-{range.Last}"))}";
    }

    private void Count(bool isPassed)
    {
        _passed += isPassed ? 1 : 0;
        _failed += isPassed ? 0 : 1;
    }

    private async Task WatchAsync(Task work)
    {
        while (!work.IsCompleted)
        {
            await Task.WhenAny(work, Task.Delay(TimeSpan.FromMilliseconds(500), time));
            if (_checker is { } checker && checker.Hanging(HangLimit) is { } input)
            {
                var failure = new Failure("hang", $"did not end within {HangLimit.TotalSeconds:F0} s", input);
                Console.WriteLine($"FAILED {checker.Target}: {failure.Detail}\n  again: {failure.Save(checker.Target)}");
                _failed++;
                return;
            }
        }

        await work;
    }
}
