namespace CaService.Commands;

/// <summary>A command that an administrator asks of the CA that serves.</summary>
internal static class AskedCommand
{
    /// <summary>Characters of a command that are kept in the audit.</summary>
    private const int MostNoted = 400;

    /// <summary>Commands that change nothing; a policy is only shown where none is named.</summary>
    private static readonly string[] Looks = ["list", "overview", "requests", "stack"];

    /// <summary>Its options, with the folder that is served.</summary>
    /// <exception cref="UserError">It is none, or one of root's, or names a file.</exception>
    public static Options Read(string[] words, string folder, out Command command)
    {
        command = CommandTable.Find(words.FirstOrDefault() ?? string.Empty);
        if (!command.MayBeAsked)
        {
            throw new UserError($"{command.Name} is not done for administrators: root does it, with the CA's folder.");
        }

        Options asked = Options.Read(command, words[1..]);
        return asked.Has(Option.Folder.Name) || asked.Has(Option.Certificate.Name)
            ? throw new UserError($"--{Option.Folder.Name} and --{Option.Certificate.Name} are root's: name the machine by its serial, name or address.")
            : Options.Read(command, [.. words[1..], $"--{Option.Folder.Name}", folder]);
    }

    /// <summary>Has the audit say who asked, before it is done, where it may change anything.</summary>
    public static void Note(string[] words, string who, string folder, TimeProvider time)
    {
        bool isDryRun = words[0] is "revoke" or DrainCommand.Name && words.Contains($"--{RevokeCommand.DryRun}");
        bool isList = words is ["policy"] or [DrainCommand.Name] or [DrainCommand.Name, "--json"];
        if (Looks.Contains(words[0]) || isList || isDryRun)
        {
            return;
        }

        string line = string.Join(' ', words.Where(word => word != Option.Json.Shown));
        string said = string.Concat(line.Select(letter => char.IsAsciiLetterOrDigit(letter) || "-.:_ ".Contains(letter) ? letter : '?').Take(MostNoted));
        using CaFolder ca = CaFolder.Open(folder);
        ca.Database.Write(transaction => Audit.Append(transaction, time.GetUtcNow(), "asked", $"by={who} what={said}"));
    }
}
