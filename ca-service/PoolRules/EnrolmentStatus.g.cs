// Made of docs/contract/programs.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace PoolRules;

/// <summary>What the CA answers a machine that enrols: a status of HTTP.</summary>
public static class EnrolmentStatus
{
    /// <summary>The certificate is in the body.</summary>
    public const int Granted = 200;

    /// <summary>The request waits for the pool's administrator: ask again after Retry-After.</summary>
    public const int Waiting = 202;

    /// <summary>The ticket is missing, unknown or wrong, the key is not on the list, or the old certificate is not accepted.</summary>
    public const int NotAdmitted = 401;

    /// <summary>The ticket is used up or expired, or the key was revoked or denied or has four addresses.</summary>
    public const int TicketSpent = 403;

    /// <summary>Another key holds the address: a machine without certificate takes its next claimable address.</summary>
    public const int AddressTaken = 409;

    /// <summary>The request can't be read, or the address was not proved.</summary>
    public const int BadRequest = 422;

    /// <summary>The machine asks too often: try again.</summary>
    public const int TooMany = 429;

    /// <summary>The CA has too much to do: try again.</summary>
    public const int Busy = 503;

    /// <summary>How `ipopd enroll` ends after a status; of one that is not the contract's, as after a request that was refused.</summary>
    public static ExitCode ExitOf(int status) => status switch
    {
        Granted => ExitCode.Done,
        Waiting => ExitCode.Waiting,
        NotAdmitted => ExitCode.NotAdmitted,
        TicketSpent => ExitCode.TicketSpent,
        AddressTaken => ExitCode.AddressRefused,
        BadRequest => ExitCode.Refused,
        TooMany => ExitCode.Unreached,
        Busy => ExitCode.Unreached,
        _ => ExitCode.Refused,
    };
}
