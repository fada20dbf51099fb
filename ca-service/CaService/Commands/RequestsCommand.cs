using System.Text.Json;

namespace CaService.Commands;

/// <summary><c>wow-ca requests</c>: shows the machines that wait for the administrator's word.</summary>
internal static class RequestsCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        (AdmissionPolicy policy, List<AdmissionRow> all) = ca.Database.Read(transaction => (Admissions.Policy(transaction), Admissions.All(transaction)));
        List<AdmissionRow> shown = options.Has("all") ? all : all.FindAll(row => row.State == AdmissionState.Waiting);
        reply.Say(words => WriteText(policy, shown, options.Has("all"), time.GetUtcNow(), words), json => WriteJson(policy, shown, json));
        return Task.FromResult(ExitCode.Done);
    }

    /// <summary>The members of a request's object.</summary>
    public static void WriteRow(AdmissionRow row, Utf8JsonWriter json)
    {
        json.WriteString("key", row.Node);
        json.WriteString("state", row.StateName);
        json.WriteString("address", row.Address?.ToString());
        json.WriteString("host", row.Host);
        json.WriteString("ticket", row.Ticket);
        json.WriteString("since", row.Since);
        json.WriteString("asked", row.Asked);
    }

    private static void WriteText(AdmissionPolicy policy, List<AdmissionRow> rows, bool isAll, DateTimeOffset now, TextWriter output)
    {
        output.WriteLine($"policy {Admissions.NameOf(policy)}: {PolicyCommand.Meaning(policy)}");
        if (rows.Count == 0)
        {
            output.WriteLine(isAll ? "No machine waits, and none was decided on." : "No machine waits.");
            return;
        }

        output.WriteLine($"{"KEY",-42}{"ADDRESS",-16}{"HOST",-20}{"TICKET",-10}{"STATE",-10}SINCE");
        foreach (AdmissionRow row in rows)
        {
            output.WriteLine($"{row.Node,-42}{row.Address?.ToString() ?? "-",-16}{row.Host ?? "-",-20}{(row.Ticket is null ? "-" : row.Ticket[..TicketTerms.RandomDigits]),-10}{row.StateName,-10}{Shown(row, now)}");
        }

        if (rows.Exists(row => row.State == AdmissionState.Waiting))
        {
            output.WriteLine("Compare KEY with what the machine's console or wow status shows, then: wow-ca approve KEY, or wow-ca deny KEY");
        }
    }

    private static string Shown(AdmissionRow row, DateTimeOffset now) =>
        $"{row.Since:yyyy-MM-dd HH:mm}Z{(row.State == AdmissionState.Waiting && now - row.Asked > Admissions.Silence ? $", silent since {row.Asked:HH:mm}Z" : string.Empty)}";

    private static void WriteJson(AdmissionPolicy policy, List<AdmissionRow> rows, Utf8JsonWriter json)
    {
        json.WriteString("policy", Admissions.NameOf(policy));
        json.WriteStartArray("requests");
        foreach (AdmissionRow row in rows)
        {
            json.WriteStartObject();
            WriteRow(row, json);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
