using CaService.Admin;

namespace CaService.Commands;

/// <summary>One row of the table by which a command line is read, help is given, and completion and the manual page are made.</summary>
/// <param name="Name">What the user types first.</param>
/// <param name="Words">What stands between the name and the options, in the words of a usage; empty for nothing.</param>
/// <param name="Summary">What it does, in words that follow its name.</param>
/// <param name="Own">Its options but for --json.</param>
/// <param name="Run">Does it and returns the exit code.</param>
internal sealed record Command(string Name, string Words, string Summary, IReadOnlyList<Option> Own, Func<Options, Reply, TimeProvider, Task<ExitCode>> Run)
{
    /// <summary>All its options.</summary>
    public IReadOnlyList<Option> Options { get; } = [.. Own, Option.Json];

    /// <summary>Whether it may be asked of the <c>wow-ca serve</c> of this machine, which is what it does without <c>--state</c>.</summary>
    public bool MayBeAsked => Own.Contains(Option.Folder);

    /// <summary>How it is asked there, where more is sent than the command line: the socket, the command line, what it says, and where to tell how far it is.</summary>
    public Func<string, string[], Options, TextWriter, Task<(int Code, string Output, string Error)>> Ask { get; init; } = (socket, args, _, _) => AdminClient.AskAsync(socket, args);

    /// <summary>The words that may stand there, where they are few.</summary>
    public IReadOnlyList<string> Choices { get; init; } = [];

    /// <summary>One line.</summary>
    public string Usage => string.Join(' ', (string[])
    [
        "wow-ca", Name, .. Words.Length == 0 ? [] : new[] { Words }, .. Options.Select(option => option.IsNeeded ? option.Shown : $"[{option.Shown}]"),
    ]);
}
