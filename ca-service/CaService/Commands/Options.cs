namespace CaService.Commands;

/// <summary>What a command line says: words, and <c>--name value</c> pairs.</summary>
internal sealed class Options
{
    private readonly Dictionary<string, string> _values = [];
    private readonly List<string> _words = [];
    private readonly Command _command;

    private Options(Command command) => _command = command;

    /// <summary>The words that are no options.</summary>
    public IReadOnlyList<string> Words => _words;

    /// <summary>Reads the arguments.</summary>
    /// <param name="command">The command, which knows its options.</param>
    /// <param name="args">What follows the command's name.</param>
    /// <exception cref="UserError">An unknown option, one without its value, one given twice, one that is missing, or words where none belong.</exception>
    public static Options Read(Command command, string[] args)
    {
        var options = new Options(command);
        for (int i = 0; i < args.Length; i++)
        {
            if (!args[i].StartsWith("--", StringComparison.Ordinal) && command.Words.Length > 0)
            {
                options._words.Add(args[i]);
                continue;
            }

            string name = args[i].StartsWith("--", StringComparison.Ordinal) ? args[i][2..] : string.Empty;
            Option option = command.Options.FirstOrDefault(known => known.Name == name)
                ?? throw options.Wrong($"'{args[i]}' is no option of this command");
            if (option.Value is not null && (i + 1 == args.Length || args[i + 1].Length == 0))
            {
                throw options.Wrong($"--{name} needs a value");
            }

            if (!options._values.TryAdd(name, option.Value is null ? string.Empty : args[++i]))
            {
                throw new UserError($"--{name} is there twice: give it once.");
            }
        }

        return command.Options.FirstOrDefault(option => option.IsNeeded && !options.Has(option.Name)) is { } missing
            ? throw options.Missing(missing.Name)
            : options;
    }

    public bool Has(string name) => _values.ContainsKey(name);

    public string? Find(string name) => _values.GetValueOrDefault(name);

    public string Get(string name) => Find(name) ?? throw Missing(name);

    /// <summary>A whole number in a range.</summary>
    public int GetNumber(string name, int least, int most, int? standard = null)
    {
        if (Find(name) is null && standard is int value)
        {
            return value;
        }

        string text = Get(name);
        return Digits.TryRead(text, (ulong)most, out ulong number) && (int)number >= least
            ? (int)number
            : throw new UserError($"--{name} is '{text}': give a number from {least} to {most}.");
    }

    private UserError Missing(string name) => Wrong($"--{name} is missing");

    private UserError Wrong(string what) => new($"{what}: run wow-ca {_command.Name} --help.");
}
