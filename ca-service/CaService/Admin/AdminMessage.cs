using System.Text.Json;

namespace CaService.Admin;

/// <summary>What an administrator's <c>wow-ca</c> and the one that serves say to each other: a line of JSON each way.</summary>
internal static class AdminMessage
{
    /// <summary>Bytes of a request at most.</summary>
    public const int LongestRequest = 8192;

    /// <summary>Bytes of an answer at most: a list of a hundred thousand certificates.</summary>
    public const int LongestAnswer = 64 << 20;

    /// <summary>A request: the words of a command line, its name first.</summary>
    public static byte[] Request(IEnumerable<string> words) => JsonLine.Write(json =>
    {
        json.WriteStartArray("words");
        foreach (string word in words)
        {
            json.WriteStringValue(word);
        }

        json.WriteEndArray();
    });

    /// <summary>A request; null if it is none, or is cut off.</summary>
    public static AdminRequest? ReadRequest(ReadOnlyMemory<byte> said)
    {
        try
        {
            using var request = JsonDocument.Parse(Whole(said));
            return AdminRequest.Read(request.RootElement);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            return null;
        }
    }

    /// <summary>An answer: the exit code, and what the command said and complained of.</summary>
    public static byte[] Answer(int code, string output, string error) => JsonLine.Write(json =>
    {
        json.WriteNumber("exit", code);
        json.WriteString("output", output);
        json.WriteString("error", error);
    });

    /// <summary>The parts of an answer.</summary>
    /// <exception cref="InvalidDataException">It is none, or is cut off.</exception>
    public static (int Code, string Output, string Error) ReadAnswer(ReadOnlyMemory<byte> said)
    {
        try
        {
            using var answer = JsonDocument.Parse(Whole(said));
            JsonElement root = answer.RootElement;
            return (root.GetProperty("exit").GetInt32(), root.GetProperty("output").GetString()!, root.GetProperty("error").GetString()!);
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or KeyNotFoundException or FormatException)
        {
            throw new InvalidDataException("the wow-ca that serves gave no answer: look with journalctl -u wow-ca.", e);
        }
    }

    /// <summary>What was said until the end of its line; nothing where that is not there.</summary>
    private static ReadOnlyMemory<byte> Whole(ReadOnlyMemory<byte> said) => said[..Math.Max(said.Span.IndexOf((byte)'\n'), 0)];
}
