using System.Net;

namespace CaService.Est;

/// <summary>How the server is started.</summary>
/// <param name="Listen">Where it listens; possession checks come from the same address.</param>
/// <param name="CertificatePath">PEM of the manager's certificate; read again whenever the file changes.</param>
/// <param name="KeyPath">PEM of its key.</param>
/// <param name="PossessionPort">TCP port at which machines prove their address.</param>
internal sealed record ServeSettings(IPEndPoint Listen, string CertificatePath, string KeyPath, int PossessionPort)
{
    /// <summary>No request's body is longer, in bytes; ours have 300.</summary>
    public const int MaxBodyBytes = 8192;

    /// <summary>Connections of all machines at a time to one port.</summary>
    public const int MostConnections = 256;

    /// <summary>So many of them are kept for machines with a good certificate: who has none yet can't take those.</summary>
    public const int ConnectionsOfMembers = 64;

    /// <summary>The same of one machine: else it would keep all others away.</summary>
    public const int MostConnectionsOfOne = 16;

    /// <summary>Enrolments of one machine that are looked at at once: one that it gave up, and the next.</summary>
    public const int MostEnrolmentsOfOne = 2;

    /// <summary>Downloads of one machine at a time: one that was cut on its side, and the one after it.</summary>
    public const int MostDownloadsOfOne = 2;

    /// <summary>A download is not slower than this, in bytes a second: half of a line of 64 kbit/s.</summary>
    public const int SlowestDownload = 4096;

    /// <summary>How long it may be slower.</summary>
    public static readonly TimeSpan DownloadGrace = TimeSpan.FromSeconds(20);

    /// <summary>Where the layers of the stack are fetched, at the same address.</summary>
    public int LayersPort { get; init; } = Agreed.LayersPort;

    /// <summary>Downloads of all machines at a time.</summary>
    public int MostDownloads { get; init; } = 8;

    /// <summary>How long one may take; the rest is asked for anew, behind those that wait.</summary>
    public TimeSpan LongestDownload { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>When who got no place shall ask again, in whole seconds.</summary>
    public TimeSpan DownloadAgainAfter { get; init; } = TimeSpan.FromSeconds(20);

    /// <summary>ipopd's control socket, by which revocations and stacks are spread; null: they are not.</summary>
    public string? Control { get; init; }

    /// <summary>The list of managers as ipopd keeps it, a notice of kind 2, which need not be there; null: no list is asked.</summary>
    public string? Managers { get; init; }

    /// <summary>ipopd's state folder, whose notices say what this CA told the pool; null: it is not asked.</summary>
    public string? Notices { get; init; }

    /// <summary>The CA's folder.</summary>
    public string Folder { get; init; } = string.Empty;

    /// <summary>How many enrolments are looked at at once; as many renewals besides.</summary>
    public int MaxConcurrent { get; init; } = 16;

    /// <summary>How long a machine may take to answer the possession check.</summary>
    public TimeSpan PossessionTimeout { get; init; } = TimeSpan.FromSeconds(25);

    /// <summary>The same where more than half of the places are taken: who does not answer shall not keep others away.</summary>
    public TimeSpan ShortPossessionTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>When who waits for the administrator shall ask again, in whole seconds.</summary>
    public TimeSpan AskAgainAfter { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How many requests one address may send at once.</summary>
    public int Burst { get; init; } = 10;

    /// <summary>After these, one more every so often.</summary>
    public TimeSpan RefillEvery { get; init; } = TimeSpan.FromSeconds(3);
}
