using System.Globalization;
using System.Text.Json;
using CaService.Layers;

namespace CaService.Commands;

/// <summary><c>wow-ca stack</c>: which modules are published, and with which system.</summary>
internal static class StackCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        using CaFolder ca = CaFolder.Open(options.Get(Option.Folder.Name));
        var folder = new StackFolder(ca, options.Get(Option.Folder.Name));
        Published published = folder.Read();
        DateTimeOffset? until = published.Number == 0 ? null : new TermDesk(folder, options.Get(Option.Folder.Name), time).Until(published);
        OriginList origins = new OriginsDesk(ca, folder, options.Get(Option.Folder.Name), time).Read().List;
        string[] lacking = [.. published.Stack.Files.Where(layer => !folder.Has(layer)).Select(layer => layer.Name)];
        reply.Say(
            words =>
            {
                if (!published.Stack.Parts.Any())
                {
                    words.WriteLine(published.Number == 0 ? "Nothing was published: machines use what their image has." : $"stack {published.Number}: no module, machines use what their image has");
                }

                foreach (PoolLayers part in published.Stack.Parts)
                {
                    Say(words, published.Number, part);
                }

                words.Write(At(published.Stack, "Until {0} jobs keep a machine from starting again with it, then no more.\n"));
                if (until is { } end)
                {
                    words.WriteLine(end > time.GetUtcNow()
                        ? $"Machines take it for the newest until {At(end)}; wow-ca serve renews that each day."
                        : $"Its time ran out at {At(end)}: machines say so, and none takes it newly. Start wow-ca serve on the manager, which renews it.");
                }

                if (origins.Origins.Count > 0)
                {
                    words.WriteLine($"Machines ask {string.Join(", ", origins.Origins)} first.");
                }

                if (lacking.Length > 0)
                {
                    words.WriteLine($"The CA's folder lacks {string.Join(", ", lacking)}, which machines can't fetch: publish the stack once more.");
                }
            },
            json =>
            {
                Write(json, published);
                if (until is { } end)
                {
                    json.WriteNumber("until", end.ToUnixTimeSeconds());
                }
                else
                {
                    json.WriteNull("until");
                }

                OriginsCommand.Write(json, origins);
                json.WriteStartArray("lacks");
                foreach (string name in lacking)
                {
                    json.WriteStringValue(name);
                }

                json.WriteEndArray();
            });
        return Task.FromResult(ExitCode.Done);
    }

    /// <summary>A sentence with the stack's deadline in the place of {0}; nothing where it has none.</summary>
    public static string At(PoolLayers stack, string sentence) =>
        stack.RestartBy is long second ? string.Format(CultureInfo.InvariantCulture, sentence, At(DateTimeOffset.FromUnixTimeSeconds(second))) : string.Empty;

    /// <summary>The members that say what is published; number 0: nothing ever was.</summary>
    public static void Write(Utf8JsonWriter json, Published published)
    {
        json.WriteNumber("number", published.Number);
        if (published.Stack.RestartBy is long second)
        {
            json.WriteNumber("restart_by", second);
        }
        else
        {
            json.WriteNull("restart_by");
        }

        Write(json, published.Stack);
        json.WriteStartArray("others");
        foreach (PoolLayers other in published.Stack.Others)
        {
            json.WriteStartObject();
            json.WriteString("architecture", other.Architecture);
            Write(json, other);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, PoolLayers part)
    {
        json.WriteString("base", part.Base);
        json.WriteString("node", part.Node);
        WriteFiles(json, "system", part.System);
        WriteFiles(json, "layers", part.Layers);
        WriteDeltas(json, part.Deltas);
    }

    private static void Say(TextWriter words, ulong number, PoolLayers part)
    {
        words.WriteLine(
            part.System.Count > 0 ? $"stack {number} for {part.Architecture}, with a system, which machines that have another one take:"
                : $"stack {number} for {part.Architecture}, over base {part.Base![..12]} and node {part.Node![..12]}:");
        foreach (StackLayer layer in part.System.Concat(part.Layers))
        {
            words.WriteLine($"  {layer.Name,-20} {layer.Size,12} bytes  {layer.Digest[..12]}");
        }

        if (part.Deltas.Count is > 0 and var count)
        {
            words.WriteLine($"  {(count == 1 ? "1 delta" : $"{count} deltas"),-20} {part.Deltas.Sum(delta => delta.Size),12} bytes, for machines that have what was before");
        }
    }

    private static string At(DateTimeOffset time) => time.ToString("u", CultureInfo.InvariantCulture);

    private static void WriteFiles(Utf8JsonWriter json, string name, IEnumerable<StackLayer> files)
    {
        json.WriteStartArray(name);
        foreach (StackLayer layer in files)
        {
            json.WriteStartObject();
            json.WriteString("name", layer.Name);
            json.WriteNumber("size", layer.Size);
            json.WriteString("sha256", layer.Digest);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteDeltas(Utf8JsonWriter json, IEnumerable<StackDelta> deltas)
    {
        json.WriteStartArray("deltas");
        foreach (StackDelta delta in deltas)
        {
            json.WriteStartObject();
            json.WriteString("file", delta.File);
            json.WriteString("from", delta.From);
            json.WriteNumber("size", delta.Size);
            json.WriteString("sha256", delta.Digest);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
