using System.Text.Json;
using CertificateProfile;

namespace CaService.Commands;

/// <summary><c>wow-ca revoke</c>: takes a machine's certificates back.</summary>
internal static class RevokeCommand
{
    /// <summary>The option by which nothing is done.</summary>
    public const string DryRun = "dry-run";

    /// <summary>The option by which what the CA does not know is taken back.</summary>
    public const string Unknown = "unknown";

    /// <summary>Characters; ours have 1,200.</summary>
    private const int LongestPem = 1 << 16;

    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        byte[]? certificate = options.Find("certificate") is string path ? ReadCertificate(path) : null;
        if (options.Words.Count != (certificate is null ? 1 : 0))
        {
            throw new UserError("Say which machine, in one way: wow-ca revoke SERIAL|NAME|ADDRESS, or for root --certificate FILE --state DIR in place of that word.");
        }

        using CaFolder ca = CaFolder.Open(options.Get("state"));
        var desk = new RevocationDesk(ca, time);
        bool mayBeManager = options.Has("manager");
        if (options.Has(Unknown))
        {
            TakeUnknown(desk, certificate is null && !options.Has(DryRun)
                ? options.Words[0].Replace(":", string.Empty, StringComparison.Ordinal)
                : throw new UserError($"--{Unknown} goes with a serial number or a key alone."), reply);
            return Task.FromResult(ExitCode.Done);
        }

        if (options.Has(DryRun))
        {
            Look(ca, certificate is null ? desk.Look(options.Words[0], mayBeManager) : throw new UserError($"--{DryRun} goes with a serial, name or address."), reply, time.GetUtcNow());
            return Task.FromResult(ExitCode.Done);
        }

        RevocationDesk.Outcome outcome = certificate is null ? desk.Revoke(options.Words[0], mayBeManager) : desk.RevokeHolder(certificate, mayBeManager);
        string machine = $"{outcome.Machine.Host} ({outcome.Machine.Address})";
        var ticket = ca.Database.Read(transaction => OpenTicket(transaction, outcome.Machine, time.GetUtcNow()));
        reply.Say(
            words =>
            {
                words.WriteLine(outcome.Revoked > 0
                    ? $"{machine} is revoked: {Count(outcome.Revoked)}, list {outcome.List}. A running wow-ca serve spreads it within seconds; else it does when it starts. "
                        + "The machine's key never gets a certificate again; its address is free when the last one ends."
                    : outcome.IsNew
                    ? $"{machine} is revoked. Its last certificate ended at {outcome.Machine.NotAfter:u}, so there was none to take back. The machine's key never gets another."
                    : $"{machine} was revoked at {outcome.Since:u} already; list {outcome.List} stands.");
                if (outcome.WasApproved)
                {
                    words.WriteLine("Its key was approved, and is denied now.");
                }

                if (ticket is (string id, long left, DateTimeOffset until))
                {
                    words.WriteLine($"Its ticket {id} still admits {left} machines until {until:u}: who has it can come back with another key. End it: wow-ca ticket --end {id}");
                }
            },
            json =>
            {
                json.WriteString("host", outcome.Machine.Host);
                json.WriteString("address", outcome.Machine.Address.ToString());
                json.WriteNumber("revoked", outcome.Revoked);
                json.WriteNumber("list", outcome.List);
                WriteTicket(ticket, json);
            });
        return Task.FromResult(ExitCode.Done);
    }

    private static void TakeUnknown(RevocationDesk desk, string digits, Reply reply)
    {
        ulong list = desk.RevokeUnknown(digits);
        reply.Say(
            $"{digits} is revoked, of which the CA knows no certificate; the newest list is {list}. A machine that shows a certificate of it gets no other.",
            json =>
            {
                json.WriteString("unknown", digits);
                json.WriteNumber("list", list);
            });
    }

    private static void Look(CaFolder ca, (CertificateRow Machine, int Certificates, DateTimeOffset? Since) found, Reply reply, DateTimeOffset now)
    {
        (CertificateRow machine, int certificates, DateTimeOffset? since) = found;
        var ticket = ca.Database.Read(transaction => OpenTicket(transaction, machine, now));
        reply.Say(
            words =>
            {
                words.WriteLine(certificates == 0 && since is { } at
                    ? $"{machine.Host} ({machine.Address}, {machine.RoleName}) was revoked at {at:u} already. Nothing was done."
                    : $"{machine.Host} ({machine.Address}, {machine.RoleName}) would be revoked: {(certificates == 0 ? "no certificate that is good" : Count(certificates))}, the last until {machine.NotAfter:u}. Nothing was done.");
                if (ticket is (string id, long left, DateTimeOffset until))
                {
                    words.WriteLine($"Its ticket {id} would still admit {left} machines until {until:u}.");
                }
            },
            json =>
            {
                json.WriteString("host", machine.Host);
                json.WriteString("address", machine.Address.ToString());
                json.WriteString("serial", machine.Serial);
                json.WriteString("role", machine.RoleName);
                json.WriteString("not_after", machine.NotAfter);
                json.WriteNumber("would_revoke", certificates);
                if (since is { } at)
                {
                    json.WriteString("since", at);
                }
                else
                {
                    json.WriteNull("since");
                }

                WriteTicket(ticket, json);
            });
    }

    private static void WriteTicket((string Id, long Left, DateTimeOffset Until)? ticket, Utf8JsonWriter json)
    {
        if (ticket is (string id, long left, DateTimeOffset until))
        {
            json.WriteStartObject("open_ticket");
            json.WriteString("id", id);
            json.WriteNumber("left", left);
            json.WriteString("not_after", until);
            json.WriteEndObject();
        }
        else
        {
            json.WriteNull("open_ticket");
        }
    }

    private static byte[] ReadCertificate(string path)
    {
        if (!File.Exists(path))
        {
            throw new UserError($"{path} is not there: give the machine's node.pem as --certificate.");
        }

        // Not to its end: it may be anything.
        char[] text = new char[LongestPem];
        using StreamReader file = File.OpenText(path);
        int length = file.ReadBlock(text);
        return CertificatePem.TryRead(text.AsSpan(0, length), out byte[]? der)
            ? der
            : throw new UserError($"{path} holds no certificate in PEM: give the machine's node.pem as --certificate.");
    }

    private static string Count(int certificates) => certificates == 1 ? "one certificate" : $"{certificates} certificates";

    private static (string Id, long Left, DateTimeOffset Until)? OpenTicket(Transaction transaction, CertificateRow machine, DateTimeOffset now) =>
        transaction.Query(
            """
            SELECT id, uses - (SELECT count(*) FROM ticket_uses WHERE ticket = id) AS places, not_after FROM tickets
            WHERE id IN (SELECT ticket FROM ticket_uses WHERE key = @0) AND not_after >= @1 AND places > 0
            """,
            row => (row.GetString(0), row.GetInt64(1), DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(2))),
            machine.Key,
            now.ToUnixTimeSeconds()) is [var first, ..] ? first : null;
}
