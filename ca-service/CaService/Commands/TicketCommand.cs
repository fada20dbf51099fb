namespace CaService.Commands;

/// <summary><c>wow-ca ticket</c>: prints a ticket for pool.conf.</summary>
internal static class TicketCommand
{
    public static Task<ExitCode> Run(Options options, Reply reply, TimeProvider time)
    {
        if (options.Find("end") is string id)
        {
            End(id, options, reply, time.GetUtcNow());
            return Task.FromResult(ExitCode.Done);
        }

        int uses = options.GetNumber("uses", 1, TicketTerms.MostUses);
        DateTimeOffset until = Moment.Read("until", options.Get("until"));
        DateTimeOffset now = time.GetUtcNow();
        if (until <= now)
        {
            throw new UserError($"--until {options.Get("until")} is over already: give a day from {now:yyyy-MM-dd} on.");
        }

        using CaFolder ca = CaFolder.Open(options.Get("state"));
        string ticket = ca.Database.Write(transaction => Tickets.Create(transaction, ca.TicketKey, uses, until, now));
        reply.Say(
            ticket,
            json =>
            {
                json.WriteString("ticket", ticket);
                json.WriteNumber("uses", uses);
                json.WriteString("not_after", until);
            });
        return Task.FromResult(ExitCode.Done);
    }

    private static void End(string id, Options options, Reply reply, DateTimeOffset now)
    {
        if (options.Find("uses") is not null || options.Find("until") is not null)
        {
            throw new UserError("--end goes without --uses and --until: it ends the ticket at once.");
        }

        using CaFolder ca = CaFolder.Open(options.Get("state"));
        (bool wasKnown, bool canBe) = ca.Database.Write(transaction =>
            (Tickets.IsNoted(transaction, id), Tickets.End(transaction, ca.TicketKey, id, now)));
        if (!canBe)
        {
            throw new UserError($"--end is '{id}': there is no such ticket; wow-ca list shows them.");
        }

        reply.Say(
            wasKnown
                ? $"ticket {id} admits nobody any more"
                : $"this CA never saw ticket {id}: it did not make it, and no machine came by it. If the id is right, that ticket admits nobody any more",
            json => json.WriteString("ended", id));
    }
}
