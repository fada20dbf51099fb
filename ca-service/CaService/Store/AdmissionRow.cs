using System.Net;
using Microsoft.Data.Sqlite;

namespace CaService;

/// <summary>Where a machine's request stands.</summary>
internal enum AdmissionState
{
    /// <summary>The administrator has not decided.</summary>
    Waiting,

    /// <summary>The key is admitted, now and later, and needs no ticket.</summary>
    Approved,

    /// <summary>The key gets no certificate.</summary>
    Denied,
}

/// <summary>Who is admitted of those whom the administrator has not named.</summary>
internal enum AdmissionPolicy
{
    /// <summary>Who has a good ticket, at once.</summary>
    Ticket,

    /// <summary>Nobody: those alone whose key was approved, before or after they asked.</summary>
    List,

    /// <summary>Everybody waits until the administrator approves or denies.</summary>
    Manual,
}

/// <summary>A key that waits, or that the administrator decided on.</summary>
/// <param name="Node">The key: the machine's ring address, 40 hexadecimal digits.</param>
/// <param name="State">Where it stands.</param>
/// <param name="Address">Where it asked from, proven; null if it was decided on before it asked.</param>
/// <param name="Host">The name that it would like, a host label, or null.</param>
/// <param name="Ticket">Id of the good ticket that it showed, or null.</param>
/// <param name="Since">When it asked first, or was decided on.</param>
/// <param name="Asked">When it was noted last.</param>
/// <param name="Decided">When it was decided on; the epoch while it waits.</param>
internal sealed record AdmissionRow(
    string Node, AdmissionState State, IPAddress? Address, string? Host, string? Ticket, DateTimeOffset Since, DateTimeOffset Asked, DateTimeOffset Decided)
{
    public const string Columns = "node, state, address, host, ticket, since, asked, decided";

    public string StateName => NameOf(State);

    public static string NameOf(AdmissionState state) => state.ToString().ToLowerInvariant();

    public static AdmissionRow Read(SqliteDataReader row) => new(
        row.GetString(0),
        Enum.Parse<AdmissionState>(row.GetString(1), ignoreCase: true),
        row.IsDBNull(2) ? null : IPAddress.Parse(row.GetString(2)),
        row.IsDBNull(3) ? null : row.GetString(3),
        row.IsDBNull(4) ? null : row.GetString(4),
        DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(5)),
        DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(6)),
        DateTimeOffset.FromUnixTimeSeconds(row.GetInt64(7)));
}
