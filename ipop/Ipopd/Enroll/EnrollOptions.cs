namespace Ipopd.Enroll;

/// <summary>What enrolment needs to know.</summary>
internal sealed record EnrollOptions
{
    /// <summary>Folder of node.key, node.pem, ca.pem.</summary>
    internal required string State { get; init; }

    /// <summary>Path of the daemon's control socket.</summary>
    internal required string ControlSocket { get; init; }

    /// <summary>TCP port of the CA.</summary>
    internal required int CaPort { get; init; }

    /// <summary>TCP port on which this machine proves its address.</summary>
    internal required int PossessionPort { get; init; }

    /// <summary>Wanted host name; null for none.</summary>
    internal required string? Host { get; init; }

    /// <summary><c>ID:SECRET</c>; null for none, which is enough for a renewal.</summary>
    internal required string? Ticket { get; init; }

    /// <summary>Whether the CA is also shown a certificate for which it is no time yet: it may have been made in a copy of its folder.</summary>
    internal bool Shows { get; init; }

    /// <summary>How long to go on while the CA can't be reached.</summary>
    internal TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(90);
}
