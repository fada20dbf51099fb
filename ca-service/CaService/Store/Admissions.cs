using System.Net;

namespace CaService;

/// <summary>The policy, and the keys that wait or were decided on. What strangers can make it keep is <see cref="MostWaiting"/> rows; the rest is the administrator's.</summary>
internal static class Admissions
{
    /// <summary>As many machines wait at a time.</summary>
    public const int MostWaiting = 1000;

    /// <summary>Who waits and has not asked for so long is forgotten.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromDays(7);

    /// <summary>Where there is no place, who has not asked for so long gives way: a machine that runs is noted every ten minutes.</summary>
    public static readonly TimeSpan Silence = TimeSpan.FromHours(1);

    /// <summary>Who is admitted of those whom nobody named: by ticket, until the administrator says otherwise.</summary>
    public static AdmissionPolicy Policy(Transaction transaction) =>
        transaction.First("SELECT name FROM policy", row => row.GetString(0)) is string name ? Enum.Parse<AdmissionPolicy>(name, ignoreCase: true) : AdmissionPolicy.Ticket;

    /// <summary>Sets it.</summary>
    /// <returns>Whether it was another.</returns>
    public static bool Set(Transaction transaction, AdmissionPolicy policy, DateTimeOffset now)
    {
        if (Policy(transaction) == policy)
        {
            return false;
        }

        transaction.Run("INSERT OR REPLACE INTO policy (one, name) VALUES (1, @0)", NameOf(policy));
        return Audit.Append(transaction, now, "policy", NameOf(policy));
    }

    /// <summary>The word for a policy, as people type it.</summary>
    public static string NameOf(AdmissionPolicy policy) => policy.ToString().ToLowerInvariant();

    /// <summary>What is known of a key.</summary>
    public static AdmissionRow? Find(Transaction transaction, string node) =>
        transaction.First($"SELECT {AdmissionRow.Columns} FROM admissions WHERE node = @0", AdmissionRow.Read, node);

    /// <summary>The keys that begin with these hexadecimal digits, two of them at most.</summary>
    public static List<AdmissionRow> Beginning(Transaction transaction, string digits) =>
        transaction.Query($"SELECT {AdmissionRow.Columns} FROM admissions WHERE substr(node, 1, @1) = @0 LIMIT 2", AdmissionRow.Read, digits, digits.Length);

    /// <summary>All, who waits longest first.</summary>
    public static List<AdmissionRow> All(Transaction transaction) =>
        transaction.Query($"SELECT {AdmissionRow.Columns} FROM admissions ORDER BY state = 'waiting' DESC, since, node", AdmissionRow.Read);

    /// <summary>Notes who waits, in the place of another key that waited at the same address, which the machine has proved to be its own.</summary>
    /// <returns>False where too many wait.</returns>
    public static bool Wait(Transaction transaction, string node, IPAddress address, string? host, string? ticket, DateTimeOffset now)
    {
        long at = now.ToUnixTimeSeconds();
        Forget(transaction, now, Patience);
        transaction.Run("DELETE FROM admissions WHERE state = 'waiting' AND address = @0 AND node <> @1", address.ToString(), node);
        if (Find(transaction, node) is null && Waiting(transaction) >= MostWaiting)
        {
            Forget(transaction, now, Silence);
            if (Waiting(transaction) >= MostWaiting)
            {
                return false;
            }
        }

        transaction.Run(
            """
            INSERT INTO admissions (node, state, address, host, ticket, since, asked, decided) VALUES (@0, 'waiting', @1, @2, @3, @4, @4, 0)
            ON CONFLICT (node) DO UPDATE SET address = @1, host = @2, ticket = @3, asked = @4
            """,
            node,
            address.ToString(),
            host,
            ticket,
            at);
        return true;
    }

    /// <summary>Notes the administrator's word on a key, which may not have asked yet.</summary>
    /// <returns>What is known of the key now.</returns>
    public static AdmissionRow Decide(Transaction transaction, string node, AdmissionState state, DateTimeOffset now)
    {
        transaction.Run(
            """
            INSERT INTO admissions (node, state, since, asked, decided) VALUES (@0, @1, @2, @2, @2)
            ON CONFLICT (node) DO UPDATE SET state = @1, decided = @2
            """,
            node,
            AdmissionRow.NameOf(state),
            now.ToUnixTimeSeconds());
        AdmissionRow row = Find(transaction, node)!;
        Audit.Append(
            transaction, now, state == AdmissionState.Approved ? "approve" : "deny", $"node={node} address={row.Address?.ToString() ?? "none"} host={row.Host ?? "none"}");
        return row;
    }

    private static long Waiting(Transaction transaction) =>
        transaction.First("SELECT count(*) FROM admissions WHERE state = 'waiting'", row => row.GetInt64(0));

    // One that was noted by a clock that was ahead has not asked either.
    private static void Forget(Transaction transaction, DateTimeOffset now, TimeSpan silence) => transaction.Run(
        "DELETE FROM admissions WHERE state = 'waiting' AND (asked < @0 OR asked > @1)", (now - silence).ToUnixTimeSeconds(), (now + Silence).ToUnixTimeSeconds());
}
