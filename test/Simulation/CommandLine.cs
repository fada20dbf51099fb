using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Simulation.Scenarios;

namespace Simulation;

/// <summary>What the command line asks for.</summary>
internal sealed class CommandLine
{
    /// <summary>What is simulated if nothing else is asked for: name of the scenarios that share a ring, and its size.</summary>
    private static readonly (int Size, string[] Names)[] Whole =
    [
        (1000, ["idle", "join", "death"]),
        (1000, ["merge"]),
        (200, ["records"]),
        (300, ["holders"]),
        (1000, ["notices"]),
        (300, ["sleep", "clone"]),
    ];

    /// <summary>What is simulated only if it is asked for by name.</summary>
    private static readonly (int Size, string[] Names)[] Long = [(50, ["day"]), (50, ["week"]), (1000, ["quiet"])];

    /// <summary>What the name <see cref="BigName"/> stands for: the sizes that the overlay is made for.</summary>
    private static readonly (int Size, string[] Names)[] Big = [(10_000, ["idle", "join", "death"]), (10_000, ["merge"])];

    private const string BigName = "big";

    /// <summary>Of the sizes that the overlay is made for: ten minutes of two processors.</summary>
    private static readonly TimeSpan BigLimit = 2 * TimeSpan.FromMinutes(10);

    private readonly List<string> _names = [];

    /// <summary>How to call it.</summary>
    public static string Usage { get; } =
        "usage: sim [--scenario NAME[,NAME...]] [--size NODES] [--seed NUMBER] [--sessions real|cheap] [--workers NUMBER] [--output FOLDER]\n"
        + "       sim --write-digests\n"
        + string.Join('\n', AllScenarios.List.Select(scenario => $"  {scenario.Name,-8}{scenario.Summary}"))
        + $"\n  {BigName,-8}idle, join, death in one ring of 10,000 and merge of two rings of 5,000";

    /// <summary>Nodes, or null for the sizes of the plan.</summary>
    public int? Size { get; private set; }

    public int Seed { get; private set; } = 1;

    /// <summary>Whether sessions are sealed by a cheap stand-in instead of AES-256-GCM.</summary>
    public bool HasCheapSessions { get; private set; }

    /// <summary>Worlds at once.</summary>
    public int Workers { get; private set; } = Math.Min(2, Environment.ProcessorCount);

    /// <summary>Where the files go.</summary>
    public string Output { get; private set; } = "build/out/sim";

    /// <summary>Processor time that the run may take, of all processors together; null for any.</summary>
    public TimeSpan? ProcessorLimit => _names.Contains(BigName) && Size is null ? BigLimit : null;

    /// <summary>Reads the arguments; the error says which one is wrong.</summary>
    public static bool TryRead(string[] arguments, [NotNullWhen(true)] out CommandLine? command, [NotNullWhen(false)] out string? error)
    {
        command = new CommandLine();
        error = null;
        for (int i = 0; i < arguments.Length && error is null; i += 2)
        {
            error = i + 1 == arguments.Length ? $"{arguments[i]} needs a value" : command.Take(arguments[i], arguments[i + 1]);
        }

        command = error is null ? command : null;
        return error is null;
    }

    /// <summary>What shall be played.</summary>
    public IReadOnlyList<Performance> Plan()
    {
        var plan = new List<Performance>();
        if (_names.Contains(BigName))
        {
            return [.. Big.Select(world => Perform(Size ?? world.Size, world.Names))];
        }

        foreach ((int size, string[] names) in _names.Count == 0 ? Whole : [.. Whole, .. Long])
        {
            string[] chosen = [.. names.Where(name => _names.Count == 0 || _names.Contains(name))];
            if (chosen.Length > 0)
            {
                plan.Add(Perform(Size ?? size, chosen));
            }
        }

        return plan;
    }

    private Performance Perform(int size, string[] names) => new(size, Seed, [.. names.Select(name => AllScenarios.Find(name)!)], HasCheapSessions);

    private static bool IsNumber(string value, int least, int most, out int number) =>
        int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number >= least && number <= most;

    private string? Take(string key, string value)
    {
        int number;
        switch (key)
        {
            case "--scenario":
                _names.AddRange(value.Split(','));
                return _names.Find(name => name != BigName && AllScenarios.Find(name) is null) is { } stranger ? $"there is no scenario '{stranger}'"
                    : _names.Contains(BigName) && _names.Count > 1 ? $"'{BigName}' stands alone" : null;
            case "--size":
                bool isSize = IsNumber(value, 10, 100_000, out number);
                Size = number;
                return isSize ? null : $"--size {value}: give a number from 10 to 100000";
            case "--seed":
                bool isSeed = IsNumber(value, 0, int.MaxValue, out number);
                Seed = number;
                return isSeed ? null : $"--seed {value}: give a whole number";
            case "--sessions":
                HasCheapSessions = value == "cheap";
                return value is "real" or "cheap" ? null : $"--sessions {value}: give real or cheap";
            case "--workers":
                bool isWorkers = IsNumber(value, 1, 64, out number);
                Workers = number;
                return isWorkers ? null : $"--workers {value}: give a number from 1 to 64";
            case "--output":
                Output = value;
                return null;
            default:
                return $"'{key}' is not known";
        }
    }
}
