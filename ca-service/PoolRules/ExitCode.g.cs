// Made of docs/contract/programs.json by `test/figures --write`; a test fails where they differ.
#nullable enable
namespace PoolRules;

/// <summary>How ipopd and wow-ca end.</summary>
public enum ExitCode
{
    /// <summary>It was done. Of `ipopd enroll`: there is a valid certificate for the machine's address.</summary>
    Done = 0,

    /// <summary>It could not be done, because of the machine or of what was asked about.</summary>
    Failed = 1,

    /// <summary>The command line or the configuration is wrong.</summary>
    Usage = 2,

    /// <summary>The CA, or the machine's own ipopd, was not reached in time: try again.</summary>
    Unreached = 3,

    /// <summary>The ticket is missing, unknown or wrong, or the key is not on the list.</summary>
    NotAdmitted = 4,

    /// <summary>The ticket is used up or expired, or the key was revoked or denied or has four addresses.</summary>
    TicketSpent = 5,

    /// <summary>
    /// Another machine holds the address. ipopd was told to take its next one, but where this machine's own certificate for it is still good.
    /// </summary>
    AddressRefused = 6,

    /// <summary>The CA refused for another reason, which it gave.</summary>
    Refused = 7,

    /// <summary>The pool's administrator has not decided yet: ask again.</summary>
    Waiting = 8,
}
