using System.Globalization;

namespace CaService.Commands;

/// <summary>The <c>--name value</c> pairs of one command.</summary>
internal sealed class Options
{
    private readonly Dictionary<string, string> _values = [];
    private readonly HashSet<string> _flags = [];

    private Options()
    {
    }

    /// <summary>Reads the arguments.</summary>
    /// <param name="args">What follows the command's name.</param>
    /// <param name="names">Options with a value.</param>
    /// <param name="flags">Options without one.</param>
    /// <exception cref="UserError">An unknown option, one without its value, or one given twice.</exception>
    public static Options Read(string[] args, ReadOnlySpan<string> names, params ReadOnlySpan<string> flags)
    {
        var options = new Options();
        for (int i = 0; i < args.Length; i++)
        {
            string name = args[i].StartsWith("--", StringComparison.Ordinal) ? args[i][2..] : string.Empty;
            if (flags.Contains(name))
            {
                options._flags.Add(name);
            }
            else if (!names.Contains(name))
            {
                throw new UserError($"'{args[i]}' is no option of this command: run wow-ca help.");
            }
            else if (i + 1 == args.Length || args[i + 1].Length == 0)
            {
                throw new UserError($"--{name} needs a value: run wow-ca help.");
            }
            else if (!options._values.TryAdd(name, args[++i]))
            {
                throw new UserError($"--{name} is there twice: give it once.");
            }
        }

        return options;
    }

    public bool Has(string flag) => _flags.Contains(flag);

    public string? Find(string name) => _values.GetValueOrDefault(name);

    public string Get(string name) => Find(name) ?? throw new UserError($"--{name} is missing: run wow-ca help.");

    /// <summary>A whole number in a range.</summary>
    public int GetNumber(string name, int least, int most, int? standard = null)
    {
        if (Find(name) is null && standard is int value)
        {
            return value;
        }

        string text = Get(name);
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= least && number <= most
            ? number
            : throw new UserError($"--{name} is '{text}': give a number from {least} to {most}.");
    }
}
