using System.Text.Json;

namespace CaService.Admin;

/// <summary>What is asked: a command line; or, by the web page, one for whom its browser's secret stands, a code for a new secret, or that one ends.</summary>
/// <param name="Words">The words of a command line, its name first; empty of a login and its end.</param>
/// <param name="Page">What the browser showed: a login's secret.</param>
/// <param name="Code">A code, for a login.</param>
/// <param name="End">The secret of a login that ends.</param>
/// <param name="Stack">The text of a stack, which the command line is to publish.</param>
internal sealed record AdminRequest(string[] Words, string? Page = null, string? Code = null, string? End = null, string? Stack = null)
{
    /// <summary>Whether it is one of those that the web page alone makes.</summary>
    public bool IsOfPage => (Page ?? Code ?? End) is not null;

    /// <summary>Reads one; null if it is none.</summary>
    public static AdminRequest? Read(JsonElement said)
    {
        if (said.ValueKind != JsonValueKind.Object)
        {
            return null;
        }

        string[]? words = null;
        Dictionary<string, string> texts = [];
        foreach (JsonProperty member in said.EnumerateObject())
        {
            bool isRead = member switch
            {
                { Name: "words", Value.ValueKind: JsonValueKind.Array } => words is null && (words = ReadWords(member.Value)) is not null,
                { Name: "page" or "code" or "end" or "stack", Value.ValueKind: JsonValueKind.String } => texts.TryAdd(member.Name, member.Value.GetString()!),
                _ => false,
            };
            if (!isRead)
            {
                return null;
            }
        }

        return (words, texts.Count) switch
        {
            ({ } line, 0) => new AdminRequest(line),
            ({ } line, 1) when texts.TryGetValue("page", out string? secret) => new AdminRequest(line, Page: secret),
            ({ } line, 1) when texts.TryGetValue("stack", out string? text) => new AdminRequest(line, Stack: text),
            (null, 1) when !texts.ContainsKey("page") && !texts.ContainsKey("stack") => new AdminRequest([], Code: texts.GetValueOrDefault("code"), End: texts.GetValueOrDefault("end")),
            _ => null,
        };
    }

    private static string[]? ReadWords(JsonElement words) =>
        words.EnumerateArray().All(word => word.ValueKind == JsonValueKind.String) ? [.. words.EnumerateArray().Select(word => word.GetString()!)] : null;
}
