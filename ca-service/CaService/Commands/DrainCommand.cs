using System.Text.Json;

namespace CaService.Commands;

/// <summary><c>wow-ca drain</c>, which is <c>wow pool drain</c> on a manager: has the pool give machines no more jobs, or shows those that get none.</summary>
internal static class DrainCommand
{
    public const string Name = "drain";

    private static readonly Option Ended = new("end", null, "gives them jobs again");
    private static readonly Option DryRun = new(RevokeCommand.DryRun, null, "only says what it would do");

    /// <summary>Its options.</summary>
    public static IReadOnlyList<Option> Own { get; } = [Ended, DryRun, ProvenClock.Today, Option.Folder];

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        string folder = options.Get(Option.Folder.Name);
        bool isEnd = options.Has(Ended.Name), isLook = options.Has(DryRun.Name);
        if (options.Words.Count == 0 && (isEnd || isLook))
        {
            throw new UserError("Say which machine, by its name: wow pool drain shows those that are drained, wow-ca list all.");
        }

        if (isEnd && isLook)
        {
            throw new UserError($"Give --{Ended.Name} or --{DryRun.Name}, not both.");
        }

        using CaFolder ca = CaFolder.Open(folder);
        var desk = new DrainDesk(ca, folder, time);
        List<string> hosts = [.. options.Words.Select(word => isEnd ? word.ToLowerInvariant() : desk.Find(word).Host).Distinct()];
        bool isChange = options.Words.Count > 0 && !isLook;
        if (isChange)
        {
            ProvenClock.Check(ca, options, time.GetUtcNow());
            (isEnd ? (Action<IReadOnlyList<string>>)desk.End : desk.Drain)(options.Words);
        }

        (ulong number, DrainedList list) = desk.Read();
        reply.Say(
            words =>
            {
                if (isLook)
                {
                    words.WriteLine($"{string.Join(", ", hosts)} would get no more jobs, and what runs there would go on to its end. Nothing was done.");
                }

                Say(words, list);
                if (isChange)
                {
                    words.WriteLine("A running wow-ca serve tells managers and machines within seconds; else it does when it starts. Machines' owners may do the same themselves: wow finish.");
                }
            },
            json =>
            {
                json.WriteNumber("number", number);
                json.WriteString("host", hosts is [var host] ? host : null);
                Write(json, list.Machines);
            });
        return Task.FromResult(ExitCode.Done);
    }

    /// <summary>The member that names them.</summary>
    public static void Write(Utf8JsonWriter json, IEnumerable<DrainedMachine> machines)
    {
        json.WriteStartArray("drained");
        foreach (DrainedMachine machine in machines)
        {
            json.WriteStartObject();
            json.WriteString("host", machine.Host);
            json.WriteString("since", DateTimeOffset.FromUnixTimeSeconds(machine.Since));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void Say(TextWriter words, DrainedList list)
    {
        words.WriteLine(list.Machines.Count == 0 ? "No machine is drained: all get jobs that their owners let run." : "Drained, no job begins there and what runs goes on to its end:");
        foreach (DrainedMachine machine in list.Machines)
        {
            words.WriteLine($"  {machine.Host}, since {DateTimeOffset.FromUnixTimeSeconds(machine.Since):u}");
        }
    }
}
