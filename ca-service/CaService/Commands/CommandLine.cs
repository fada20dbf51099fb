using Microsoft.Data.Sqlite;

namespace CaService.Commands;

/// <summary>Finds the command, runs it, turns trouble into one sentence and an exit code.</summary>
internal static class CommandLine
{
    /// <summary>Runs one command.</summary>
    /// <returns>An <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error, TimeProvider time) => (int)await EndAsync(args, output, error, time);

    private static async Task<ExitCode> EndAsync(string[] args, TextWriter output, TextWriter error, TimeProvider time)
    {
        switch (args)
        {
            case []:
                output.Write(Help.Overview());
                return ExitCode.Usage;
            case ["--help" or "-h", ..]:
                output.Write(Help.Overview());
                return ExitCode.Done;
            case ["--version", ..]:
                output.WriteLine($"wow-ca {Version()}");
                return ExitCode.Done;
        }

        try
        {
            Command command = CommandTable.Find(args[0]);
            if (args[1..].Any(word => word is "--help" or "-h"))
            {
                output.Write(Help.Page(command));
                return ExitCode.Done;
            }

            Options options = Options.Read(command, args[1..]);
            return await command.Run(options, new Reply(output, options.Has(Option.Json.Name)), time);
        }
        catch (UserError e)
        {
            error.WriteLine($"wow-ca: {e.Message}");
            return ExitCode.Usage;
        }
        catch (Exception e) when (e is IOException or InvalidDataException or UnauthorizedAccessException)
        {
            error.WriteLine($"wow-ca: {e.Message}");
            return ExitCode.Failed;
        }
        catch (SqliteException e)
        {
            error.WriteLine($"wow-ca: the CA's database says '{e.Message}': check {CaFolder.DatabaseName} in the state folder, its disk and its owner.");
            return ExitCode.Failed;
        }
    }

    /// <summary>The release, which Directory.Build.props names.</summary>
    private static string Version() => typeof(CommandLine).Assembly.GetName().Version!.ToString(fieldCount: 3);
}
