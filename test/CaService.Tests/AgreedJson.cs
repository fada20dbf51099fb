using System.Text.Json;

namespace CaService.Tests;

/// <summary>What wow-ca has promised to say to programs: <c>docs/contract/authority.json</c>.</summary>
internal static class AgreedJson
{
    private static readonly JsonElement Contract = JsonDocument.Parse(File.ReadAllText(Path.Combine(global::Tests.CloneFolder.Path, "docs/contract/authority.json"))).RootElement;

    /// <summary>Commands with the names of their replies.</summary>
    public static IReadOnlyDictionary<string, string[]> Commands { get; } =
        Contract.GetProperty("commands").EnumerateObject().ToDictionary(one => one.Name, one => one.Value.EnumerateArray().Select(name => name.GetString()!).ToArray());

    /// <summary>Fails where it is none of the replies of a command.</summary>
    public static void MustBeReplyOf(string command, JsonElement said)
    {
        var faults = Commands[command].ToDictionary(name => name, name => Faults("replies", name, said));
        Assert.True(faults.Values.Any(found => found.Count == 0), $"{command} says {said}, which is none of its replies: {string.Join("; ", faults.SelectMany(one => one.Value))}");
    }

    /// <summary>What of an object is not as the contract says.</summary>
    /// <param name="kind">messages, replies or parts.</param>
    /// <param name="name">Which of them.</param>
    /// <param name="said">The object.</param>
    /// <param name="mayLack">Whether what may be null may be missing.</param>
    public static List<string> Faults(string kind, string name, JsonElement said, bool mayLack = false)
    {
        if (said.ValueKind != JsonValueKind.Object)
        {
            return [$"{name} is no object"];
        }

        List<string> faults = [];
        var fields = Contract.GetProperty(kind).GetProperty(name).GetProperty("fields").EnumerateArray().ToDictionary(field => field.GetProperty("name").GetString()!);
        faults.AddRange(said.EnumerateObject().Where(member => !fields.ContainsKey(member.Name)).Select(member => $"{member.Name} is no field of {name}"));
        foreach ((string key, JsonElement field) in fields)
        {
            string type = field.GetProperty("type").GetString()!;
            bool isThere = said.TryGetProperty(key, out JsonElement value);
            if (!isThere || value.ValueKind == JsonValueKind.Null)
            {
                if (!type.EndsWith('?') || (!isThere && !mayLack))
                {
                    faults.Add($"{name}.{key} is {(isThere ? "null" : "missing")}");
                }
            }
            else if (type.StartsWith('['))
            {
                faults.AddRange(value.ValueKind == JsonValueKind.Array ? value.EnumerateArray().SelectMany(one => FaultsOfOne(field, type, one)) : [$"{name}.{key} is no list"]);
            }
            else
            {
                faults.AddRange(FaultsOfOne(field, type, value));
            }
        }

        return faults;
    }

    private static List<string> FaultsOfOne(JsonElement field, string type, JsonElement value)
    {
        string core = type.TrimEnd('?').Trim('[', ']');
        bool isRight = core switch
        {
            "string" => value.ValueKind == JsonValueKind.String && (!field.TryGetProperty("of", out JsonElement words) || words.EnumerateArray().Any(word => word.GetString() == value.GetString())),
            "integer" => value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out _),
            "boolean" => value.ValueKind is JsonValueKind.True or JsonValueKind.False,
            _ => true,
        };
        return !isRight ? [$"{field.GetProperty("name")} is {value}, no {core}"] : core is "string" or "integer" or "boolean" ? [] : Faults("parts", core, value);
    }
}
