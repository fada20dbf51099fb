using System.Text;
using System.Text.Encodings.Web;
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
            output.WriteLine(Line(program));
        }
        else
        {
            people(output);
        }

        output.Flush();
    }

    /// <summary>Says it in one line.</summary>
    public void Say(string people, Action<Utf8JsonWriter> program) => Say(words => words.WriteLine(people), program);

    private static string Line(Action<Utf8JsonWriter> program)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, new JsonWriterOptions { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            json.WriteStartObject();
            program(json);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(buffer.GetBuffer(), 0, (int)buffer.Length);
    }
}
