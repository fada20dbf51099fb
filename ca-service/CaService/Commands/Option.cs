namespace CaService.Commands;

/// <summary>What may stand behind a command's name.</summary>
/// <param name="Name">Without its two hyphens.</param>
/// <param name="Value">What it takes, in the words of a usage; null if it takes nothing.</param>
/// <param name="Text">What it is for.</param>
/// <param name="IsNeeded">Whether the command does nothing without it.</param>
internal sealed record Option(string Name, string? Value, string Text, bool IsNeeded = false)
{
    /// <summary>Every command has it.</summary>
    public static readonly Option Json = new("json", null, "the answer as JSON on one line, for programs");

    /// <summary>Of commands that need the CA's folder, or the word of one that has it.</summary>
    public static readonly Option Folder = new("state", "DIR", "the CA's folder; without it the wow-ca that serves on this machine is asked");

    /// <summary>A file that root alone may name, for an administrator's command is done by another process.</summary>
    public static readonly Option Certificate = new(
        "certificate", "FILE", "the machine whose certificate this is, in PEM; the CA need not know it; with --state alone");

    /// <summary>As people type it.</summary>
    public string Shown => Value is null ? $"--{Name}" : $"--{Name} {Value}";
}
