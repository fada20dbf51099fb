using CaService.Admin;
using CaService.Layers;

namespace CaService.Commands;

/// <summary>Finds the command, runs it, turns trouble into one sentence and an exit code.</summary>
internal static class CommandLine
{
    /// <summary>Runs one command.</summary>
    /// <returns>An <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(string[] args, TextWriter output, TextWriter error, TimeProvider time) =>
        (int)await EndAsync(args, output, error, time);

    /// <summary>Runs one command for an administrator who asked for it, on the folder of the CA that serves.</summary>
    /// <param name="request">The command line, and the text of a stack.</param>
    /// <param name="who">Who asked.</param>
    /// <param name="folder">The CA's folder.</param>
    /// <param name="time">The clock.</param>
    /// <param name="sessions">Where codes for the web page are made; null where they are not.</param>
    /// <param name="upload">Has the layers of that stack; null where nothing can be sent.</param>
    public static async Task<(int Code, string Output, string Error)> AnswerAsync(
        AdminRequest request, string who, string folder, TimeProvider time, PageSessions? sessions = null, ILayerSource? upload = null)
    {
        string[] words = request.Words;
        using var output = new StringWriter();
        using var error = new StringWriter();
        ExitCode code = await GuardAsync(
            error,
            async () =>
            {
                Options options = AskedCommand.Read(words, folder, out Command command);
                AskedCommand.Note(words, who, folder, time);
                var reply = new Reply(output, options.Has(Option.Json.Name));
                return command.Name switch
                {
                    PageCommand.Name when sessions is not null => PageCommand.Say(sessions.MakeCode(who), who, reply),
                    PublishCommand.Name => await PublishCommand.TakeAsync(options, request.Stack, upload, reply, time),
                    _ => await command.Run(options, reply, time),
                };
            });
        return ((int)code, output.ToString(), error.ToString());
    }

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

        return await GuardAsync(
            error,
            async () =>
            {
                Command command = CommandTable.Find(args[0]);
                if (args[1..].Any(word => word is "--help" or "-h"))
                {
                    output.Write(Help.Page(command));
                    return ExitCode.Done;
                }

                Options options = Options.Read(command, args[1..]);
                return command.MayBeAsked && !options.Has(Option.Folder.Name)
                    ? await AskAsync(command, args, options, output, error)
                    : await command.Run(options, new Reply(output, options.Has(Option.Json.Name)), time);
            });
    }

    private static async Task<ExitCode> AskAsync(Command command, string[] args, Options options, TextWriter output, TextWriter error)
    {
        (int code, string said, string complained) = await command.Ask(Agreed.AdminSocket, args, options, output);
        output.Write(said);
        error.Write(complained);
        return (ExitCode)code;
    }

    private static async Task<ExitCode> GuardAsync(TextWriter error, Func<Task<ExitCode>> run)
    {
        try
        {
            return await run();
        }
        catch (Exception e) when (Trouble.Sentence(e) is { } sentence)
        {
            error.WriteLine($"wow-ca: {sentence}");
            return e is UserError ? ExitCode.Usage : ExitCode.Failed;
        }
    }

    /// <summary>The release, which Directory.Build.props names.</summary>
    private static string Version() => typeof(CommandLine).Assembly.GetName().Version!.ToString(fieldCount: 3);
}
