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
internal static class Tickets
{
    private const int IdDigits = 8;
    private const int SecretDigits = 32;

    /// <summary>Makes a ticket; only its hash is kept.</summary>
    public static string Create(Transaction transaction, int uses, DateTimeOffset notAfter, DateTimeOffset now)
    {
        string id = RandomNumberGenerator.GetHexString(IdDigits, lowercase: true);
        string ticket = $"{id}:{RandomNumberGenerator.GetHexString(SecretDigits, lowercase: true)}";
        transaction.Run(
            "INSERT INTO tickets (id, hash, uses, not_after) VALUES (@0, @1, @2, @3)", id, Hash(ticket), uses, notAfter.ToUnixTimeSeconds());
        Audit.Append(transaction, now, "ticket", $"id={id} uses={uses} until={notAfter:u}");
        return ticket;
    }

    /// <summary>Looks at a ticket without using it.</summary>
    /// <param name="transaction">Where.</param>
    /// <param name="ticket"><c>ID:SECRET</c>.</param>
    /// <param name="key">The machine's key, by its SHA-256; one that used the ticket before may come again.</param>
    /// <param name="now">Wall-clock time.</param>
    public static TicketState Check(Transaction transaction, string ticket, string key, DateTimeOffset now)
    {
        string id = IdOf(ticket);
        (byte[] Hash, long Uses, long NotAfter) row = transaction.First(
            "SELECT hash, uses, not_after FROM tickets WHERE id = @0", row => (row.GetFieldValue<byte[]>(0), row.GetInt64(1), row.GetInt64(2)), id);
        if (row.Hash is null || !CryptographicOperations.FixedTimeEquals(row.Hash, Hash(ticket)))
        {
            return TicketState.Unknown;
        }

        if (now.ToUnixTimeSeconds() > row.NotAfter)
        {
            return TicketState.Expired;
        }

        long mine = transaction.First("SELECT count(*) FROM ticket_uses WHERE ticket = @0 AND key = @1", r => r.GetInt64(0), id, key);
        long all = transaction.First("SELECT count(*) FROM ticket_uses WHERE ticket = @0", r => r.GetInt64(0), id);
        return mine > 0 || all < row.Uses ? TicketState.Good : TicketState.UsedUp;
    }

    /// <summary>Uses a ticket that <see cref="Check"/> found good in the same transaction.</summary>
    public static void Use(Transaction transaction, string ticket, string key, DateTimeOffset now) => transaction.Run(
        "INSERT OR IGNORE INTO ticket_uses (ticket, key, at) VALUES (@0, @1, @2)", IdOf(ticket), key, now.ToUnixTimeSeconds());

    /// <summary>Ends a ticket, if it has not ended yet.</summary>
    /// <returns>Whether there is such a ticket.</returns>
    public static bool End(Transaction transaction, string id, DateTimeOffset now)
    {
        long end = now.ToUnixTimeSeconds() - 1;
        if (transaction.Run("UPDATE tickets SET not_after = @0 WHERE id = @1 AND not_after > @0", end, id) > 0)
        {
            return Audit.Append(transaction, now, "ticket", $"id={id} until={DateTimeOffset.FromUnixTimeSeconds(end):u}");
        }

        return transaction.First("SELECT count(*) FROM tickets WHERE id = @0", row => row.GetInt64(0), id) > 0;
    }

    /// <summary>The part of a ticket that may be shown and logged.</summary>
    public static string IdOf(string ticket) => ticket.Split(':', 2)[0];

    private static byte[] Hash(string ticket) => SHA256.HashData(Encoding.UTF8.GetBytes(ticket));
}
