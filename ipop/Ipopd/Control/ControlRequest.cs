using System.Diagnostics.CodeAnalysis;
using System.Text.Json;

namespace Ipopd.Control;

/// <summary>A line that a client sends. Its fields are the contract's (docs/contract/control.json); what is made of it is the other part of this type.</summary>
internal sealed partial record ControlRequest
{
    private ControlRequest()
    {
    }

    /// <summary>Reads a line: one JSON object, of which fields that nobody knows are passed over. What comes in never makes it throw.</summary>
    /// <param name="line">Bytes without newline.</param>
    /// <param name="request">What it says.</param>
    /// <param name="fault">What is wrong with it.</param>
    internal static bool TryRead(ReadOnlySpan<byte> line, [NotNullWhen(true)] out ControlRequest? request, [NotNullWhen(false)] out string? fault)
    {
        (request, fault) = (null, null);
        var found = new ControlRequest();
        try
        {
            var json = new Utf8JsonReader(line);
            if (!json.Read() || json.TokenType != JsonTokenType.StartObject)
            {
                fault = "it begins with no brace";
                return false;
            }

            while (json.Read() && json.TokenType == JsonTokenType.PropertyName)
            {
                found.Take(ref json);
            }

            // What stands behind the object makes the reader throw.
            json.Read();
            request = found;
            return true;
        }
        catch (Exception exception) when (exception is JsonException or InvalidOperationException)
        {
            // The latter for half a surrogate, which is JSON and no text.
            fault = exception.Message;
            return false;
        }
    }

    /// <summary>The request's kind; null if there is none of that name.</summary>
    internal ControlRequestKind? Kind()
    {
        foreach (ControlRequestKind kind in Kinds)
        {
            if (kind.Command == Command)
            {
                return kind;
            }
        }

        return null;
    }

    private static string? ReadString(ref Utf8JsonReader json) => Next(ref json) switch
    {
        JsonTokenType.String or JsonTokenType.Null => json.GetString(),
        _ => throw new JsonException("a field that is a string is something else"),
    };

    private static long? ReadInteger(ref Utf8JsonReader json) => Next(ref json) switch
    {
        JsonTokenType.Null => null,
        JsonTokenType.Number when json.TryGetInt64(out long number) => number,
        _ => throw new JsonException("a field that is an integer is something else"),
    };

    private static bool? ReadBoolean(ref Utf8JsonReader json) => Next(ref json) switch
    {
        JsonTokenType.Null => null,
        JsonTokenType.True => true,
        JsonTokenType.False => false,
        _ => throw new JsonException("a field that is true or false is something else"),
    };

    private static JsonTokenType Next(ref Utf8JsonReader json)
    {
        json.Read();
        return json.TokenType;
    }
}
