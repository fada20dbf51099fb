using System.Text.Json;
using CaService.Layers;

namespace CaService.Commands;

/// <summary><c>wow-ca origins</c>: which web servers machines ask for the files of the pool's stack, before they ask each other and the CA.</summary>
internal static class OriginsCommand
{
    public const string Name = "origins";

    private static readonly Option None = new("none", null, "takes them all back");

    /// <summary>Its options.</summary>
    public static IReadOnlyList<Option> Own { get; } = [None, ProvenClock.Today, Option.Folder];

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        string folder = options.Get(Option.Folder.Name);
        if (options.Has(None.Name) && options.Words.Count > 0)
        {
            throw new UserError($"Name the web servers, or give --{None.Name}, not both.");
        }

        using CaFolder ca = CaFolder.Open(folder);
        var desk = new OriginsDesk(ca, new StackFolder(ca, folder), folder, time);
        (ulong number, OriginList? list, _) = desk.Read();
        bool isSet = options.Has(None.Name) || options.Words.Count > 0;
        if (isSet)
        {
            if (!OriginList.TryCreate(options.Words, out list, out string reason))
            {
                throw new UserError(reason);
            }

            ProvenClock.Check(ca, options, time.GetUtcNow());
            number = desk.Sign(list);
        }

        reply.Say(
            words =>
            {
                words.WriteLine(list.Origins.Count == 0
                    ? "No web server is named: machines ask each other and the CA, and those that their pool.conf names."
                    : "Machines ask these for the files of the pool's stack, behind those that their pool.conf names:");
                foreach (string origin in list.Origins)
                {
                    words.WriteLine($"  {origin}");
                }

                if (isSet)
                {
                    words.WriteLine("A running wow-ca serve tells them within seconds; else it does when it starts. Machines of a release without wow-ca origins go on without it.");
                }
            },
            json =>
            {
                json.WriteNumber("number", number);
                Write(json, list);
            });
        return Task.FromResult(ExitCode.Done);
    }

    /// <summary>The member that names them.</summary>
    public static void Write(Utf8JsonWriter json, OriginList list)
    {
        json.WriteStartArray(Name);
        foreach (string origin in list.Origins)
        {
            json.WriteStringValue(origin);
        }

        json.WriteEndArray();
    }
}
