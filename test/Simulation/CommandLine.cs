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
    ];

    /// <summary>What is simulated only if it is asked for by name.</summary>
    private static readonly (int Size, string[] Names)[] Long = [(50, ["day"])];

    private readonly List<string> _names = [];

    /// <summary>How to call it.</summary>
    public static string Usage { get; } =
        "usage: sim [--scenario NAME[,NAME...]] [--size NODES] [--seed NUMBER] [--workers NUMBER] [--output FOLDER]\n"
        + string.Join('\n', AllScenarios.List.Select(scenario => $"  {scenario.Name,-8}{scenario.Summary}"));

    /// <summary>Nodes, or null for the sizes of the plan.</summary>
    public int? Size { get; private set; }

    public int Seed { get; private set; } = 1;

    /// <summary>Worlds at once.</summary>
    public int Workers { get; private set; } = Math.Min(2, Environment.ProcessorCount);

    /// <summary>Where the files go.</summary>
    public string Output { get; private set; } = "build/out/sim";

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
        foreach ((int size, string[] names) in _names.Count == 0 ? Whole : [.. Whole, .. Long])
        {
            List<IScenario> scenarios = [.. names.Where(name => _names.Count == 0 || _names.Contains(name)).Select(name => AllScenarios.Find(name)!)];
            int nodes = Size ?? size;
            bool isPlanned = plan.Exists(other => other.Size == nodes && scenarios.Count > 0 && other.Scenarios[0] == scenarios[0]);
            if (scenarios.Count > 0 && !isPlanned)
            {
                plan.Add(new Performance(nodes, Seed, scenarios));
            }
        }

        return plan;
    }

    private static bool IsNumber(string value, int least, int most, out int number) =>
        int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number >= least && number <= most;

    private string? Take(string key, string value)
    {
        int number;
        switch (key)
        {
            case "--scenario":
                _names.AddRange(value.Split(','));
                return _names.Find(name => AllScenarios.Find(name) is null) is { } stranger ? $"there is no scenario '{stranger}'" : null;
            case "--size":
                bool isSize = IsNumber(value, 10, 100_000, out number);
                Size = number;
                return isSize ? null : $"--size {value}: give a number from 10 to 100000";
            case "--seed":
                bool isSeed = IsNumber(value, 0, int.MaxValue, out number);
                Seed = number;
                return isSeed ? null : $"--seed {value}: give a whole number";
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
