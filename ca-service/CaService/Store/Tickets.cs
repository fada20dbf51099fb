using System.Security.Cryptography;
using System.Text;

namespace CaService;

/// <summary>Whether a ticket admits a machine.</summary>
internal enum TicketState
{
    /// <summary>It does.</summary>
    Good,

    /// <summary>No such ticket, or the secret is wrong.</summary>
    Unknown,

    /// <summary>Its last day is over.</summary>
    Expired,

    /// <summary>As many machines as it admits have used it.</summary>
    UsedUp,
}

/// <summary>Tickets: <c>ID:SECRET</c>, for so many machines until a date.</summary>
/// <remarks>One that another copy of the CA's folder made has no row here until a machine comes by it, or somebody ends it.</remarks>
internal static class Tickets
{
    /// <summary>Makes a ticket; only its hash is kept.</summary>
    public static string Create(Transaction transaction, TicketKey key, int uses, DateTimeOffset notAfter, DateTimeOffset now)
    {
        var terms = new TicketTerms(uses, notAfter.ToUnixTimeSeconds());
        string ticket = key.TicketOf(terms.IdWith(RandomNumberGenerator.GetHexString(TicketTerms.RandomDigits, lowercase: true)));
        Note(transaction, ticket, terms, now);
        return ticket;
    }

    /// <summary>Looks at a ticket without using it.</summary>
    /// <param name="transaction">Where.</param>
    /// <param name="key">What tickets are proven by.</param>
    /// <param name="ticket"><c>ID:SECRET</c>.</param>
    /// <param name="machine">The machine's key, by its SHA-256; one that used the ticket before may come again.</param>
    /// <param name="now">Wall-clock time.</param>
    public static TicketState Check(Transaction transaction, TicketKey key, string ticket, string machine, DateTimeOffset now)
    {
        string id = Ticket.IdOf(ticket);
        if (TermsOf(transaction, key, ticket) is not TicketTerms terms)
        {
            return TicketState.Unknown;
        }

        if (now.ToUnixTimeSeconds() > terms.NotAfter)
        {
            return TicketState.Expired;
        }

        long mine = transaction.First("SELECT count(*) FROM ticket_uses WHERE ticket = @0 AND key = @1", r => r.GetInt64(0), id, machine);
        long all = transaction.First("SELECT count(*) FROM ticket_uses WHERE ticket = @0", r => r.GetInt64(0), id);
        return mine > 0 || all < terms.Uses ? TicketState.Good : TicketState.UsedUp;
    }

    /// <summary>Uses a ticket that <see cref="Check"/> found good in the same transaction.</summary>
    public static void Use(Transaction transaction, string ticket, string machine, DateTimeOffset now)
    {
        string id = Ticket.IdOf(ticket);
        if (!IsNoted(transaction, id) && TicketTerms.TryRead(id, out TicketTerms terms))
        {
            Note(transaction, ticket, terms, now);
        }

        transaction.Run("INSERT OR IGNORE INTO ticket_uses (ticket, key, at) VALUES (@0, @1, @2)", id, machine, now.ToUnixTimeSeconds());
    }

    /// <summary>Ends a ticket, if it has not ended yet; also one that another copy of the CA's folder made.</summary>
    /// <returns>Whether there can be such a ticket.</returns>
    public static bool End(Transaction transaction, TicketKey key, string id, DateTimeOffset now)
    {
        long end = now.ToUnixTimeSeconds() - 1;
        if (!IsNoted(transaction, id) && TicketTerms.TryRead(id, out TicketTerms terms))
        {
            Note(transaction, key.TicketOf(id), terms, now);
        }

        if (transaction.Run("UPDATE tickets SET not_after = @0 WHERE id = @1 AND not_after > @0", end, id) > 0)
        {
            return Audit.Append(transaction, now, "ticket", $"id={id} until={DateTimeOffset.FromUnixTimeSeconds(end):u}");
        }

        return IsNoted(transaction, id);
    }

    /// <summary>Whether there is a row for a ticket: this CA made it, a machine came by it, or somebody ended it.</summary>
    public static bool IsNoted(Transaction transaction, string id) =>
        transaction.First("SELECT count(*) FROM tickets WHERE id = @0", row => row.GetInt64(0), id) > 0;

    /// <summary>What a ticket admits, if it is one: its row says so, or else its secret proves what its id says.</summary>
    private static TicketTerms? TermsOf(Transaction transaction, TicketKey key, string ticket)
    {
        string id = Ticket.IdOf(ticket);
        (byte[] Hash, TicketTerms Terms) row = transaction.First(
            "SELECT hash, uses, not_after FROM tickets WHERE id = @0",
            row => (row.GetFieldValue<byte[]>(0), new TicketTerms(row.GetInt32(1), row.GetInt64(2))),
            id);
        TicketTerms terms = row.Terms;
        byte[]? hash = row.Hash ?? (TicketTerms.TryRead(id, out terms) ? Hash(key.TicketOf(id)) : null);
        return hash is not null && CryptographicOperations.FixedTimeEquals(hash, Hash(ticket)) ? terms : null;
    }

    private static void Note(Transaction transaction, string ticket, TicketTerms terms, DateTimeOffset now)
    {
        string id = Ticket.IdOf(ticket);
        transaction.Run("INSERT INTO tickets (id, hash, uses, not_after) VALUES (@0, @1, @2, @3)", id, Hash(ticket), terms.Uses, terms.NotAfter);
        Audit.Append(transaction, now, "ticket", $"id={id} uses={terms.Uses} until={DateTimeOffset.FromUnixTimeSeconds(terms.NotAfter):u}");
    }

    private static byte[] Hash(string ticket) => SHA256.HashData(Encoding.UTF8.GetBytes(ticket));
}
