using System.Globalization;

namespace Fuzz;

/// <summary>What the runner shall do.</summary>
internal sealed record CommandLine
{
    /// <summary>How it is used.</summary>
    public const string Usage =
        """
        Usage: test/Fuzz/run [--seed N] [--count N] [--target NAME]                as many mutants of all targets, or of one, as in each run of the tests
               test/Fuzz/run --seconds N [--seed N] [--target NAME]                as many as the time allows
                             --lines N                                             parsers of which less than N % of the lines were reached are a failure; else 90
                             --keep                                                mutants that reached what the corpus does not go into the corpus
               test/Fuzz/run --replay FILE [--target NAME]                         one input; the target is the file's folder or the head of its name
               test/Fuzz/run --write-corpus                                        test/Fuzz/corpus anew from the product's own writers
               test/Fuzz/run --capture-corpus                                      the captured part of it anew from runs of the overlay
               test/Fuzz/run --list                                                the targets
        """;

    /// <summary>Time for the mutants of all targets together; null if their number is fixed.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Mutants of a target of weight 1 where time does not say it; a heavier one is slower, and has less.</summary>
    public long Count { get; init; } = 7000;

    /// <summary>Percent of its lines that each target's parsers have to reach.</summary>
    public int Lines { get; init; } = 90;

    /// <summary>Whether mutants that reached something new go into the corpus.</summary>
    public bool Keeps { get; init; }

    /// <summary>Where chance begins.</summary>
    public int Seed { get; init; } = 1;

    /// <summary>The one target; null for all.</summary>
    public string? Target { get; init; }

    /// <summary>The one input; null for none.</summary>
    public string? Replay { get; init; }

    /// <summary>Whether the corpus is written.</summary>
    public bool WritesCorpus { get; init; }

    /// <summary>Whether the captured part of the corpus is written.</summary>
    public bool CapturesCorpus { get; init; }

    /// <summary>Whether the targets are listed.</summary>
    public bool Lists { get; init; }

    /// <summary>Whether inputs are made up and lines counted.</summary>
    public bool Mutates => !WritesCorpus && !CapturesCorpus && !Lists && Replay is null;

    /// <summary>Reads the arguments; null if they are wrong.</summary>
    public static CommandLine? Read(string[] arguments)
    {
        var line = new CommandLine();
        for (int i = 0; i < arguments.Length; i++)
        {
            string? value = i + 1 < arguments.Length ? arguments[i + 1] : null;
            bool isNumber = long.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out long number);
            CommandLine? next = arguments[i] switch
            {
                "--write-corpus" => line with { WritesCorpus = true },
                "--capture-corpus" => line with { CapturesCorpus = true },
                "--list" => line with { Lists = true },
                "--seconds" when isNumber && number is > 0 and < 1_000_000 => line with { Duration = TimeSpan.FromSeconds(number) },
                "--count" when isNumber => line with { Count = number },
                "--lines" when isNumber && number <= 100 => line with { Lines = (int)number },
                "--keep" => line with { Keeps = true },
                "--seed" when isNumber => line with { Seed = (int)(number & int.MaxValue) },
                "--target" when value is not null => line with { Target = value },
                "--replay" when value is not null => line with { Replay = value },
                _ => null,
            };
            if (next is null)
            {
                return null;
            }

            i += arguments[i] is "--write-corpus" or "--capture-corpus" or "--list" or "--keep" ? 0 : 1;
            line = next;
        }

        return line;
    }
}
