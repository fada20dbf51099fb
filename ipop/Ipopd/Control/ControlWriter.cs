using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Ipopd.Control;

/// <summary>Writes replies as JSON, by hand: what a serializer makes of types at the start costs an emulated guest seconds.</summary>
internal static class ControlWriter
{
    /// <summary>With quotation marks in messages as they are: people read them, and nothing here becomes HTML.</summary>
    private static readonly JsonWriterOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    /// <summary>A reply's line, without its newline.</summary>
    internal static byte[] Line(IControlReply reply)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes, Plain))
        {
            reply.Write(json);
        }

        return bytes.WrittenSpan.ToArray();
    }

    /// <summary>Writes a field that may be null.</summary>
    internal static void Write(Utf8JsonWriter json, ReadOnlySpan<byte> name, long? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, number);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <inheritdoc cref="Write(Utf8JsonWriter, ReadOnlySpan{byte}, long?)"/>
    internal static void Write(Utf8JsonWriter json, ReadOnlySpan<byte> name, double? value)
    {
        if (value is { } number)
        {
            json.WriteNumber(name, number);
        }
        else
        {
            json.WriteNull(name);
        }
    }

    /// <inheritdoc cref="Write(Utf8JsonWriter, ReadOnlySpan{byte}, long?)"/>
    internal static void Write(Utf8JsonWriter json, ReadOnlySpan<byte> name, IControlReply? part)
    {
        if (part is null)
        {
            json.WriteNull(name);
        }
        else
        {
            json.WritePropertyName(name);
            part.Write(json);
        }
    }

    /// <summary>Writes a list of parts.</summary>
    internal static void Write(Utf8JsonWriter json, ReadOnlySpan<byte> name, IReadOnlyList<IControlReply> parts)
    {
        json.WriteStartArray(name);
        foreach (IControlReply part in parts)
        {
            part.Write(json);
        }

        json.WriteEndArray();
    }

    /// <summary>Writes a list of texts.</summary>
    internal static void Write(Utf8JsonWriter json, ReadOnlySpan<byte> name, IReadOnlyList<string> texts)
    {
        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }
}
