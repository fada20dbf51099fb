namespace Ipopd.Enroll;

/// <summary>How <c>ipopd enroll</c> ends (docs/architecture.md, Enrolment).</summary>
internal enum EnrollExit
{
    /// <summary>There is a valid certificate for the current address.</summary>
    Done = 0,

    /// <summary>The machine lacks something, such as room on its disk.</summary>
    Failed = 1,

    /// <summary>Command line, configuration or state folder are wrong.</summary>
    Configuration = 2,

    /// <summary>The CA (or the own daemon) could not be reached in time.</summary>
    Unreached = 3,

    /// <summary>The ticket is missing, unknown or wrong.</summary>
    NotAdmitted = 4,

    /// <summary>The ticket is used up or expired.</summary>
    TicketSpent = 5,

    /// <summary>Another machine holds the address; the daemon was told to take its next one.</summary>
    AddressRefused = 6,

    /// <summary>The CA refused for another reason, which it gave.</summary>
    Refused = 7,
}
