using System.Text.Json;

namespace CaService.Commands;

/// <summary><c>wow-ca help</c>, in the style of <c>wow help</c>.</summary>
internal static class Help
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        Command[] named = [.. options.Words.Select(CommandTable.Find)];
        if (named.Length > 1)
        {
            throw new UserError("Name one command at most: wow-ca help COMMAND.");
        }

        reply.Say(words => words.Write(named is [var one] ? Page(one) : Overview()), json => WriteJson(json, named is [] ? CommandTable.All : named));
        return Task.FromResult(ExitCode.Done);
    }

    /// <summary>All commands, a line each.</summary>
    public static string Overview()
    {
        int width = CommandTable.All.Max(command => command.Name.Length);
        IEnumerable<string> rows = CommandTable.All.Select(command => $"  {command.Name.PadRight(width)}  {command.Summary}");
        return Text(["usage: wow-ca COMMAND [OPTIONS]", "", .. rows, "", "`wow-ca COMMAND --help` says more of one, `wow-ca --version` which release this is."]);
    }

    /// <summary>One command.</summary>
    public static string Page(Command command)
    {
        int width = command.Options.Max(option => option.Shown.Length);
        IEnumerable<string> rows = command.Options.Select(option => $"  {option.Shown.PadRight(width)}  {option.Text}");
        return Text([$"usage: {command.Usage}", "", $"{char.ToUpperInvariant(command.Summary[0])}{command.Summary[1..]}.", "", .. rows]);
    }

    private static string Text(IEnumerable<string> lines) => string.Concat(lines.Select(line => line + '\n'));

    private static void WriteJson(Utf8JsonWriter json, IReadOnlyList<Command> commands)
    {
        json.WriteStartArray("commands");
        foreach (Command command in commands)
        {
            json.WriteStartObject();
            json.WriteString("name", command.Name);
            json.WriteString("usage", command.Usage);
            json.WriteString("words", command.Words);
            json.WriteStartArray("choices");
            foreach (string choice in command.Choices)
            {
                json.WriteStringValue(choice);
            }

            json.WriteEndArray();
            json.WriteString("summary", command.Summary);
            json.WriteStartArray("options");
            foreach (Option option in command.Options)
            {
                json.WriteStartObject();
                json.WriteString("name", $"--{option.Name}");
                json.WriteString("short", "");
                json.WriteString("value", option.Value ?? "");
                json.WriteString("text", option.Text);
                json.WriteBoolean("needed", option.IsNeeded);
                json.WriteEndObject();
            }

            json.WriteEndArray();
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
