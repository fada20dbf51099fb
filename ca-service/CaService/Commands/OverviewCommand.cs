using System.Text.Json;

namespace CaService.Commands;

/// <summary><c>wow-ca overview</c>: what an administrator looks for first, short however large the pool is.</summary>
internal static class OverviewCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        DateTimeOffset now = time.GetUtcNow();
        Overview found = ca.Database.Read(transaction => Overview.Of(transaction, now));
        IReadOnlyList<DrainedMachine> drained = new DrainDesk(ca, options.Get("state"), time).Last()?.List.Machines ?? [];
        reply.Say(words => WriteText(ca, found, drained, words), json => WriteJson(ca, found, drained, now, json));
        return Task.FromResult(ExitCode.Done);
    }

    private static void WriteText(CaFolder ca, Overview found, IReadOnlyList<DrainedMachine> drained, TextWriter output)
    {
        output.WriteLine($"pool {ca.Authority.Pool.Name}, policy {Admissions.NameOf(found.Policy)}; certificates: {string.Join(", ", found.States.Select(one => $"{one.Value} {one.Key}"))}");
        output.WriteLine(found.Waiting == 0 ? "No machine waits." : $"{found.Waiting} machines wait: wow-ca requests");
        foreach (CertificateRow row in found.Soon)
        {
            output.WriteLine($"not renewed: {row.Host} ({row.Address}), ends {row.NotAfter:u}");
        }

        foreach (TicketRow row in found.Tickets)
        {
            output.WriteLine($"ticket {row.Id}: {row.Used} of {row.Uses} used, until {row.NotAfter:u}");
        }

        if (drained.Count > 0)
        {
            output.WriteLine($"{drained.Count} drained: wow pool drain");
        }

        foreach (AuditRow row in found.Decisions)
        {
            output.WriteLine($"{row.At:u} {row.Event} {row.Detail}");
        }
    }

    private static void WriteJson(CaFolder ca, Overview found, IReadOnlyList<DrainedMachine> drained, DateTimeOffset now, Utf8JsonWriter json)
    {
        json.WriteString("pool", ca.Authority.Pool.Name);
        json.WriteString("not_after", ca.Authority.NotAfter);
        json.WriteString("now", now);
        json.WriteString("policy", Admissions.NameOf(found.Policy));
        json.WriteStartObject("certificates");
        foreach ((string state, long count) in found.States)
        {
            json.WriteNumber(state, count);
        }

        json.WriteEndObject();
        json.WriteStartArray("ends");
        foreach (long count in found.Ends)
        {
            json.WriteNumberValue(count);
        }

        json.WriteEndArray();
        json.WriteNumber("waiting", found.Waiting);
        WriteRows(json, "soon", found.Soon, row =>
        {
            json.WriteString("serial", row.Serial);
            json.WriteString("address", row.Address.ToString());
            json.WriteString("host", row.Host);
            json.WriteString("role", row.RoleName);
            json.WriteString("not_after", row.NotAfter);
        });
        WriteRows(json, "requests", found.Requests, row => RequestsCommand.WriteRow(row, json));
        WriteRows(json, "tickets", found.Tickets, row => ListCommand.WriteTicket(row, json));
        DrainCommand.Write(json, drained.Take(Overview.Most));
        json.WriteNumber("drained_in_all", drained.Count);
        WriteRows(json, "decisions", found.Decisions, row =>
        {
            json.WriteString("at", row.At);
            json.WriteString("event", row.Event);
            json.WriteString("detail", row.Detail);
        });
    }

    private static void WriteRows<T>(Utf8JsonWriter json, string name, List<T> rows, Action<T> members)
    {
        json.WriteStartArray(name);
        foreach (T row in rows)
        {
            json.WriteStartObject();
            members(row);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
