using System.Text;
using System.Text.Json;

namespace CaService.Admin;

/// <summary>What an administrator's <c>wow-ca</c> and the one that serves say to each other: a line of JSON each way.</summary>
internal static class AdminMessage
{
    /// <summary>Bytes of a request at most: the words, and the text of a stack.</summary>
    public const int LongestRequest = 8192 + Agreed.LargestStackText;

    /// <summary>Bytes of an answer at most: a list of a hundred thousand certificates.</summary>
    public const int LongestAnswer = 64 << 20;

    private const string LacksName = "lacks";

    /// <summary>A request: the words of a command line, its name first; with the text of a stack that is to be published.</summary>
    public static byte[] Request(IEnumerable<string> words, ReadOnlyMemory<byte>? stack = null) => JsonLine.Write(json =>
    {
        WriteTexts(json, "words", words);
        if (stack is { } text)
        {
            json.WriteString("stack", text.Span);
        }
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

    /// <summary>What is said before the answer, where layers are to be sent: which, by their digests.</summary>
    public static byte[] Lacks(IEnumerable<string> digests) => JsonLine.Write(json => WriteTexts(json, LacksName, digests));

    /// <summary>Which layers are to be sent; null if the line is something else.</summary>
    public static string[]? ReadLacks(string line)
    {
        try
        {
            using var said = JsonDocument.Parse(line);
            return said.RootElement.TryGetProperty(LacksName, out JsonElement digests) ? [.. digests.EnumerateArray().Select(digest => digest.GetString()!)] : null;
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

    /// <inheritdoc cref="ReadAnswer(ReadOnlyMemory{byte})"/>
    /// <param name="line">The line, without its end.</param>
    public static (int Code, string Output, string Error) ReadAnswer(string line) => ReadAnswer(Encoding.UTF8.GetBytes(line + "\n"));

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
            throw new InvalidDataException("the wow-ca that serves gave no answer: look with wow doctor, or as root with journalctl -u wow-ca.", e);
        }
    }

    private static void WriteTexts(Utf8JsonWriter json, string name, IEnumerable<string> texts)
    {
        json.WriteStartArray(name);
        foreach (string text in texts)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }

    /// <summary>What was said until the end of its line; nothing where that is not there.</summary>
    private static ReadOnlyMemory<byte> Whole(ReadOnlyMemory<byte> said) => said[..Math.Max(said.Span.IndexOf((byte)'\n'), 0)];
}
