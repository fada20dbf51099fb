using System.Text;
using System.Text.Json;

namespace CaService.Commands;

/// <summary>A command's answer: words for people, or with --json one line of JSON for programs.</summary>
internal sealed class Reply(TextWriter output, bool isJson)
{
    /// <summary>Says it.</summary>
    /// <param name="people">Writes the words.</param>
    /// <param name="program">Writes the members of one JSON object.</param>
    public void Say(Action<TextWriter> people, Action<Utf8JsonWriter> program)
    {
        if (isJson)
        {
            output.Write(Encoding.UTF8.GetString(JsonLine.Write(program)));
        }
        else
        {
            people(output);
        }

        output.Flush();
    }

    /// <summary>Says it in one line.</summary>
    public void Say(string people, Action<Utf8JsonWriter> program) => Say(words => words.WriteLine(people), program);
}
