using System.Text.Encodings.Web;
using System.Text.Json;

namespace CaService;

/// <summary>One JSON object on a line of its own.</summary>
internal static class JsonLine
{
    private static readonly JsonWriterOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>The line in UTF-8, with its end.</summary>
    /// <param name="members">Writes the members of the object.</param>
    public static byte[] Write(Action<Utf8JsonWriter> members)
    {
        using var buffer = new MemoryStream();
        using (var json = new Utf8JsonWriter(buffer, Plain))
        {
            json.WriteStartObject();
            members(json);
            json.WriteEndObject();
        }

        buffer.WriteByte((byte)'\n');
        return buffer.ToArray();
    }
}
