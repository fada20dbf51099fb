using System.Text.Json;

namespace CaService.Commands;

/// <summary><c>wow-ca list</c>: shows what the CA has issued, and whether its audit is whole.</summary>
internal static class ListCommand
{
    private sealed record Contents(List<CertificateRow> Certificates, HashSet<string> Revoked, List<TicketRow> Tickets, long? AuditBreak)
    {
        public string StatusAt(CertificateRow row, DateTimeOffset now) =>
            Revoked.Contains(row.Serial) ? "revoked" : row.Status == "valid" && row.NotAfter < now ? "expired" : row.Status;
    }

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        using CaFolder ca = CaFolder.Open(options.Get("state"));
        Contents contents = ca.Database.Read(transaction => new Contents(
            Certificates.All(transaction),
            [.. transaction.Query("SELECT serial FROM revocations", row => row.GetString(0))],
            transaction.Query(
                "SELECT id, uses, (SELECT count(*) FROM ticket_uses WHERE ticket = id), not_after FROM tickets ORDER BY not_after, id",
                row => new TicketRow(row.GetString(0), row.GetInt64(1), row.GetInt64(2), DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(3)))),
            Audit.FindBreak(transaction)));
        DateTimeOffset now = time.GetUtcNow();
        reply.Say(words => WriteText(ca, contents, now, words), json => WriteJson(ca, contents, now, json));
        return Task.FromResult(contents.AuditBreak is null ? ExitCode.Done : ExitCode.Failed);
    }

    /// <summary>The members of a ticket's object.</summary>
    public static void WriteTicket(TicketRow ticket, Utf8JsonWriter json)
    {
        json.WriteString("id", ticket.Id);
        json.WriteNumber("uses", ticket.Uses);
        json.WriteNumber("used", ticket.Used);
        json.WriteString("not_after", ticket.NotAfter);
    }

    private static void WriteText(CaFolder ca, Contents contents, DateTimeOffset now, TextWriter output)
    {
        output.WriteLine($"pool {ca.Authority.Pool.Name}, subnet {ca.Authority.Pool.Subnet}, CA valid until {ca.Authority.NotAfter:yyyy-MM-dd}");
        output.WriteLine($"{"ADDRESS",-16}{"HOST",-20}{"ROLE",-9}{"STATUS",-10}{"UNTIL",-12}SERIAL");
        foreach (CertificateRow row in contents.Certificates)
        {
            output.WriteLine($"{row.Address,-16}{row.Host,-20}{row.RoleName,-9}{contents.StatusAt(row, now),-10}{row.NotAfter,-12:yyyy-MM-dd}{row.Serial}");
        }

        foreach (TicketRow ticket in contents.Tickets)
        {
            output.WriteLine($"ticket {ticket.Id}: {ticket.Used} of {ticket.Uses} used, until {ticket.NotAfter:u}");
        }

        if (contents.AuditBreak is long line)
        {
            output.WriteLine($"The audit was changed at line {line}: don't trust this database, compare it with a copy.");
        }
    }

    private static void WriteJson(CaFolder ca, Contents contents, DateTimeOffset now, Utf8JsonWriter json)
    {
        json.WriteString("pool", ca.Authority.Pool.Name);
        json.WriteString("subnet", ca.Authority.Pool.Subnet.ToString());
        json.WriteString("not_after", ca.Authority.NotAfter);
        json.WriteStartArray("certificates");
        foreach (CertificateRow row in contents.Certificates)
        {
            json.WriteStartObject();
            json.WriteString("serial", row.Serial);
            json.WriteString("address", row.Address.ToString());
            json.WriteString("host", row.Host);
            json.WriteString("role", row.RoleName);
            json.WriteString("key", row.Key);
            json.WriteString("not_before", row.NotBefore);
            json.WriteString("not_after", row.NotAfter);
            json.WriteString("status", contents.StatusAt(row, now));
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteStartArray("tickets");
        foreach (TicketRow ticket in contents.Tickets)
        {
            json.WriteStartObject();
            WriteTicket(ticket, json);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteBoolean("audit_whole", contents.AuditBreak is null);
    }
}
